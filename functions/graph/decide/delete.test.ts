import { describe, expect, it, test } from "vitest";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { timestamp } from "../../objects/object.ts";
import { deletion, EARLIER, kindOf, NOW, outcome, stored } from "./decide.fixture.ts";
import { decideDelete } from "./delete.ts";

const configMap = kindOf("configmaps");
const pod = kindOf("pods");
const now = timestamp(NOW);
const later = (seconds: number) => timestamp(NOW + seconds * 1000);

type Options = Partial<DeleteOptions>;

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
