import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { decideJob, jobDueAt, jobExpiry } from "./jobs.ts";
import { ago, gist, HOUR, OFF, SECOND, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("jobs");

const finish = (type: string, lastTransitionTime: string | undefined, status = "True") => ({
  type,
  status,
  ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
});

function job(ttl: unknown, conditions: object[], metadata = {}): KubeObject {
  const spec = ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl };
  return stored("jobs.batch", "j", { metadata, spec, status: { conditions } });
}

const COMPLETE = finish("Complete", ago(0));

describe("the time a finished Job has left", () => {
  test.each<[string, KubeObject, left: number | "never" | "unreadable"]>([
    ["#34 not finished", job(100, []), "never"],
    ["#35 no TTL", job(undefined, [COMPLETE]), "never"],
    ["#35 a null TTL", job(null, [COMPLETE]), "never"],
    ["#36 TTL 0", job(0, [COMPLETE]), 0],
    ["#37 TTL 10, complete now", job(10, [COMPLETE]), 10],
    ["#38 TTL 15, complete 10 s ago", job(15, [finish("Complete", ago(10 * SECOND))]), 5],
    ["#39 failed, no TTL", job(undefined, [finish("Failed", ago(0))]), "never"],
    ["#39 failed, TTL 0", job(0, [finish("Failed", ago(0))]), 0],
    ["#39 failed, TTL 10", job(10, [finish("Failed", ago(0))]), 10],
    ["#39 failed 10 s ago, TTL 15", job(15, [finish("Failed", ago(10 * SECOND))]), 5],
    ["#40 without the time of the condition", job(5, [finish("Complete", undefined)]), "unreadable"],
    ["#41 the condition is False", job(0, [finish("Complete", ago(HOUR), "False")]), "never"],
    ["#42 the first condition decides", job(60, [finish("Failed", ago(100 * SECOND)), COMPLETE]), -40],
    ["another condition does not finish it", job(0, [finish("SuccessCriteriaMet", ago(0))]), "never"],
    ["#47 on its way already", job(0, [COMPLETE], { deletionTimestamp: ago(0) }), "never"],
    ["#48 finished by a clock that is ahead", job(10, [finish("Complete", ago(-30 * SECOND))]), 40],
    ["a TTL that is no number", job("10", [COMPLETE]), "unreadable"],
    ["a negative TTL", job(-1, [COMPLETE]), "unreadable"],
    ["a TTL beyond 32 bits", job(1e300, [COMPLETE]), "unreadable"],
  ])("%s: %s", (_, object, left) => {
    const expiry = jobExpiry(object);
    expect(expiry.state === "expires" ? (expiry.at - T0) / SECOND : expiry.state).toBe(left);
  });
});

describe("a Job", () => {
  test("#45 that has expired is deleted once, dependents first, by its uid alone, without an Event", () => {
    expect(decideJob(job(10, [finish("Complete", ago(10 * SECOND))]), settings, T0)).toEqual({
      act: "delete",
      deletion: {
        rule: "job-ttl",
        reason: "finished, and its ttlSecondsAfterFinished is over",
        options: { dryRun: false, uid: "uid-j", propagationPolicy: "Foreground" },
        events: [],
      },
    });
  });

  test.each<[string, KubeObject, string]>([
    ["#43 whose TTL was lengthened", job(3600, [finish("Complete", ago(10 * SECOND))]), "keep until 3590000"],
    ["#44 that is another one, unfinished", job(10, [], { uid: "another" }), "keep"],
    ["#46 that is still there is deleted again", job(0, [COMPLETE]), "delete:job-ttl"],
    ["#40 whose end is not known", job(5, [finish("Complete", undefined)]), "skip"],
    [
      "#48 that finished later than now",
      job(10, [finish("Complete", ago(-30 * SECOND))]),
      "keep until 40000",
    ],
  ])("%s: %s", (_, object, decision) => {
    expect(gist(decideJob(object, settings, T0))).toBe(decision);
  });

  test("is left alone when the sweep is off", () => {
    const expired = job(0, [COMPLETE]);
    expect(jobDueAt(expired, settingsOf("jobs", OFF))).toBeNull();
    expect(gist(decideJob(expired, settingsOf("jobs", OFF), T0))).toBe("keep");
  });
});

test("no Job goes before its moment, and each goes at it", () => {
  const seconds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: -1e6, max: 1e6 }), (ttl, finished) => {
      const object = job(ttl, [finish("Complete", ago(finished * SECOND))]);
      const due = jobDueAt(object, settings) ?? Number.NaN;
      expect(decideJob(object, settings, due - 1)).toMatchObject({ act: "keep", next: due });
      expect(decideJob(object, settings, due).act).toBe("delete");
    }),
  );
});
