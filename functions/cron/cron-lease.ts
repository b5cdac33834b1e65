import { LEAVE_CRON_LEASE, TAKE_CRON_LEASE } from "../../db/sweeps.ts";
import type { Clock } from "../objects/clock.ts";
import type { Millis } from "../objects/object.ts";

/**
 * Does something unless a run that does the same is under way. A run that dies without letting go holds up the others for as
 * long as it might have taken.
 *
 * @param longest no run takes longer: it stops by itself before
 * @returns whether it was done
 */
export async function underLease(
  db: D1Database,
  name: string,
  clock: Clock,
  longest: Millis,
  run: () => Promise<void>,
): Promise<boolean> {
  const now = clock();
  const until = now + longest;
  const taken = await db.prepare(TAKE_CRON_LEASE).bind(name, now, until).first<{ held_until: number }>();
  if (taken?.held_until !== until) return false;
  try {
    await run();
  } finally {
    await db.prepare(LEAVE_CRON_LEASE).bind(name, until).run();
  }
  return true;
}

/**
 * Does something unless it was begun within the period: then the row is a date, and nobody lets go of it. A run that dies
 * is made up for by the next one.
 *
 * @returns whether it was done
 */
export async function everySoOften(
  db: D1Database,
  name: string,
  clock: Clock,
  period: Millis,
  run: () => Promise<void>,
): Promise<boolean> {
  const now = clock();
  const taken = await db
    .prepare(TAKE_CRON_LEASE)
    .bind(name, now, now + period)
    .first();
  if (taken === null) return false;
  await run();
  return true;
}
