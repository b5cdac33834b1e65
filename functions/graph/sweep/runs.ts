import { storeFault } from "../../../db/errors.ts";
import { INSERT_RUN, INSERT_SCAN } from "../../../db/sweeps.ts";
import type { Millis } from "../../objects/object.ts";
import type { SweepName } from "../../sweeps/decision.ts";

export interface NewRun {
  name: string;
  sweep: SweepName;
  cause: "request" | "resync";
  /** Nothing is written but the run itself. */
  dryRun: boolean;
}

/**
 * Has a sweep go through a whole cluster. The graph object of the cluster-scoped objects is to be woken afterwards; if it
 * is not, cron does.
 *
 * @returns false when there is a run of that name
 */
export async function startRun(
  db: D1Database,
  cluster: number,
  { name, sweep, cause, dryRun }: NewRun,
  now: Millis,
): Promise<boolean> {
  try {
    await db.batch([
      db.prepare(INSERT_RUN).bind(cluster, name, sweep, cause, dryRun ? 1 : 0, now),
      db.prepare(INSERT_SCAN).bind(cluster, name),
    ]);
    return true;
  } catch (fault) {
    if (storeFault(fault) === "taken") return false;
    throw fault;
  }
}
