import { describe, expect, it, test } from "vitest";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { timestamp } from "../../objects/object.ts";
import { deletion, kindOf, NOW, outcome, stored, told } from "./decide.fixture.ts";

const pod = kindOf("pods");
const now = timestamp(NOW);
const later = (seconds: number) => timestamp(NOW + seconds * 1000);

type Options = Partial<DeleteOptions>;

describe("a DELETE of a Pod", () => {
  const running = {
    spec: { nodeName: "n1", terminationGracePeriodSeconds: 30 },
    status: { phase: "Running" },
  };
  const terminating = (grace: number, finalizers: string[] = []) =>
    stored(pod, {
      ...running,
      metadata: {
        deletionTimestamp: later(grace),
        deletionGracePeriodSeconds: grace,
        ...(finalizers.length > 0 ? { finalizers } : {}),
      },
    });

  test.each<[string, Options, number]>([
    ["#73 gives it the time of its spec", {}, 30],
    ["#74 gives it the time that is asked for", { gracePeriodSeconds: 24 }, 24],
    ["#83 reads a negative time as one second", { gracePeriodSeconds: -1 }, 1],
  ])("%s", (_, options, grace) => {
    expect(outcome(deletion(stored(pod, running), options, pod))).toEqual({
      deletionTimestamp: later(grace),
      deletionGracePeriodSeconds: grace,
    });
  });

  it("raises the generation with the mark", () => {
    const object = stored(pod, { ...running, metadata: { generation: 1 } });
    expect(outcome(deletion(object, {}, pod))).toMatchObject({ generation: 2 });
  });

  it("sets the policy's finalizer in the same write", () => {
    expect(outcome(deletion(stored(pod, running), { propagationPolicy: "Foreground" }, pod))).toMatchObject({
      deletionGracePeriodSeconds: 30,
      finalizers: ["foregroundDeletion"],
    });
  });

  test.each<[string, Options]>([
    ["#75 with more time changes nothing", { gracePeriodSeconds: 60 }],
    ["#75 with the same time changes nothing", { gracePeriodSeconds: 25 }],
    ["#76 without a time changes nothing", {}],
    ["#80 with a policy but no time ignores the policy", { propagationPolicy: "Foreground" }],
  ])("%s once it is going", (_, options) => {
    expect(outcome(deletion(terminating(25), options, pod))).toBe("pending");
  });

  it("#77 with less time moves the end forward", () => {
    expect(outcome(deletion(terminating(25), { gracePeriodSeconds: 5 }, pod))).toEqual({
      deletionTimestamp: later(5),
      deletionGracePeriodSeconds: 5,
    });
  });

  it("with less time than has passed ends now, never before", () => {
    const object = stored(pod, {
      ...running,
      metadata: { deletionTimestamp: later(5), deletionGracePeriodSeconds: 30 },
    });
    expect(outcome(deletion(object, { gracePeriodSeconds: 10 }, pod))).toEqual({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 10,
    });
  });

  it("#78 with no time left removes it, after a state with grace 0", () => {
    const decision = deletion(terminating(25), { gracePeriodSeconds: 0 }, pod);
    expect(decision.outcome === "remove" && decision.first && told(decision.first)).toEqual({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
    });
  });

  test.each<[string, object]>([
    ["unscheduled", { spec: { terminationGracePeriodSeconds: 30 }, status: { phase: "Pending" } }],
    ["that succeeded", { ...running, status: { phase: "Succeeded" } }],
    ["that failed", { ...running, status: { phase: "Failed" } }],
  ])("#79 %s removes it at once, whatever time is asked for", (_, fields) => {
    for (const options of [{}, { gracePeriodSeconds: 60 }]) {
      const decision = deletion(stored(pod, { ...fields }), options, pod);
      expect(decision.outcome === "remove" && decision.first && told(decision.first)).toEqual({
        deletionTimestamp: now,
        deletionGracePeriodSeconds: 0,
      });
    }
  });

  it("#81 with no time but a finalizer keeps it with grace 0, and the next one removes it without", () => {
    const held = stored(pod, { ...running, metadata: { finalizers: ["x/a"] } });
    expect(outcome(deletion(held, { gracePeriodSeconds: 0 }, pod))).toEqual({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      finalizers: ["x/a"],
    });
    expect(outcome(deletion(terminating(0), {}, pod))).toBe("gone");
  });

  it("#82 whose finalizers went during its time is removed by one with no time", () => {
    expect(outcome(deletion(terminating(30), {}, pod))).toBe("pending");
    expect(outcome(deletion(terminating(30), { gracePeriodSeconds: 0 }, pod))).toBe("gone");
  });
});
