import type { Millis } from "../../objects/object.ts";

/** A node that was not heard from for so long was away. */
export const AWAY: Millis = 900_000;
/** A timer is not exact: what is due this much later counts as due now, so that no turn is missed by a moment. */
const EARLY: Millis = 10_000;

/** Whether what happens every so often is due again. */
export const isDue = (lookedAt: Millis | null, period: Millis, now: Millis): boolean =>
  lookedAt === null || now < lookedAt || now - lookedAt >= period - Math.min(EARLY, period / 10);
