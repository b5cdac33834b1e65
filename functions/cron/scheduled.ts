import { FORGET_REMOVED, REMOVED_BUCKET } from "../../db/counters.ts";
import type { Databases } from "../../db/database.ts";
import { graphName } from "../graph/graph-name.ts";
import type { Clock } from "../objects/clock.ts";
import type { Millis } from "../objects/object.ts";
import { compactClusters, forgetRecords } from "../watch/compaction.ts";
import { type RetentionVars, retentionOf } from "../watch/retention.ts";
import { everySoOften, underLease } from "./cron-lease.ts";
import { forgetGoneNodes } from "./gone-nodes.ts";
import { beginResyncs } from "./resync.ts";
import { duePlaces, wakeAll } from "./wake.ts";

/** What cron needs of its surroundings. */
export interface CronEnv extends Databases, RetentionVars {
  NAMESPACE_GRAPH: { getByName(name: string): { wake(): Promise<void> } };
}

/** How long it is known how much went when: guards ask about the last hour. */
const REMOVED_KEPT: Millis = 2 * 3600_000;

/** A run wakes nobody after this, and holds its lease no longer than that, in ms. */
const DEADLINE: Millis = 20_000;
const LEASE: Millis = 30_000;

/** How often nodes are looked for that are gone. */
const NODES_PERIOD: Millis = 3_600_000;

/** All that runs by the clock. Each does what is due, and leaves what is too much for the next run. */
export async function runScheduled(env: CronEnv, clock: Clock): Promise<void> {
  const { DB } = env;
  const runs = await Promise.allSettled([
    underLease(DB, "sweeps", clock, LEASE, () => sweep(env, clock)),
    underLease(DB, "compaction", clock, LEASE, async () => {
      await compactClusters(DB, clock(), retentionOf(env));
      await forgetRecords(DB, clock());
      await DB.prepare(FORGET_REMOVED)
        .bind(Math.floor((clock() - REMOVED_KEPT) / REMOVED_BUCKET))
        .run();
    }),
    everySoOften(DB, "gone nodes", clock, NODES_PERIOD, async () => {
      await forgetGoneNodes(DB, clock, clock() + DEADLINE);
    }),
  ]);
  for (const run of runs) if (run.status === "rejected") throw run.reason;
}

async function sweep({ DB, NAMESPACE_GRAPH }: CronEnv, clock: Clock): Promise<void> {
  const now = clock();
  const resynced = await beginResyncs(DB, now);
  const places = [...resynced, ...(await duePlaces(DB, now))];
  await wakeAll(
    places,
    ({ cluster, namespace }) => NAMESPACE_GRAPH.getByName(graphName(cluster, namespace)).wake(),
    clock,
    now + DEADLINE,
  );
}
