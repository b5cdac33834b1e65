import { CLAIM_RESYNC, PRUNE_RUNS, READ_RESYNCS } from "../../db/sweeps.ts";
import { startRun } from "../graph/sweep/runs.ts";
import { type Millis, timestamp } from "../objects/object.ts";
import type { Place } from "./wake.ts";

/** The most clusters that one run begins with. */
const CLUSTERS = 50;
/** A resync that comes to nothing is begun again after this; one that ends says itself when the next one is. */
const AGAIN = 3_600_000;
/** Of each sweep so many runs are kept, and none for longer than this but the newest. */
const RUNS_KEPT = 100;
const RUNS_KEPT_FOR = 30 * 24 * 3_600_000;

/** Begins to go through the clusters whose time has come. @returns the places to be woken for it */
export async function beginResyncs(db: D1Database, now: Millis): Promise<Place[]> {
  const { results } = await db.prepare(READ_RESYNCS).bind(now, CLUSTERS).all<{ cluster: number }>();
  const begun: Place[] = [];
  for (const { cluster } of results) {
    try {
      const claimed = await db
        .prepare(CLAIM_RESYNC)
        .bind(cluster, now, now + AGAIN)
        .run();
      if (claimed.meta.changes === 0) continue;
      await db
        .prepare(PRUNE_RUNS)
        .bind(cluster, now - RUNS_KEPT_FOR, RUNS_KEPT)
        .run();
      const name = `orphans-resync-${timestamp(now).replace(/\D/g, "")}`;
      if (await startRun(db, cluster, { name, sweep: "orphans", cause: "resync", dryRun: false }, now)) {
        begun.push({ cluster, namespace: "" });
      }
    } catch (fault) {
      console.error(JSON.stringify({ level: "error", message: "no resync", cluster, fault: String(fault) }));
    }
  }
  return begun;
}
