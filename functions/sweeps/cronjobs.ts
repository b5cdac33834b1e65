import type { JsonObject } from "../objects/json.ts";
import type { KubeObject, Millis, Uid } from "../objects/object.ts";
import { type Deleted, type EventNote, referenceTo, remove } from "./decision.ts";
import { finishedJob } from "./jobs.ts";
import {
  controllerKind,
  controllerOf,
  dueNow,
  isTerminating,
  membersOf,
  momentOf,
  specOf,
  statusOf,
  textOf,
  withStatus,
} from "./object-fields.ts";
import type { SweepSwitch } from "./settings.ts";

/**
 * History is counted by CronJob: what is due is a CronJob that was written, since its limits may have, or a Job of one
 * that has finished. Read for it: the CronJob by the controller reference, and its dependents by `owner_refs`.
 */
export function cronJobDueAt(object: KubeObject, settings: SweepSwitch): Millis | null {
  if (!settings.enabled) return null;
  if (object.kind === "CronJob") return hasLimit(object) ? dueNow(object) : null;
  const counts = controllerKind(object) === "CronJob.batch" && finishedJob(object) && !isTerminating(object);
  return counts ? dueNow(object) : null;
}

const LIMITS = { Complete: "successfulJobsHistoryLimit", Failed: "failedJobsHistoryLimit" } as const;

const hasLimit = (cronJob: KubeObject) =>
  Object.values(LIMITS).some((limit) => typeof specOf(cronJob)[limit] === "number");

/**
 * The Jobs beyond a CronJob's history limits: for each outcome the earliest started, a Job without a start time last.
 * Also for a CronJob that is suspended or being deleted. A limit that is absent, or not a count, is no limit.
 *
 * @param jobs all Jobs of the namespace that may be its own; others are left out
 *
 * Source: kubernetes `controller/cronjob` (cleanupFinishedJobs, byJobStartTime).
 */
export function decideJobHistory(
  cronJob: KubeObject,
  jobs: readonly KubeObject[],
  settings: SweepSwitch,
): { job: KubeObject; decision: Deleted }[] {
  if (!settings.enabled) return [];
  const own = jobs.filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid && !isTerminating(job));
  return (["Complete", "Failed"] as const).flatMap((outcome) => {
    const limit = specOf(cronJob)[LIMITS[outcome]];
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 0) return [];
    const finished = own.filter((job) => finishedJob(job)?.outcome === outcome).sort(byStart);
    return finished.slice(0, Math.max(0, finished.length - limit)).map((job) => ({
      job,
      decision: remove(job, "job-history", `beyond the ${LIMITS[outcome]} of ${limit}`, {
        options: { propagationPolicy: "Background" },
        events: historyEvents(cronJob, job),
      }),
    }));
  });
}

function byStart(a: KubeObject, b: KubeObject): number {
  const start = (job: KubeObject) => momentOf(statusOf(job).startTime) ?? Number.POSITIVE_INFINITY;
  const [startA, startB] = [start(a), start(b)];
  if (startA !== startB) return startA < startB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function historyEvents(cronJob: KubeObject, job: KubeObject): EventNote[] {
  const event = { component: "cronjob-controller", about: referenceTo(cronJob) };
  return [
    {
      ...event,
      when: "done",
      type: "Normal",
      reason: "SuccessfulDelete",
      message: `Deleted job ${job.metadata.name}`,
    },
    { ...event, when: "failed", type: "Warning", reason: "FailedDelete", message: "Deleted job: " },
  ];
}

/**
 * The CronJob without the Jobs that were deleted in `status.active`; undefined when none was listed there and no status
 * needs to be written.
 */
export function withoutActiveJobs(cronJob: KubeObject, deleted: ReadonlySet<Uid>): KubeObject | undefined {
  const active: JsonObject[] = membersOf(statusOf(cronJob).active);
  const left = active.filter(({ uid }) => !deleted.has(textOf(uid) as Uid));
  return left.length === active.length ? undefined : withStatus(cronJob, { active: left });
}
