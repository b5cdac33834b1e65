import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../objects/object.ts";
import { decideLease, isValidIdentityLease, type LeaseFacts, leaseDueAt } from "./leases.ts";
import { ago, gist, HOUR, MINUTE, OFF, SECOND, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("leases");
const PRESENT: LeaseFacts = { node: { found: "present" } };
const ABSENT: LeaseFacts = { node: { found: "absent" } };
const UNKNOWN: LeaseFacts = { node: { found: "unknown", problem: "timeout" } };

const micros = (millis: number) => new Date(T0 - millis).toISOString().replace("Z", "000Z");

function lease(
  namespace: string,
  renewed: number | null,
  duration: number | null,
  metadata = {},
): KubeObject {
  return stored("leases.coordination.k8s.io", "n1", {
    metadata: { namespace, ...metadata },
    spec: {
      holderIdentity: "n1",
      ...(renewed === null ? {} : { renewTime: micros(renewed) }),
      ...(duration === null ? {} : { leaseDurationSeconds: duration }),
    },
  });
}

const NEW_LABEL = { labels: { "apiserver.kubernetes.io/identity": "kube-apiserver" } };
const OLD_LABEL = { labels: { "k8s.io/component": "kube-apiserver" } };
const identity = (renewed: number | null, duration: number | null, label: Partial<ObjectMeta> = NEW_LABEL) =>
  lease("kube-system", renewed, duration, label);

const OWNER = {
  ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-gone" }],
};

describe("the identity Lease of an API server", () => {
  test.each<[string, KubeObject, string]>([
    ["#101 a second over its time", identity(3601 * SECOND, 3600), "delete:identity-lease-expired"],
    [
      "#101 with the label of 1.20",
      identity(3601 * SECOND, 3600, OLD_LABEL),
      "delete:identity-lease-expired",
    ],
    ["#102 at its time", identity(3600 * SECOND, 3600), "keep until 1"],
    ["#103 never renewed", identity(null, 3600), "delete:identity-lease-expired"],
    ["#103 without a duration", identity(0, null), "delete:identity-lease-expired"],
    ["#104 renewed meanwhile", identity(0, 3600), `keep until ${HOUR + 1}`],
    [
      "#105 of another component",
      lease("kube-system", HOUR * 9, 3600, { labels: { "k8s.io/component": "kube-scheduler" } }),
      "keep",
    ],
    ["a leader election", lease("kube-system", HOUR * 9, 15), "keep"],
    ["the label in another namespace", lease("team", HOUR * 9, 15, NEW_LABEL), "keep"],
    ["being deleted", identity(HOUR * 9, 3600, { ...NEW_LABEL, ...{ deletionTimestamp: ago(0) } }), "keep"],
  ])("%s: %s", (_, object, decision) => {
    expect(gist(decideLease(object, ABSENT, settings, T0))).toBe(decision);
  });

  test("makes its API server valid while it lasts", () => {
    expect(isValidIdentityLease(identity(3600 * SECOND, 3600), T0)).toBe(true);
    expect(isValidIdentityLease(identity(3601 * SECOND, 3600), T0)).toBe(false);
    expect(isValidIdentityLease(lease("kube-system", 0, 3600), T0)).toBe(false);
  });
});

describe("the Lease of a Node", () => {
  const node = (renewed: number | null, metadata = {}) => lease("kube-node-lease", renewed, 40, metadata);
  const late = 40 * SECOND + 5 * MINUTE;

  test.each<[string, KubeObject, LeaseFacts, string]>([
    ["that is renewed", node(10 * SECOND), ABSENT, `keep until ${late - 10 * SECOND + 1}`],
    ["that ran out just now", node(late), ABSENT, "keep until 1"],
    ["that ran out, with no Node", node(late + 1), ABSENT, "delete:node-lease-abandoned"],
    ["that ran out, with its Node", node(late + 1), PRESENT, `keep until ${HOUR}`],
    ["that ran out, and its Node cannot be looked for", node(late + 1), UNKNOWN, `skip until ${HOUR}`],
    ["with an owner, for the collector", node(late + 1, OWNER), ABSENT, `keep until ${HOUR - 5 * MINUTE}`],
    ["with an owner nobody dealt with", node(2 * HOUR, OWNER), ABSENT, "delete:node-lease-abandoned"],
    ["that was never renewed counts from its creation", node(null), ABSENT, "delete:node-lease-abandoned"],
  ])("%s", (_, object, facts, decision) => {
    expect(gist(decideLease(object, facts, settings, T0))).toBe(decision);
  });
});

describe("a Lease that cannot be read", () => {
  test.each<[string, string, object]>([
    ["by its time", "kube-system", { renewTime: "lately", leaseDurationSeconds: 3600 }],
    ["by its duration", "kube-system", { renewTime: micros(9 * HOUR), leaseDurationSeconds: "3600" }],
    [
      "by its duration, of a Node",
      "kube-node-lease",
      { renewTime: micros(9 * HOUR), leaseDurationSeconds: 1e300 },
    ],
    ["by its time, of a Node", "kube-node-lease", { renewTime: 0, leaseDurationSeconds: 40 }],
  ])("%s stays, and is told", (_, namespace, spec) => {
    const object = { ...lease(namespace, null, null, NEW_LABEL), spec };
    expect(gist(decideLease(object, ABSENT, settings, T0))).toBe("skip");
    expect(leaseDueAt(object, settings)).toBe(T0 - HOUR);
  });
});

describe("a LeaseCandidate", () => {
  const candidate = (renewed: number | null) => ({ ...lease("team", renewed, null), kind: "LeaseCandidate" });
  test.each([
    [30 * MINUTE, "keep until 1"],
    [30 * MINUTE + 1, "delete:lease-candidate-expired"],
    [null, "delete:lease-candidate-expired"],
  ])("renewed %s ms ago: %s", (renewed, decision) => {
    expect(gist(decideLease(candidate(renewed), ABSENT, settings, T0))).toBe(decision);
  });
});

test("no Lease goes before its moment, none whose Node exists, and none when the sweep is off", () => {
  const leases = fc
    .record({
      namespace: fc.constantFrom("kube-node-lease", "kube-system", "team"),
      renewed: fc.option(fc.nat(9 * HOUR)),
      duration: fc.option(fc.nat(7200)),
      metadata: fc.constantFrom({}, NEW_LABEL, OLD_LABEL, OWNER),
    })
    .map(({ namespace, renewed, duration, metadata }) => lease(namespace, renewed, duration, metadata));
  fc.assert(
    fc.property(leases, fc.constantFrom(ABSENT, PRESENT, UNKNOWN), (object, facts) => {
      const due = leaseDueAt(object, settings);
      const decision = decideLease(object, facts, settings, T0);
      if (decision.act === "delete") expect(due).toBeLessThanOrEqual(T0);
      if (due !== null) expect(decideLease(object, facts, settings, due - 1).act).toBe("keep");
      if (object.metadata.namespace === "kube-node-lease" && facts !== ABSENT)
        expect(decision.act).not.toBe("delete");
      expect(leaseDueAt(object, settingsOf("leases", OFF))).toBeNull();
      expect(decideLease(object, facts, settingsOf("leases", OFF), T0).act).toBe("keep");
    }),
  );
});
