import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep, remove, skip } from "./decision.ts";
import {
  conditionsOf,
  dueNow,
  isAbsent,
  isTerminating,
  momentOf,
  secondsOf,
  specOf,
} from "./object-fields.ts";
import type { SweepSwitch } from "./settings.ts";

/** When a Job's `ttlSecondsAfterFinished` runs out. */
export type JobExpiry =
  | { state: "expires"; at: Millis }
  | { state: "never"; reason: string }
  | { state: "unreadable"; problem: string };

export interface FinishedJob {
  outcome: "Complete" | "Failed";
  /** Null when the condition has no time that can be read. */
  at: Millis | null;
}

/**
 * The first condition of type Complete or Failed that is True decides; `completionTime` and the counters do not.
 *
 * Source: kubernetes `controller/job` (IsJobFinished).
 */
export function finishedJob(job: KubeObject): FinishedJob | undefined {
  for (const { type, status, lastTransitionTime } of conditionsOf(job)) {
    if ((type === "Complete" || type === "Failed") && status === "True") {
      return { outcome: type, at: momentOf(lastTransitionTime) };
    }
  }
  return undefined;
}

/** Source: kubernetes `controller/ttlafterfinished` (timeLeft, getFinishAndExpireTime), KEP-592. */
export function jobExpiry(job: KubeObject): JobExpiry {
  const { ttlSecondsAfterFinished } = specOf(job);
  const finished = finishedJob(job);
  if (isTerminating(job)) return { state: "never", reason: "is being deleted" };
  if (isAbsent(ttlSecondsAfterFinished)) return { state: "never", reason: "has no ttlSecondsAfterFinished" };
  if (finished === undefined) return { state: "never", reason: "has not finished" };
  const ttl = secondsOf(ttlSecondsAfterFinished);
  if (ttl === null) {
    const shown = JSON.stringify(ttlSecondsAfterFinished);
    return {
      state: "unreadable",
      problem: `spec.ttlSecondsAfterFinished is not a number of seconds: ${shown}`,
    };
  }
  if (finished.at === null) {
    return {
      state: "unreadable",
      problem: `the time of condition ${finished.outcome} is missing, so when it finished is not known`,
    };
  }
  return { state: "expires", at: finished.at + ttl * 1000 };
}

export function jobDueAt(job: KubeObject, settings: SweepSwitch): Millis | null {
  if (!settings.enabled) return null;
  const expiry = jobExpiry(job);
  switch (expiry.state) {
    case "expires":
      return expiry.at;
    case "never":
      return null;
    case "unreadable":
      return dueNow(job);
  }
}

/**
 * Deletes a finished Job, its dependents first, from the moment its TTL is over. A Job that finished later than now, by
 * a clock that is ahead, waits as long as it says. Upstream emits no event.
 */
export function decideJob(job: KubeObject, settings: SweepSwitch, now: Millis): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  const expiry = jobExpiry(job);
  if (expiry.state === "never") return keep(expiry.reason);
  if (expiry.state === "unreadable") return skip(expiry.problem);
  if (now < expiry.at) return keep("its time to live is not over", expiry.at);
  return remove(job, "job-ttl", "finished, and its ttlSecondsAfterFinished is over", {
    options: { propagationPolicy: "Foreground" },
  });
}
