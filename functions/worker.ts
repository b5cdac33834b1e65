import { READ_DUE_NAMESPACES } from "../db/reads.ts";
import { type ApiEnv, createApp } from "./api/app.ts";
import { tableOfEvent } from "./api/table/event-table.ts";
import { graphName } from "./graph/graph-name.ts";
import { systemClock } from "./objects/clock.ts";
import { ClusterFeed as Feed } from "./watch/cluster-feed.ts";
import { compactClusters } from "./watch/compaction.ts";
import { type RetentionVars, retentionOf } from "./watch/retention.ts";

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

  /** Both do what is due, and leave what is too much for the next run. */
  async scheduled(_controller, env) {
    const now = systemClock();
    const runs = await Promise.allSettled([
      wakeGraphs(env, now),
      compactClusters(env.DB, now, retentionOf(env)),
    ]);
    for (const run of runs) if (run.status === "rejected") throw run.reason;
  },
} satisfies ExportedHandler<ApiEnv & RetentionVars>;

/** Wakes graph objects that have work and may have lost their alarm. */
async function wakeGraphs({ DB, NAMESPACE_GRAPH }: ApiEnv, now: number): Promise<void> {
  const { results } = await DB.prepare(READ_DUE_NAMESPACES)
    .bind(now, WOKEN)
    .all<{ cluster: number; namespace: string }>();
  await Promise.allSettled(
    results.map(({ cluster, namespace }) => NAMESPACE_GRAPH.getByName(graphName(cluster, namespace)).wake()),
  );
}
