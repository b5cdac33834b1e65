import { imageKey } from "../images/image-record.ts";
import { type KeptBecause, verdicts } from "../images/verdict.ts";
import type { ImageRun, ImageRunOutcome } from "../record/node-record.ts";
import type { ImageLook } from "./image-run.ts";
import type { IssuedPlan, RemovalReason } from "./plan.ts";
import type { Settled } from "./settle-plan.ts";

/**
 * Collections of images as counters of a node, in the words of KEP-6053, "Kubelet Image Garbage Collection Observability"
 * (kubernetes/enhancements#6053): operation, trigger, result and reason of each attempt.
 */
export interface ImageRunCounts {
  readonly attempts: readonly AttemptCount[];
  /** Bytes that attempts were to free. */
  readonly targets: readonly { readonly operation: Operation; readonly bytes: Spread }[];
  readonly skipped: readonly {
    readonly operation: Operation;
    readonly reason: SkipReason;
    readonly count: number;
  }[];
  /** Removals that failed. Those that did not are in `removedImages`. */
  readonly failed: Readonly<Partial<Record<RemovalReason, number>>>;
  /** How full the file system was when it was last looked at whether space is needed. */
  readonly usedPercent: number | null;
}

/** Attempts that ended alike. */
export interface AttemptCount {
  readonly operation: Operation;
  readonly result: RunResult;
  readonly reason: RunReason;
  readonly seconds: Spread;
  readonly freed: Spread;
}

/** What fell between bounds, the last being beyond them all. */
export interface Spread {
  readonly counts: readonly number[];
  readonly sum: number;
}

/** The periodic collection, and the one that the eviction manager asks for under disk pressure. */
export type Operation = "garbage_collect" | "delete_unused_images";
export type RunResult = "success" | "error" | "partial" | "noop";
export type SkipReason = "in_use" | "min_age" | "pinned" | "other";
export type RunReason =
  | "threshold"
  | "age"
  | "all_unused"
  | "stats_error"
  | "invalid_capacity"
  | "delete_error"
  | "insufficient_freed"
  | "detect_error";

/** Few, since each is a line for each node. A collection waits for reports, so that it takes seconds to minutes. */
export const SECONDS_BOUNDS: readonly number[] = [1, 10, 60, 300];
export const BYTES_BOUNDS: readonly number[] = [1e8, 1e9, 1e10, 1e11];

/** A collection that has ended. */
export interface EndedRun {
  readonly phase: RemovalReason;
  readonly seconds: number;
  readonly reason: RunReason;
  readonly freed: number;
  readonly removed: number;
  /** Undefined when there was nothing to free. */
  readonly target: number | undefined;
  readonly usedPercent: number | undefined;
  /** Images that it looked at and that had to stay. */
  readonly skipped: readonly SkipReason[];
}

export function endedRun(
  { run, reason, outcome }: { run: ImageRun; reason: RunReason; outcome: ImageRunOutcome },
  { records, settings, now }: ImageLook,
): EndedRun {
  const { phase, wanted, freed, aged, beganAt, usedPercent } = run;
  const pressed = phase === "pressure";
  const left = run.failed.reduce((sum, { key }) => sum + (records.get(key)?.size ?? 0), 0);
  const chose = pressed || wanted !== undefined || settings.maximumAge > 0;
  return {
    phase,
    seconds: Math.max(0, outcome.endedAt - beganAt) / 1000,
    reason,
    freed: freed + (aged?.freed ?? 0),
    removed: run.removed + (aged?.removed ?? 0),
    // Under pressure all goes that may: what went, and what could not be removed.
    target: pressed ? freed + left : wanted === undefined ? undefined : Math.max(0, wanted),
    usedPercent,
    skipped: chose
      ? [...verdicts(records, settings, now).values()].flatMap((said) =>
          said.state === "kept" ? [SKIPPED[said.because] ?? "other"] : [],
        )
      : [],
  };
}

/** A collection that could not begin, or go on. */
export const undetected = (phase: RemovalReason, seconds: number): EndedRun => ({
  phase,
  seconds,
  reason: "detect_error",
  freed: 0,
  removed: 0,
  target: undefined,
  usedPercent: undefined,
  skipped: [],
});

const SKIPPED: Readonly<Partial<Record<KeptBecause, SkipReason>>> = {
  "in-use": "in_use",
  pinned: "pinned",
  "too-young": "min_age",
};

/** The counters after a report: the collections that it ended, and the removals of the latest plan that failed. */
export function countRuns(
  counts: ImageRunCounts,
  ended: readonly EndedRun[],
  settled: Settled,
  plan: IssuedPlan | null,
): ImageRunCounts {
  const after = ended.reduce(countRun, counts);
  const keys = new Set(settled.failed.filter(({ message }) => message !== "").map(({ key }) => key));
  if (keys.size === 0) return after;
  const failed = { ...after.failed };
  for (const step of plan?.steps ?? []) {
    if (step.verb !== "rmi" || !keys.has(imageKey(step.id, step.handler))) continue;
    failed[step.reason] = (failed[step.reason] ?? 0) + 1;
  }
  return { ...after, failed };
}

function countRun(counts: ImageRunCounts, run: EndedRun): ImageRunCounts {
  const operation = run.phase === "pressure" ? "delete_unused_images" : "garbage_collect";
  const { reason, target } = run;
  const result = resultOf(run);
  const attempt = counts.attempts.find(
    (each) => each.operation === operation && each.result === result && each.reason === reason,
  );
  const known = counts.targets.find((each) => each.operation === operation);
  const reasons = new Set(run.skipped);
  return {
    ...counts,
    attempts: [
      ...counts.attempts.filter((each) => each !== attempt),
      {
        operation,
        result,
        reason,
        seconds: spread(attempt?.seconds, SECONDS_BOUNDS, run.seconds),
        freed: spread(attempt?.freed, BYTES_BOUNDS, run.freed),
      },
    ],
    targets:
      target === undefined
        ? counts.targets
        : [
            ...counts.targets.filter((each) => each !== known),
            { operation, bytes: spread(known?.bytes, BYTES_BOUNDS, target) },
          ],
    skipped: [
      ...counts.skipped.filter((each) => each.operation !== operation || !reasons.has(each.reason)),
      ...[...reasons].map((skip) => ({
        operation: operation as Operation,
        reason: skip,
        count:
          run.skipped.filter((each) => each === skip).length +
          (counts.skipped.find((each) => each.operation === operation && each.reason === skip)?.count ?? 0),
      })),
    ],
    usedPercent: run.usedPercent ?? counts.usedPercent,
  };
}

function resultOf({ reason, removed }: EndedRun): RunResult {
  switch (reason) {
    case "stats_error":
    case "invalid_capacity":
    case "delete_error":
    case "detect_error":
      return "error";
    case "insufficient_freed":
      return removed > 0 ? "partial" : "noop";
    case "threshold":
    case "age":
    case "all_unused":
      return removed > 0 ? "success" : "noop";
  }
}

function spread(before: Spread | undefined, bounds: readonly number[], value: number): Spread {
  const { counts, sum } = before ?? { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
  const above = bounds.findIndex((bound) => value <= bound);
  const place = above === -1 ? bounds.length : above;
  return { counts: counts.map((count, i) => (i === place ? count + 1 : count)), sum: sum + value };
}
