import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../objects/object.ts";
import type { Decision } from "./decision.ts";
import { decideVolume, volumeDueAt } from "./persistentvolumes.ts";
import { ago, gist, OFF, SECOND, settingsOf, stored, T0 } from "./sweeps.fixture.ts";
import type { ClaimWitness, ReclaimAnswer, ReclaimFacts } from "./volume-reclaim.ts";

const DELETER = { deleter: { url: "http://deleter.example.com/", provisioners: [] as string[] } };
/** Protection is off, so that only what is asked for happens; it has its own tests. */
const bare = { storageObjectInUseProtection: false };
const settings = settingsOf("persistentvolumes", { ...bare, ...DELETER });
const noDeleter = settingsOf("persistentvolumes", bare);

const DYNAMIC = { "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path" };
const EXTERNAL = { "pv.kubernetes.io/provisioned-by": "external.io/test" };

interface VolumeIs {
  policy?: string;
  phase?: string;
  annotations?: Record<string, string>;
  metadata?: Partial<ObjectMeta>;
  claimRef?: object | null;
  message?: string;
}

const BOUND_TO = { kind: "PersistentVolumeClaim", namespace: "team", name: "c", uid: "u" };

function volume(is: VolumeIs = {}): KubeObject {
  const { policy = "Delete", phase = "Bound", annotations, metadata, claimRef = BOUND_TO, message } = is;
  return stored("persistentvolumes", "pv", {
    metadata: { ...(annotations ? { annotations } : {}), ...metadata },
    spec: { persistentVolumeReclaimPolicy: policy, ...(claimRef === null ? {} : { claimRef }) },
    status: { phase, ...(message === undefined ? {} : { message }) },
  });
}

const GONE: ClaimWitness = { found: "absent" };
const claimBoundTo = (volumeName: string, uid = "u"): ClaimWitness => ({ found: "present", uid, volumeName });
const DONE: ReclaimAnswer = { result: "done" };
const BROKEN: ReclaimAnswer = { result: "failed", message: "disk is on fire" };
const facts = (more: Partial<ReclaimFacts> = {}): ReclaimFacts => ({
  claim: GONE,
  activePods: [],
  failures: 0,
  ...more,
});

interface Course {
  steps: string[];
  events: string[];
  /** Undefined when the volume was deleted. */
  left: KubeObject | undefined;
}

/** Takes step after step until nothing more is to be done now; the deleter gives these answers, the last one for ever. */
function run(start: KubeObject, given: ReclaimFacts, answers: ReclaimAnswer[], using = settings): Course {
  const course: Course = { steps: [], events: [], left: start };
  let answer: ReclaimAnswer | undefined;
  for (let turn = 0; turn < 10 && course.left !== undefined; turn++) {
    const decision: Decision = decideVolume(
      course.left,
      { ...given, ...(answer ? { answer } : {}) },
      using,
      T0,
    );
    answer = undefined;
    const notes =
      "events" in decision ? decision.events : "deletion" in decision ? decision.deletion.events : [];
    course.events.push(...(notes ?? []).map(({ type, reason }) => `${type} ${reason}`));
    course.steps.push(gist(decision));
    if (decision.act === "ask") answer = answers.length > 1 ? answers.shift() : answers[0];
    else if (decision.act === "patch") {
      course.left = decision.patch.next;
      if (decision.next !== T0) return course;
    } else if (decision.act === "patch-then-delete" || decision.act === "delete") course.left = undefined;
    else return course;
  }
  return course;
}

const phaseOf = ({ left }: Course) =>
  left === undefined ? "gone" : (left.status as { phase?: string }).phase;

describe("a volume whose claim is gone", () => {
  const FAILED_DELETE = ["Warning VolumeFailedDelete"];
  const FAILED_RECYCLE = ["Warning VolumeFailedRecycle"];
  const recycle = (more: VolumeIs = {}) => volume({ policy: "Recycle", ...more });

  test.each<
    [string, KubeObject, ReclaimFacts, ReclaimAnswer[], using: typeof settings, string, events: string[]]
  >([
    ["#109 Delete, freed", volume(), facts(), [DONE], settings, "gone", []],
    [
      "#110 Delete, another claim has its name",
      volume(),
      facts({ claim: claimBoundTo("pv", "u2") }),
      [DONE],
      settings,
      "gone",
      [],
    ],
    ["#111 Delete, no deleter", volume(), facts(), [], noDeleter, "Failed", FAILED_DELETE],
    ["#112 Delete, the deleter fails", volume(), facts(), [BROKEN], settings, "Failed", FAILED_DELETE],
    ["#115 bound again", volume(), facts({ claim: claimBoundTo("pv") }), [], settings, "Bound", []],
    [
      "#116 somebody else's provisioner",
      volume({ annotations: EXTERNAL }),
      facts(),
      [],
      settings,
      "Released",
      [],
    ],
    [
      "#119 being deleted",
      volume({
        annotations: DYNAMIC,
        metadata: { deletionTimestamp: ago(0), finalizers: ["kubernetes.io/pv-controller"] },
      }),
      facts(),
      [DONE],
      settings,
      "gone",
      [],
    ],
    [
      "#120 migrated",
      volume({ annotations: { "pv.kubernetes.io/migrated-to": "csi.example.com" } }),
      facts(),
      [],
      settings,
      "Released",
      [],
    ],
    ["#121 Retain", volume({ policy: "Retain" }), facts(), [], settings, "Released", []],
    ["no policy is Retain", volume({ policy: "" }), facts(), [], settings, "Released", []],
    [
      "#122 Recycle",
      recycle({ annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } }),
      facts(),
      [DONE],
      settings,
      "Available",
      ["Normal VolumeRecycled"],
    ],
    [
      "#123 Recycle, named by the user",
      recycle(),
      facts(),
      [DONE],
      settings,
      "Available",
      ["Normal VolumeRecycled"],
    ],
    ["#124 Recycle, no recycler", recycle(), facts(), [], noDeleter, "Failed", FAILED_RECYCLE],
    ["#124 Recycle, the recycler fails", recycle(), facts(), [BROKEN], settings, "Failed", FAILED_RECYCLE],
    [
      "#125 Recycle, a Pod uses the claim's name",
      recycle(),
      facts({ activePods: ["p"] }),
      [],
      settings,
      "Released",
      ["Normal VolumeFailedRecycle"],
    ],
    [
      "#126 Recycle, the Pods have ended",
      recycle(),
      facts({ activePods: [] }),
      [DONE],
      settings,
      "Available",
      ["Normal VolumeRecycled"],
    ],
    [
      "#127 an unknown policy",
      volume({ policy: "Unknown" }),
      facts(),
      [],
      settings,
      "Failed",
      ["Warning VolumeUnknownReclaimPolicy"],
    ],
    [
      "nobody can say whether",
      volume(),
      facts({ claim: { found: "unknown", problem: "500" } }),
      [],
      settings,
      "Bound",
      [],
    ],
    [
      "it is being bound",
      volume({ phase: "Available" }),
      facts({ claim: claimBoundTo("") }),
      [],
      settings,
      "Available",
      [],
    ],
    [
      "the storage is in use",
      volume(),
      facts(),
      [{ result: "in-use", message: "attached to n1" }],
      settings,
      "Released",
      ["Normal VolumeDelete"],
    ],
  ])("%s", (_, start, given, answers, using, phase, events) => {
    const course = run(start, given, answers, using);
    expect(phaseOf(course)).toBe(phase);
    expect(course.events).toEqual(events);
    expect(course.steps.some((step) => step.startsWith("ask"))).toBe(answers.length > 0);
  });

  test("#109 #110 is deleted by its uid after its storage was freed", () => {
    expect(run(volume(), facts(), [DONE]).steps).toEqual([
      "patch",
      "ask:delete-volume",
      "patch-then-delete:volume-reclaimed",
    ]);
    const decision = decideVolume(volume({ phase: "Released" }), facts({ answer: DONE }), settings, T0);
    expect(decision).toMatchObject({ deletion: { options: { dryRun: false, uid: "uid-pv" } } });
  });

  test("#113 fails once, is tried again later, and goes", () => {
    const first = run(volume(), facts(), [BROKEN]);
    expect(first.events).toEqual(["Warning VolumeFailedDelete"]);
    const failed = first.left ?? volume();
    expect(run(failed, facts({ failures: 1 }), [BROKEN])).toMatchObject({
      events: [],
      steps: ["ask:delete-volume", "keep until 1000"],
    });
    expect(run(failed, facts({ failures: 1 }), [DONE])).toMatchObject({ events: [], left: undefined });
  });

  test("is tried again after half a second, twice that, and at most two minutes", () => {
    const wait = (failures: number) => {
      const decision = decideVolume(
        volume({ phase: "Released" }),
        facts({ failures, answer: BROKEN }),
        settings,
        T0,
      );
      return decision.act === "patch" ? (decision.next ?? T0) - T0 : undefined;
    };
    expect([0, 1, 2, 30].map(wait)).toEqual([500, 1000, 2000, 122 * SECOND]);
  });

  test("#117 goes when its claim took another volume and it was made for the claim", () => {
    const other = facts({ claim: claimBoundTo("pv2") });
    expect(phaseOf(run(volume({ annotations: DYNAMIC }), other, [DONE]))).toBe("gone");
    expect(phaseOf(run(volume({ annotations: EXTERNAL }), other, []))).toBe("Released");
    const byHand = run(volume(), other, []);
    expect(phaseOf(byHand)).toBe("Available");
    expect(byHand.left?.spec).toMatchObject({ claimRef: { namespace: "team", name: "c" } });
  });

  test("#118 of somebody else's provisioner goes where the deleter is told to free it", () => {
    const listed = settingsOf("persistentvolumes", {
      ...bare,
      deleter: { url: "http://d/", provisioners: ["external.io/test"] },
    });
    expect(phaseOf(run(volume({ annotations: EXTERNAL }), facts(), [DONE], listed))).toBe("gone");
  });

  test("#121 keeps the name of its claim with policy Retain", () => {
    expect(run(volume({ policy: "Retain" }), facts(), []).left?.spec).toMatchObject({ claimRef: BOUND_TO });
  });

  test("#122 #123 is free for another claim once recycled, or for the one its user named", () => {
    const byController = { "pv.kubernetes.io/bound-by-controller": "yes" };
    const free = run(volume({ policy: "Recycle", annotations: byController }), facts(), [DONE]).left;
    expect(free?.spec).not.toHaveProperty("claimRef");
    expect(free?.metadata.annotations).toEqual({});
    const named = run(volume({ policy: "Recycle" }), facts(), [DONE]).left?.spec;
    expect(named).toMatchObject({ claimRef: { name: "c" } });
    expect(named).not.toHaveProperty("claimRef.uid");
  });

  test("#128 that has failed is not Released again, and its deleter is asked", () => {
    expect(run(volume({ phase: "Failed", message: "earlier" }), facts(), [DONE]).steps).toEqual([
      "ask:delete-volume",
      "patch-then-delete:volume-reclaimed",
    ]);
  });
});

describe("the protection of a volume", () => {
  const PROTECTION = "kubernetes.io/pv-protection";
  const on = settingsOf("persistentvolumes");
  const deleting = { deletionTimestamp: ago(0), finalizers: [PROTECTION, "example.com/other"] };
  const finalizersAfter = (start: KubeObject, using = on, given = facts({ claim: claimBoundTo("pv") })) => {
    const decision = decideVolume(start, given, using, T0);
    return decision.act === "patch" ? (decision.patch.next.metadata.finalizers ?? []) : gist(decision);
  };

  test.each<[string, unknown, unknown]>([
    ["#129 is put on", finalizersAfter(volume()), [PROTECTION]],
    ["#129 is not put on when it is off", finalizersAfter(volume(), noDeleter), "keep"],
    ["#130 stays while it is bound", finalizersAfter(volume({ metadata: deleting })), "keep"],
    [
      "#131 goes when it is Available",
      finalizersAfter(volume({ metadata: deleting, phase: "Available", claimRef: null })),
      ["example.com/other"],
    ],
    [
      "#131 goes when it is Released",
      finalizersAfter(volume({ metadata: deleting, phase: "Released", policy: "Retain" }), on, facts()),
      ["example.com/other"],
    ],
    [
      "#131 goes when it is off, too",
      finalizersAfter(volume({ metadata: deleting, phase: "Available", claimRef: null }), noDeleter),
      ["example.com/other"],
    ],
    [
      "stays while storage has to be freed",
      finalizersAfter(volume({ metadata: deleting, phase: "Released" }), settings, facts()),
      "ask:delete-volume",
    ],
  ])("%s", (_, finalizers, expected) => {
    expect(finalizers).toEqual(expected);
  });

  test.each<[string, VolumeIs, using: typeof settings]>([
    ["before it was ever Available", { phase: "", claimRef: null }, on],
    ["while it was Bound, and its claim is gone", { phase: "Pending", policy: "Retain" }, on],
    ["and there is no deleter", { phase: "Released" }, noDeleter],
  ])("#131 goes, step by step, when it is deleted %s", (_, is, using) => {
    const { left } = run(volume({ ...is, metadata: deleting }), facts(), [DONE], using);
    expect(left?.metadata.finalizers ?? []).toEqual(["example.com/other"]);
  });

  test("#132 that could not be written is decided again, the same", () => {
    expect(finalizersAfter(volume())).toEqual(finalizersAfter(volume()));
  });

  test("holds a provisioned volume until its storage is freed, while its policy is Delete", () => {
    const made = (policy: string, finalizers: string[] = []) =>
      volume({ policy, annotations: DYNAMIC, metadata: { finalizers } });
    expect(finalizersAfter(made("Delete"), settings)).toEqual(["kubernetes.io/pv-controller"]);
    expect(finalizersAfter(made("Retain", ["kubernetes.io/pv-controller"]), settings)).toEqual([]);
    expect(finalizersAfter(volume(), settings)).toBe("keep");
  });
});

describe("a volume is looked at", () => {
  test.each<[string, KubeObject, boolean]>([
    ["when it waits to be reclaimed", volume({ phase: "Released" }), true],
    ["when that failed", volume({ phase: "Failed" }), true],
    ["not while it is bound", volume(), false],
    ["not when it is kept for ever", volume({ phase: "Released", policy: "Retain" }), false],
    ["when it is being deleted", volume({ metadata: { deletionTimestamp: ago(0) } }), true],
    ["not when it is available", volume({ phase: "Available", claimRef: null }), false],
  ])("%s", (_, object, isDue) => {
    expect(volumeDueAt(object, settings) !== null).toBe(isDue);
    const off = settingsOf("persistentvolumes", OFF);
    expect(volumeDueAt(object, off)).toBeNull();
    expect(gist(decideVolume(object, facts(), off, T0))).toBe("keep");
  });
});
