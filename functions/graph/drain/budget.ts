import { needsBody, type Target } from "./plan-deletions.ts";

/** The most objects one slice examines. */
export const SLICE_OBJECTS = 2000;
/** The most bytes of bodies one slice looks into; they are written again, and a D1 parameter is capped at 2 MB. */
export const SLICE_BYTES = 1_000_000;

/** The most bytes of bodies that one slice has the database change or, of large ones, look into. */
export const LARGE_BYTES = 4_000_000;

/** How many of the targets, from the first, fit into one slice. One always does. */
export function fitting(targets: readonly (Target | undefined)[]): number {
  let bytes = 0;
  let released = 0;
  for (const [i, target] of targets.entries()) {
    if (target && needsBody(target)) bytes += target.size;
    else if (target?.action.act === "release") released += target.size;
    if ((bytes > SLICE_BYTES || released > LARGE_BYTES) && i > 0) return i;
  }
  return targets.length;
}
