import { describe, expect, it, test } from "vitest";
import type { Kind } from "../../objects/kind.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import type { KubeObject } from "../../objects/object.ts";
import { timestamp } from "../../objects/object.ts";
import { EARLIER, kindOf, NOW, phaseOf, stored, told } from "./decide.fixture.ts";
import { type DeleteDecision, decideDelete } from "./delete.ts";

const configMap = kindOf("configmaps");
const pod = kindOf("pods");
const namespace = kindOf("namespaces");
const now = timestamp(NOW);
const later = (seconds: number) => timestamp(NOW + seconds * 1000);

type Options = Partial<DeleteOptions>;

function deletion(object: KubeObject, options: Options = {}, kind: Kind = configMap): DeleteDecision {
  const decided = decideDelete(
    object,
    { dryRun: false, ...options },
    {
      kind,
      version: kind.versions[0] ?? "v1",
      now: NOW,
    },
  );
  if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
  return decided.value;
}

/** What it comes to: `gone`, `pending`, or what the metadata then says. */
function outcome(decision: DeleteDecision) {
  switch (decision.outcome) {
    case "remove":
      return "gone";
    case "pending":
      return "pending";
    case "keep":
      return told(decision.next);
  }
}

describe("a DELETE of an ordinary object", () => {
  const O = "orphan";
  const F = "foregroundDeletion";
  const X = "example.com/x";

  it("#43 in the foreground marks it and waits", () => {
    expect(outcome(deletion(stored(configMap), { propagationPolicy: "Foreground" }))).toEqual({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      finalizers: [F],
    });
  });

  test.each([
    ["", "core"],
    ["apps", "replicasets.apps"],
  ])("#45 with another uid is refused before anything else (group %s)", (group, store) => {
    const kind = kindOf(store === "core" ? "configmaps" : store);
    const refused = decideDelete(
      stored(kind),
      { uid: "other", resourceVersion: "6", dryRun: false },
      { kind, version: "v1", now: NOW },
    );
    const subject = group === "" ? "ConfigMap" : "ReplicaSet.apps";
    expect(refused).toEqual({
      ok: false,
      failure: {
        reason: "Conflict",
        subject,
        name: "x",
        message: `Operation cannot be fulfilled on ${subject} "x": the UID in the precondition (other) does not match the UID in record (uid-x). The object might have been deleted and then recreated`,
      },
    });
  });

  it("#46 with its own uid goes through", () => {
    expect(outcome(deletion(stored(pod), { uid: "uid-x" }, pod))).toBe("gone");
  });

  it("#47 with another resourceVersion is refused, with its own it goes through", () => {
    const refused = decideDelete(
      stored(pod),
      { resourceVersion: "6", dryRun: false },
      { kind: pod, version: "v1", now: NOW },
    );
    expect(refused).toMatchObject({
      ok: false,
      failure: {
        message:
          'Operation cannot be fulfilled on Pod "x": the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified',
      },
    });
    expect(outcome(deletion(stored(pod), { resourceVersion: "7", gracePeriodSeconds: 0 }, pod))).toBe("gone");
  });

  it("an empty precondition never holds", () => {
    const refused = decideDelete(
      stored(configMap),
      { uid: "", dryRun: false },
      { kind: configMap, version: "v1", now: NOW },
    );
    expect(refused.ok).toBe(false);
  });

  describe("#49 removes it exactly when no finalizer is left", () => {
    const options: [string, Options][] = [
      ["nothing said", {}],
      ["orphanDependents=true", { orphanDependents: true }],
      ["orphanDependents=false", { orphanDependents: false }],
      ["Orphan", { propagationPolicy: "Orphan" }],
      ["Foreground", { propagationPolicy: "Foreground" }],
      ["Background", { propagationPolicy: "Background" }],
    ];
    const chosen: Record<string, [configMap: string, job: string]> = {
      "nothing said": ["", O],
      "orphanDependents=true": [O, O],
      "orphanDependents=false": ["", ""],
      Orphan: [O, O],
      Foreground: [F, F],
      Background: ["", ""],
    };
    const cases = options.flatMap(([option, sent]) =>
      [[], [X], [O], [F], [X, F]].flatMap((before) =>
        ["configmaps", "jobs.batch", "events"].map((store) => ({ option, sent, before, store })),
      ),
    );
    test.each(cases)("$option, $before on $store", ({ option, sent, before, store }) => {
      const kind = kindOf(store);
      const own = before.find((name) => name === O || name === F) ?? "";
      const [byDefault, orphaning] = chosen[option] ?? ["", ""];
      const byKind = store === "events" ? "" : store === "jobs.batch" ? orphaning : byDefault;
      const wanted = store !== "events" && option === "nothing said" && own !== "" ? own : byKind;
      const left = [...before.filter((name) => name === X), ...(wanted === "" ? [] : [wanted])];

      const decided = outcome(deletion(stored(kind, { metadata: { finalizers: before } }), sent, kind));
      if (left.length === 0) expect(decided).toBe("gone");
      else expect(decided).toMatchObject({ finalizers: left, deletionTimestamp: now });
    });
  });

  it("#50 puts the collector's finalizer last", () => {
    const object = stored(configMap, { metadata: { finalizers: ["foo.com/x", "bar.com/y"] } });
    expect(outcome(deletion(object, { propagationPolicy: "Orphan" }))).toMatchObject({
      finalizers: ["foo.com/x", "bar.com/y", O],
    });
  });

  it("#51 leaves the order when the set is the same", () => {
    const object = stored(configMap, { metadata: { finalizers: [O, "foo.com/x"] } });
    expect(outcome(deletion(object, { propagationPolicy: "Orphan" }))).toMatchObject({
      finalizers: [O, "foo.com/x"],
    });
  });

  test.each([
    ["#52", "replicationcontrollers"],
    ["#54", "jobs.batch"],
  ])("%s without options orphans: %s", (_, store) => {
    const kind = kindOf(store);
    expect(outcome(deletion(stored(kind), {}, kind))).toMatchObject({ finalizers: [O] });
  });

  it("#53 #57 without options removes a ReplicaSet at once, without a state in between", () => {
    const kind = kindOf("replicasets.apps");
    expect(deletion(stored(kind), {}, kind)).toEqual({ outcome: "remove", first: undefined });
  });

  it("#55 strips an Event of the collector's finalizers and removes it", () => {
    const kind = kindOf("events");
    const event = stored(kind, { metadata: { finalizers: [O] } });
    expect(outcome(deletion(event, { propagationPolicy: "Orphan" }, kind))).toBe("gone");
  });

  it("#56 without options keeps to a finalizer that was set by hand", () => {
    expect(outcome(deletion(stored(configMap, { metadata: { finalizers: [F] } })))).toEqual({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      finalizers: [F],
    });
  });

  it("#58 #61 marks one with a finalizer and raises its generation", () => {
    const object = stored(configMap, { metadata: { finalizers: [X], generation: 3 } });
    expect(outcome(deletion(object))).toEqual({
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      finalizers: [X],
      generation: 4,
    });
  });

  it("#58 does not give a generation to one that has none", () => {
    const object = stored(configMap, { metadata: { finalizers: [X] } });
    expect(outcome(deletion(object))).not.toHaveProperty("generation");
  });
});

describe("a second DELETE of an ordinary object", () => {
  const terminating = (finalizers: string[], more = {}) =>
    stored(configMap, {
      metadata: { finalizers, deletionTimestamp: EARLIER, deletionGracePeriodSeconds: 0, ...more },
    });

  it("#61 writes nothing", () => {
    const object = terminating(["example.com/x"], { generation: 4 });
    expect(deletion(object)).toEqual({ outcome: "keep", next: object, changed: false });
  });

  it("#64 in the foreground sets the finalizer again", () => {
    const decision = deletion(terminating(["x/lucy"]), { propagationPolicy: "Foreground" });
    expect(decision).toMatchObject({ changed: true });
    expect(outcome(decision)).toMatchObject({
      finalizers: ["x/lucy", "foregroundDeletion"],
      deletionTimestamp: EARLIER,
    });
  });

  test.each(["foregroundDeletion", "orphan"])("#65 in the background removes one held by %s", (finalizer) => {
    expect(outcome(deletion(terminating([finalizer]), { propagationPolicy: "Background" }))).toBe("gone");
  });

  test.each([
    ["#66", "orphan", "Foreground", "foregroundDeletion"],
    ["#66", "foregroundDeletion", "Orphan", "orphan"],
  ] as const)("%s swaps %s for what %s asks for", (_, before, propagationPolicy, after) => {
    const decision = deletion(terminating([before]), { propagationPolicy });
    expect(outcome(decision)).toMatchObject({ finalizers: [after], deletionTimestamp: EARLIER });
    expect(decision).toMatchObject({ changed: true });
  });

  it("of a kind that orphans by default sets the finalizer again", () => {
    const kind = kindOf("jobs.batch");
    const job = stored(kind, {
      metadata: { finalizers: ["x/a"], deletionTimestamp: EARLIER, deletionGracePeriodSeconds: 0 },
    });
    expect(outcome(deletion(job, {}, kind))).toMatchObject({ finalizers: ["x/a", "orphan"] });
  });

  it("pulls a mark that lies in the future to now", () => {
    const object = terminating(["x/a"], { deletionTimestamp: later(30) });
    expect(outcome(deletion(object))).toMatchObject({ deletionTimestamp: now });
  });

  it("still looks at the preconditions", () => {
    const refused = decideDelete(
      terminating(["x/a"]),
      { uid: "other", dryRun: false },
      { kind: configMap, version: "v1", now: NOW },
    );
    expect(refused.ok).toBe(false);
  });
});

describe("a DELETE of a Pod", () => {
  const running = { spec: { nodeName: "n1", terminationGracePeriodSeconds: 30 }, status: { phase: "Running" } };
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

describe("a DELETE of a Namespace", () => {
  const active = (finalizers: string[] = []) =>
    stored(namespace, {
      metadata: finalizers.length > 0 ? { finalizers } : {},
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });

  const options: [string, Options][] = [
    ["nothing said", {}],
    ["Background", { propagationPolicy: "Background" }],
    ["Foreground", { propagationPolicy: "Foreground" }],
    ["Orphan", { propagationPolicy: "Orphan" }],
    ["orphanDependents=true", { orphanDependents: true }],
    ["orphanDependents=false", { orphanDependents: false }],
  ];
  const after: Record<string, string | undefined> = {
    Background: "",
    Foreground: "foregroundDeletion",
    Orphan: "orphan",
    "orphanDependents=true": "orphan",
    "orphanDependents=false": "foregroundDeletion",
  };
  const cases = options.flatMap(([option, sent]) =>
    ["", "orphan", "foregroundDeletion"].map((before) => ({ option, sent, before })),
  );
  test.each(cases)("#147 marks it, $option on [$before]", ({ option, sent, before }) => {
    const decision = deletion(active(before === "" ? [] : [before]), sent, namespace);
    const wanted = after[option] ?? before;
    expect(outcome(decision)).toEqual({
      deletionTimestamp: now,
      ...(wanted === "" ? {} : { finalizers: [wanted] }),
    });
    expect(decision.outcome === "keep" && phaseOf(decision.next)).toBe("Terminating");
  });

  it("#147 marks it even when nothing has to be finalized", () => {
    expect(deletion(stored(namespace), {}, namespace).outcome).toBe("keep");
  });

  const terminating = (specFinalizers: string[], finalizers: string[] = []) =>
    stored(namespace, {
      metadata: { deletionTimestamp: EARLIER, ...(finalizers.length > 0 ? { finalizers } : {}) },
      spec: { finalizers: specFinalizers },
      status: { phase: "Terminating" },
    });

  it("#148 a second time writes nothing while its spec has finalizers, whatever the policy", () => {
    const object = terminating(["kubernetes"]);
    for (const [, sent] of options) {
      expect(deletion(object, sent, namespace)).toEqual({ outcome: "keep", next: object, changed: false });
    }
  });

  it("#149 whose spec has none left keeps it for the finalizers of its metadata", () => {
    expect(deletion(terminating([], ["x/a"]), {}, namespace).outcome).toBe("keep");
    expect(deletion(terminating([]), {}, namespace).outcome).toBe("remove");
  });
});
