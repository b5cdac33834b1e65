import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { COUNTED, decidePod, type NodeWitness, podDueAt, surplusPods, terminatedPod } from "./pods.ts";
import { ago, gist, MINUTE, OFF, SECOND, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

interface PodIs {
  phase?: string;
  reason?: string;
  node?: string;
  age?: number;
  namespace?: string;
  deleting?: boolean;
  /** By default a period of the sweep. */
  deletedAgo?: number;
  conditions?: object[];
}

function pod(name: string, is: PodIs = {}): KubeObject {
  const {
    phase = "Running",
    reason,
    node = "n1",
    age = MINUTE,
    namespace = "team",
    deleting,
    deletedAgo = 20 * SECOND,
    conditions,
  } = is;
  return stored("pods", name, {
    metadata: {
      namespace,
      creationTimestamp: ago(age),
      ...(deleting ? { deletionTimestamp: ago(deletedAgo), deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: node === "" ? {} : { nodeName: node },
    status: { phase, ...(reason === undefined ? {} : { reason }), ...(conditions ? { conditions } : {}) },
  });
}

const settings = settingsOf("pods");
const node = (fields: object = {}): NodeWitness => ({
  found: "present",
  node: stored("nodes", "n1", { ...fields }),
});
const NONE: NodeWitness = { found: "none" };
const GONE: NodeWitness = { found: "absent", quarantined: true };

/** Letters in creation order, the first the oldest. */
const inOrder = (...pods: [string, PodIs][]) =>
  pods.map(([name, is], i) => pod(name, { age: (pods.length - i) * MINUTE, ...is }));

const threshold = (terminatedPodGCThreshold: number, more: object = {}) =>
  settingsOf("pods", { terminatedPodGCThreshold, ...more });

function surplus(pods: KubeObject[], podSettings: ReturnType<typeof threshold>): string[] {
  const terminated = pods.flatMap((each) => terminatedPod(each) ?? []);
  return [...surplusPods(terminated, podSettings)].map((uid) => uid.slice("uid-".length)).sort();
}

const FAILED = { phase: "Failed" };
const SUCCEEDED = { phase: "Succeeded" };

describe("the Pods beyond the threshold", () => {
  test.each<[string, KubeObject[], threshold: number, gone: string[]]>([
    ["#1 threshold 0", inOrder(["a", FAILED], ["b", SUCCEEDED]), 0, []],
    ["#2", inOrder(["a", FAILED], ["b", SUCCEEDED], ["c", FAILED]), 1, ["a", "b"]],
    ["#3 what runs does not count", inOrder(["a", {}], ["b", SUCCEEDED], ["c", FAILED]), 1, ["b"]],
    ["#4", inOrder(["a", FAILED], ["b", SUCCEEDED]), 1, ["a"]],
    ["#5 fewer than that", inOrder(["a", FAILED], ["b", SUCCEEDED]), 5, []],
    ["#6 a negative one", inOrder(["a", FAILED], ["b", SUCCEEDED]), -1, []],
    [
      "#7 an empty phase counts",
      inOrder(["x", { phase: "" }], ["y", { phase: "Unknown" }], ["z", { phase: "Pending" }], ["w", FAILED]),
      1,
      ["x"],
    ],
    [
      "#8 by name without the namespace when they are as old",
      [
        pod("c", { ...SUCCEEDED, namespace: "ns1" }),
        pod("b", { ...SUCCEEDED, namespace: "ns1" }),
        pod("a", { ...SUCCEEDED, namespace: "ns2" }),
      ],
      2,
      ["a"],
    ],
    [
      "#9 evicted ones first",
      inOrder(["a", SUCCEEDED], ["b", { ...FAILED, reason: "Evicted" }], ["c", FAILED]),
      2,
      ["b"],
    ],
    [
      "#10 an evicted one that succeeded is none",
      inOrder(["a", { ...SUCCEEDED, reason: "Evicted" }], ["b", FAILED]),
      1,
      ["a"],
    ],
    ["#11 once a deletion failed, are counted again", inOrder(["a", FAILED], ["c", FAILED]), 1, ["a"]],
  ])("%s", (_, pods, kept, gone) => {
    expect(surplus(pods, threshold(kept))).toEqual(gone);
  });

  test("of each namespace go too, where that is asked for", () => {
    const pods = ["p", "q", "r"].flatMap((name, i) => [
      pod(`${name}1`, { ...FAILED, namespace: "one", age: (9 - i) * MINUTE }),
      ...(i === 0 ? [pod("other", { ...FAILED, namespace: "two", age: 60 * MINUTE })] : []),
    ]);
    expect(surplus(pods, threshold(0, { terminatedPodGCThresholdPerNamespace: 2 }))).toEqual(["p1"]);
    expect(surplus(pods, threshold(2, { terminatedPodGCThresholdPerNamespace: 2 }))).toEqual(["other", "p1"]);
  });

  test("leave exactly the threshold, and nothing that is newer goes before what is older", () => {
    const phases = fc.constantFrom("", "Pending", "Running", "Unknown", "Succeeded", "Failed", "Odd");
    const pods = fc
      .array(fc.record({ phase: phases, age: fc.nat(1e9), reason: fc.constantFrom("Evicted", "Other") }))
      .map((all) => all.map((is, i) => pod(`p${i}`, is)));
    fc.assert(
      fc.property(pods, fc.integer({ min: -2, max: 12 }), (all, kept) => {
        const terminated = all.flatMap((each) => terminatedPod(each) ?? []);
        const gone = surplusPods(terminated, threshold(kept));
        expect(gone.size).toBe(kept <= 0 ? 0 : Math.max(0, terminated.length - kept));
        for (const left of terminated.filter(({ uid }) => !gone.has(uid))) {
          for (const other of terminated.filter(({ uid }) => gone.has(uid))) {
            if (left.evicted === other.evicted)
              expect(left.createdAt).toBeGreaterThanOrEqual(other.createdAt);
            else expect(other.evicted).toBe(true);
          }
        }
      }),
    );
  });
});

describe("a Pod", () => {
  const present = node({ status: { conditions: [{ type: "Ready", status: "True" }] } });
  const outOfService = (ready: string | undefined, key = "node.kubernetes.io/out-of-service") =>
    node({
      spec: { taints: [{ key, effect: "NoExecute" }] },
      status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
    });
  const deleting = { deleting: true };

  test.each<[string, KubeObject, NodeWitness, surplus: boolean, string]>([
    ["#2 beyond the threshold", pod("a", FAILED), present, true, "delete:terminated"],
    [
      "#7 beyond the threshold, with an empty phase",
      pod("x", { phase: "" }),
      present,
      true,
      "patch-then-delete:terminated",
    ],
    ["that was beyond it and runs again", pod("a"), present, true, "keep"],
    ["#6 orphaned while the threshold is off", pod("a", FAILED), GONE, false, "delete:orphaned"],
    [
      "#12 when Nodes cannot be read, not even beyond the threshold",
      pod("a", FAILED),
      { found: "unknown", problem: "500" },
      true,
      "skip until 20000",
    ],
    ["#13 #14 #19 whose Node exists", pod("a"), present, false, "keep"],
    ["#15 ended, of a Node that is gone", pod("b", SUCCEEDED), GONE, false, "delete:orphaned"],
    ["#16 of a Node in quarantine", pod("a"), { found: "absent", quarantined: false }, false, "keep"],
    ["#17 running, of a Node that is gone", pod("a"), GONE, false, "patch-then-delete:orphaned"],
    [
      "#23 whose Node cannot be looked for",
      pod("a"),
      { found: "unknown", problem: "500" },
      false,
      "skip until 20000",
    ],
    [
      "#27 ended, unscheduled, being deleted",
      pod("a", { ...FAILED, ...deleting, node: "" }),
      NONE,
      false,
      "delete:unscheduled",
    ],
    [
      "#27 running, unscheduled, being deleted",
      pod("c", { ...deleting, node: "" }),
      NONE,
      false,
      "patch-then-delete:unscheduled",
    ],
    [
      "unscheduled, deleted a second ago",
      pod("c", { ...deleting, deletedAgo: SECOND, node: "" }),
      NONE,
      false,
      "keep until 19000",
    ],
    ["#28 unscheduled, not being deleted", pod("a", { phase: "Pending", node: "" }), NONE, false, "keep"],
    ["#28 being deleted on its Node", pod("c", deleting), present, false, "keep until 20000"],
    [
      "#29 being deleted on a Node out of service",
      pod("a", deleting),
      outOfService("False"),
      false,
      "patch-then-delete:out-of-service",
    ],
    [
      "#29 without a Ready condition at all",
      pod("a", { ...deleting, ...FAILED }),
      outOfService(undefined),
      false,
      "delete:out-of-service",
    ],
    ["#30 on one that is ready", pod("a", deleting), outOfService("True"), false, "keep until 20000"],
    [
      "#31 on one with another taint",
      pod("a", deleting),
      outOfService("False", "node.kubernetes.io/unreachable"),
      false,
      "keep until 20000",
    ],
    ["#32 not being deleted", pod("a"), outOfService("False"), false, "keep"],
    [
      "#33 being deleted on a Node that is missing",
      pod("a", deleting),
      { found: "absent", quarantined: false },
      false,
      "keep until 20000",
    ],
  ])("%s: %s", (_, object, witness, isSurplus, decision) => {
    expect(gist(decidePod(object, { surplus: isSurplus, node: witness }, settings, T0))).toBe(decision);
  });

  test("is deleted by force, by its uid, without an Event", () => {
    expect(decidePod(pod("b", FAILED), { surplus: false, node: GONE }, settings, T0)).toEqual({
      act: "delete",
      deletion: {
        rule: "orphaned",
        reason: "Node n1 no longer exists",
        options: { dryRun: false, uid: "uid-b", gracePeriodSeconds: 0 },
        events: [],
      },
    });
  });

  const patchOf = (object: KubeObject, witness: NodeWitness) => {
    const decision = decidePod(object, { surplus: false, node: witness }, settings, T0);
    return decision.act === "patch-then-delete" ? decision.patch : undefined;
  };
  const DISRUPTED = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
  };

  test("#17 #18 that is orphaned and has not ended fails first, and says why", () => {
    const ready = { type: "Ready", status: "True" };
    const patch = patchOf(pod("d", { conditions: [ready] }), GONE);
    expect(patch).toMatchObject({
      subresource: "status",
      next: {
        metadata: { uid: "uid-d", resourceVersion: "7" },
        status: { phase: "Failed", conditions: [ready, { ...DISRUPTED, lastTransitionTime: ago(0) }] },
      },
    });
  });

  test("that was disrupted before keeps the time of it", () => {
    const patch = patchOf(
      pod("d", { conditions: [{ ...DISRUPTED, lastTransitionTime: ago(MINUTE) }] }),
      GONE,
    );
    expect(patch?.next.status).toMatchObject({ conditions: [{ lastTransitionTime: ago(MINUTE) }] });
  });

  test("#27 that was never scheduled fails without a condition", () => {
    expect(patchOf(pod("c", { deleting: true, node: "" }), NONE)?.next.status).toEqual({ phase: "Failed" });
  });

  test("within the threshold stays where it is counted", () => {
    const decision = decidePod(pod("a", FAILED), { surplus: false, node: present }, settings, T0);
    expect(decision).toMatchObject({ act: "keep", next: COUNTED });
  });

  test("is left alone when the sweep is off", () => {
    const off = settingsOf("pods", OFF);
    expect(podDueAt(pod("a", FAILED), off)).toBeNull();
    expect(gist(decidePod(pod("a", FAILED), { surplus: true, node: GONE }, off, T0))).toBe("keep");
  });
});

describe("a Pod is found", () => {
  test.each<[string, KubeObject, object, boolean]>([
    ["when it has ended", pod("a", FAILED), {}, true],
    ["not when nothing counts it", pod("a", FAILED), { terminatedPodGCThreshold: 0 }, false],
    [
      "when only its namespace counts it",
      pod("a", FAILED),
      { terminatedPodGCThreshold: 0, terminatedPodGCThresholdPerNamespace: 1 },
      true,
    ],
    ["while it is being deleted", pod("a", { deleting: true }), { terminatedPodGCThreshold: 0 }, true],
    ["not while it runs", pod("a"), {}, false],
  ])("%s", (_, object, manifest, isDue) => {
    expect(podDueAt(object, settingsOf("pods", manifest)) !== null).toBe(isDue);
  });

  test("as one that is counted for as long as it is kept", () => {
    const objects = fc
      .record({
        phase: fc.constantFrom("", "Succeeded", "Failed", "Odd", "Running"),
        node: fc.constantFrom("", "n1"),
        deleting: fc.boolean(),
      })
      .map((is) => pod("p", is));
    fc.assert(
      fc.property(objects, fc.boolean(), fc.nat(100 * SECOND), (object, isSurplus, later) => {
        const decision = decidePod(object, { surplus: isSurplus, node: NONE }, settings, T0 + later);
        const due = podDueAt(object, settings);
        if (terminatedPod(object) !== undefined) {
          expect(due).not.toBeNull();
          if (decision.act === "keep") expect(decision.next).not.toBeNull();
        }
        if (decision.act !== "keep") expect(due).toBeLessThanOrEqual(T0 + later);
      }),
    );
  });
});
