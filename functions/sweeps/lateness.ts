import type { Millis } from "../objects/object.ts";

/**
 * Upper bounds, in seconds, of the buckets in which it is counted how late finished Jobs went.
 *
 * Source: kubernetes `controller/ttlafterfinished/metrics`, fourteen buckets from 0.1 s, doubling.
 */
export const LATENESS_BOUNDS: readonly number[] = Array.from({ length: 14 }, (_, i) => 2 ** i / 10);

/** What is added to the counters, by label, for a Job that went so late: its bucket, and the sum in ms. */
export function countLateness(late: Millis): [label: string, more: number][] {
  const seconds = Math.max(0, late) / 1000;
  const bound = LATENESS_BOUNDS.find((bound) => seconds <= bound);
  return [
    [String(bound ?? "+Inf"), 1],
    ["sum", Math.max(0, late)],
  ];
}

/** What was counted, bucket by bucket, the last one without a bound; and the sum in seconds. */
export function latenessOf(counted: ReadonlyMap<string, number>): { counts: number[]; sum: number } {
  const counts = [...LATENESS_BOUNDS, "+Inf"].map((bound) => counted.get(String(bound)) ?? 0);
  return { counts, sum: (counted.get("sum") ?? 0) / 1000 };
}
