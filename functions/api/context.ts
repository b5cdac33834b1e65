import type { NamespaceGraph } from "../graph/namespace-graph.ts";
import type { Clock } from "../objects/clock.ts";
import type { Kind } from "../objects/kind.ts";
import type { Principal } from "../objects/roles.ts";
import type { ClusterFeed } from "../watch/cluster-feed.ts";
import type { AskedLately } from "./asked-lately.ts";
import type { ResourcePath } from "./resource-path.ts";
import type { Served, ServedKinds } from "./served-kinds.ts";
import type { Negotiated } from "./table/negotiate.ts";

/** What handlers are given: nothing here knows HTTP frameworks. */
export interface ApiContext {
  db: D1Database;
  /** Where tokens are kept. */
  directory: D1Database;
  graphs: DurableObjectNamespace<NamespaceGraph>;
  feeds: DurableObjectNamespace<ClusterFeed>;
  servedKinds: ServedKinds;
  asked: AskedLately;
  clock: Clock;
  cluster: number;
  principal: Principal;
}

/** A request whose path names a served resource, by somebody who may do this. */
export interface ResourceRequest {
  context: ApiContext;
  path: ResourcePath;
  kind: Kind;
  served: Served;
  query: URLSearchParams;
  negotiated: Negotiated;
  request: Request;
}
