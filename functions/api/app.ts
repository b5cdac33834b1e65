import { Hono } from "hono";
import { type Databases, databaseOf, directoryDatabase } from "../../db/database.ts";
import { Directory } from "../clusters/directory.ts";
import { bearerToken } from "../clusters/tokens.ts";
import type { NamespaceGraph } from "../graph/namespace-graph.ts";
import type { NodeRecords } from "../nodes/node-records.ts";
import { type Clock, systemClock } from "../objects/clock.ts";
import type { ClusterFeed } from "../watch/cluster-feed.ts";
import { answerAgentFile } from "./agent.ts";
import { jsonAnswer, plainText, refusal } from "./answer.ts";
import { AskedLately } from "./asked-lately.ts";
import { auditedDeletions } from "./audit.ts";
import { managementRoutes } from "./clusters.ts";
import type { ApiContext } from "./context.ts";
import { versionDocument } from "./discovery.ts";
import { answerDocument } from "./documents.ts";
import { faultFailure } from "./faults.ts";
import { answerMetrics } from "./metrics/answer-metrics.ts";
import { answerNodeReport } from "./nodes.ts";
import { parseResourcePath } from "./resource-path.ts";
import { answerResource } from "./resource-request.ts";
import { ServedKinds } from "./served-kinds.ts";

/** What the Worker is bound to. */
export interface ApiEnv extends Databases {
  NAMESPACE_GRAPH: DurableObjectNamespace<NamespaceGraph>;
  CLUSTER_FEED: DurableObjectNamespace<ClusterFeed>;
  NODE_RECORDS: DurableObjectNamespace<NodeRecords>;
  /** Lower-case hex SHA-256 of the token that may make clusters. */
  ROOT_TOKEN_SHA256: string;
}

const HEALTH: ReadonlySet<string> = new Set(["healthz", "livez", "readyz"]);

/**
 * The HTTP surface: `/clusters` for those who make clusters, and `/clusters/{cluster}/…`, which is a Kubernetes
 * API server to everybody else.
 */
export function createApp(clock: Clock = systemClock): Hono<{ Bindings: ApiEnv }> {
  const app = new Hono<{ Bindings: ApiEnv }>();
  const servedKinds = new ServedKinds(clock);
  const asked = new AskedLately();
  let directory: Directory | undefined;
  const directoryOf = (env: ApiEnv): Directory => {
    directory ??= new Directory(directoryDatabase(env), env.ROOT_TOKEN_SHA256, clock, (cluster) =>
      databaseOf(env, cluster),
    );
    return directory;
  };

  app.onError((fault) => {
    console.error(JSON.stringify({ level: "error", message: "request failed", fault: String(fault) }));
    return refusal(faultFailure(fault));
  });
  app.notFound(() => plainText("404 page not found\n", 404));

  for (const check of HEALTH) app.get(`/${check}`, (c) => health(c.env));
  app.get("/version", () => jsonAnswer(versionDocument()));
  app.route("/clusters", managementRoutes(directoryOf, clock));

  app.get("/clusters/:cluster/agent/:file", (c) =>
    answerAgentFile(c.req.param("cluster"), c.req.param("file"), c.req.url),
  );

  app.all("/clusters/:cluster/*", async (c) => {
    const url = new URL(c.req.url);
    const segments = pathSegments(url.pathname);
    if (segments === undefined)
      return refusal({ reason: "BadRequest", message: "the path cannot be decoded" });
    const [root] = segments;
    if (c.req.method === "GET" && root !== undefined) {
      if (HEALTH.has(root)) return health(c.env);
      if (root === "version" && segments.length === 1) return jsonAnswer(versionDocument());
    }
    const token = bearerToken(c.req.header("authorization"));
    const admission = token && (await directoryOf(c.env).admit(c.req.param("cluster"), token));
    if (!admission) return refusal({ reason: "Unauthorized" });

    const context: ApiContext = {
      db: databaseOf(c.env, admission.cluster),
      directory: directoryDatabase(c.env),
      graphs: c.env.NAMESPACE_GRAPH,
      feeds: c.env.CLUSTER_FEED,
      servedKinds,
      asked,
      clock,
      ...admission,
    };
    const [, node, verb, ...more] = segments;
    if (root === "nodes" && node && verb === "report" && more.length === 0) {
      return answerNodeReport(context, c.env.NODE_RECORDS, node, c.req.raw);
    }
    if (c.req.method === "GET" && root === "metrics" && segments.length === 1) return answerMetrics(context);
    if (c.req.method === "GET" && root === "audit" && node === "deletions" && verb === undefined) {
      return auditedDeletions(context, url.searchParams);
    }
    const path = parseResourcePath(segments);
    if (path) return answerResource(context, path, c.req.raw, url.searchParams);
    const served = await servedKinds.current(context.db, context.cluster);
    return answerDocument(segments, served, c.req.raw) ?? plainText("404 page not found\n", 404);
  });
  return app;
}

/** The parts after `/clusters/{cluster}/`; undefined when one of them is not valid percent-encoding. */
function pathSegments(pathname: string): string[] | undefined {
  const parts = pathname.split("/").slice(3);
  if (parts.at(-1) === "") parts.pop();
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Ready means that the database answers. */
async function health(env: ApiEnv): Promise<Response> {
  try {
    await directoryDatabase(env).prepare("SELECT 1 FROM clusters LIMIT 1").all();
    return plainText("ok");
  } catch {
    return plainText("the database does not answer", 500);
  }
}
