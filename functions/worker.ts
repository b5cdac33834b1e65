import { READ_DUE_NAMESPACES } from "../db/reads.ts";
import { type ApiEnv, createApp } from "./api/app.ts";
import { tableOfEvent } from "./api/table/event-table.ts";
import { graphName } from "./graph/graph-name.ts";
import { ClusterFeed as Feed } from "./watch/cluster-feed.ts";

export { NamespaceGraph } from "./graph/namespace-graph.ts";

/** The feed, composed with what the API knows about printing. */
export class ClusterFeed extends Feed {
  protected override tableOf = tableOfEvent;
}

const app = createApp();

/** The most namespaces one cron run wakes; the next run takes the others. */
const WOKEN = 500;

export default {
  fetch: app.fetch,

  /** Wakes graph objects that have work and may have lost their alarm. */
  async scheduled(_controller, env) {
    const { results } = await env.DB.prepare(READ_DUE_NAMESPACES)
      .bind(Date.now(), WOKEN)
      .all<{ cluster: number; namespace: string }>();
    await Promise.allSettled(
      results.map(({ cluster, namespace }) =>
        env.NAMESPACE_GRAPH.getByName(graphName(cluster, namespace)).wake(),
      ),
    );
  },
} satisfies ExportedHandler<ApiEnv>;
