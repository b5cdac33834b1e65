import { describe, expect, test } from "vitest";
import type { KubeObject, Uid } from "../objects/object.ts";
import { cronJobDueAt, decideJobHistory, withoutActiveJobs } from "./cronjobs.ts";
import { ago, controlledBy, HOUR, OFF, settingsOf, stored } from "./sweeps.fixture.ts";

const settings = settingsOf("cronjobs");

function cronJob(successful: number | null, failed: number | null, active: string[] = []): KubeObject {
  return stored("cronjobs.batch", "cron", {
    spec: {
      ...(successful === null ? {} : { successfulJobsHistoryLimit: successful }),
      ...(failed === null ? {} : { failedJobsHistoryLimit: failed }),
    },
    status: { active: active.map((name) => ({ kind: "Job", name, uid: `uid-${name}` })) },
  });
}

/** `S04`: started at 04:00 and succeeded; `F`: failed; `A`: still runs; `S--`: no start time. */
function job(code: string, name = code.slice(1), owner = cronJob(null, null)): KubeObject {
  const type = { S: "Complete", F: "Failed" }[code.charAt(0)];
  const hour = code.slice(1, 3);
  return stored("jobs.batch", name, {
    metadata: controlledBy(owner),
    status: {
      ...(hour === "--" ? {} : { startTime: `2026-11-20T${hour}:00:00Z` }),
      conditions: type === undefined ? [] : [{ type, status: "True", lastTransitionTime: ago(HOUR) }],
    },
  });
}

const jobs = (codes: string) => codes.split(" ").map((code) => job(code));
const namesOf = (decided: ReturnType<typeof decideJobHistory>) =>
  decided.map(({ job: { metadata } }) => metadata.name).sort();

describe("the Jobs beyond a CronJob's history", () => {
  test.each<[string, string, s: number | null, f: number | null, gone: string[]]>([
    ["#62 #63", "S04 S05 S06 S07 A08 F09", 2, 1, ["04", "05"]],
    ["#64", "F04 F05 S06 S07 F08 F09", 2, 2, ["04", "05"]],
    ["#65 nothing successful is kept", "S04 F05 S06 S07 A08 F09", 0, 1, ["04", "05", "06", "07"]],
    ["#66 nothing failed is kept", "S04 F05 S06 S07 A08 F09", 3, 0, ["05", "09"]],
    ["#67", "S04 F05 S06 S07 F08 F09", 3, 3, []],
    ["#68 no limits", "S04 F05 S06 S07 F08 F09", null, null, []],
    ["#69 one limit", "S04 F05 S06 S07 F08 F09", null, 3, []],
    ["#69 the other", "S04 F05 S06 S07 F08 F09", 3, null, []],
    ["#70 what runs does not count", "A04 A05 A06 A07 A08 A09", 0, 0, []],
    ["#71 without a start time is the newest", "S-- S04 S05", 1, null, ["04", "05"]],
  ])("%s: of %s with %s and %s", (_, codes, successful, failed, gone) => {
    expect(namesOf(decideJobHistory(cronJob(successful, failed), jobs(codes), settings))).toEqual(gone);
  });

  test("#72 by name when they started together", () => {
    const both = [job("S04", "j-b"), job("S04", "j-a")];
    expect(namesOf(decideJobHistory(cronJob(1, null), both, settings))).toEqual(["j-a"]);
  });

  test("#73 go in the background, each with the Events that tell how it went", () => {
    const decided = decideJobHistory(cronJob(1, null), jobs("S04 S05 S06"), settings);
    expect(namesOf(decided)).toEqual(["04", "05"]);
    const about = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      namespace: "team",
      name: "cron",
      uid: "uid-cron",
      resourceVersion: "7",
    };
    const component = "cronjob-controller";
    expect(decided[0]?.decision.deletion).toEqual({
      rule: "job-history",
      reason: "beyond the successfulJobsHistoryLimit of 1",
      options: { dryRun: false, uid: "uid-04", propagationPolicy: "Background" },
      events: [
        {
          when: "done",
          type: "Normal",
          reason: "SuccessfulDelete",
          message: "Deleted job 04",
          component,
          about,
        },
        {
          when: "failed",
          type: "Warning",
          reason: "FailedDelete",
          message: "Deleted job: ",
          component,
          about,
        },
      ],
    });
  });

  test("of another CronJob stay, of its own name too", () => {
    const namesake = { ...cronJob(0, 0), metadata: { ...cronJob(0, 0).metadata, uid: "another" } };
    expect(decideJobHistory(namesake, jobs("S04 F05"), settings)).toEqual([]);
  });

  test("that it owns and does not control stay", () => {
    const owned = job("S04");
    const ownerReferences = owned.metadata.ownerReferences?.map(({ controller: _, ...rest }) => rest) ?? [];
    const jobOnly = { ...owned, metadata: { ...owned.metadata, ownerReferences } };
    expect(decideJobHistory(cronJob(0, 0), [jobOnly], settings)).toEqual([]);
    expect(cronJobDueAt(jobOnly, settings)).toBeNull();
  });

  test("go also when it is suspended or being deleted, and not when the sweep is off", () => {
    const base = cronJob(0, 0);
    const suspended = { ...base, spec: { successfulJobsHistoryLimit: 0, suspend: true } };
    const deleting = { ...base, metadata: { ...base.metadata, deletionTimestamp: ago(0) } };
    expect(namesOf(decideJobHistory(suspended, jobs("S04"), settings))).toEqual(["04"]);
    expect(namesOf(decideJobHistory(deleting, jobs("S04"), settings))).toEqual(["04"]);
    expect(decideJobHistory(base, jobs("S04"), settingsOf("cronjobs", OFF))).toEqual([]);
  });
});

describe("the list of active Jobs", () => {
  const after = (active: string[], deleted: string[]) => {
    const next = withoutActiveJobs(
      cronJob(2, 1, active),
      new Set(deleted.map((name) => `uid-${name}` as Uid)),
    );
    const status = next?.status as { active: { name: string }[] } | undefined;
    return status?.active.map(({ name }) => name);
  };

  test.each([
    ["#62 is not written when none of the deleted was on it", ["08"], ["04", "05"], undefined],
    ["#63 loses the deleted", ["05", "06", "07", "08", "09"], ["04", "05"], ["06", "07", "08", "09"]],
    ["#68 is not written when nothing was deleted", ["08"], [], undefined],
    ["may become empty", ["05"], ["05"], []],
  ])("%s", (_, active, deleted, left) => {
    expect(after(active, deleted)).toEqual(left);
  });
});

describe("history is looked at", () => {
  test.each<[string, KubeObject, boolean]>([
    ["when a CronJob with a limit was written", cronJob(3, null), true],
    ["not for one without", cronJob(null, null), false],
    ["when a Job of a CronJob has finished", job("S04"), true],
    ["not while it runs", job("A04"), false],
    [
      "not for a Job of its own",
      { ...job("S04"), metadata: { ...job("S04").metadata, ownerReferences: [] } },
      false,
    ],
  ])("%s", (_, object, isDue) => {
    expect(cronJobDueAt(object, settings) !== null).toBe(isDue);
    expect(cronJobDueAt(object, settingsOf("cronjobs", OFF))).toBeNull();
  });
});
