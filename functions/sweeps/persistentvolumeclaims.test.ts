import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../objects/object.ts";
import { claimDueAt, decideClaim } from "./persistentvolumeclaims.ts";
import { ago, controlledBy, gist, OFF, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("persistentvolumes");
const PROTECTION = "kubernetes.io/pvc-protection";
const DELETING = { deletionTimestamp: ago(0), finalizers: [PROTECTION] };

const claim = (metadata: Partial<ObjectMeta> = {}, name = "c"): KubeObject =>
  stored("persistentvolumeclaims", name, { metadata });

interface PodIs {
  phase?: string;
  node?: string;
  volumes?: object[];
  metadata?: Partial<ObjectMeta>;
}

const MOUNTS = [{ name: "data", persistentVolumeClaim: { claimName: "c" } }];

function pod({ phase = "Running", node = "n1", volumes = MOUNTS, metadata = {} }: PodIs = {}): KubeObject {
  const spec = { volumes, ...(node === "" ? {} : { nodeName: node }) };
  return stored("pods", "p", { metadata, spec, status: { phase } });
}

const decide = (object: KubeObject, pods: KubeObject[] = []) =>
  decideClaim(object, { pods: { found: pods } }, settings, T0);

describe("a claim that is being deleted", () => {
  const ownClaim = claim({ ...DELETING, ...controlledBy(pod()) }, "p-scratch");
  const ephemeral = [{ name: "scratch", ephemeral: { volumeClaimTemplate: {} } }];
  const ended = { deletionTimestamp: ago(0), deletionGracePeriodSeconds: 0 };

  test.each<[string, KubeObject, KubeObject[], string]>([
    ["#133 no Pod uses is let go", claim(DELETING), [], "patch"],
    ["#134 #136 a running Pod uses is kept", claim(DELETING), [pod()], "keep until 60000"],
    [
      "#135 an ended Pod still mounts is kept",
      claim(DELETING),
      [pod({ phase: "Succeeded" })],
      "keep until 60000",
    ],
    [
      "#137 only an unscheduled Pod names is let go",
      claim(DELETING),
      [pod({ node: "", phase: "Pending" })],
      "patch",
    ],
    [
      "#138 only a Pod that was replaced used is let go",
      claim(DELETING),
      [pod({ volumes: [], metadata: { uid: "2" } })],
      "patch",
    ],
    [
      "#139 the Pod in its place uses too is kept",
      claim(DELETING),
      [pod({ metadata: { uid: "2" } })],
      "keep until 60000",
    ],
    [
      "a Pod has as its own ephemeral volume is kept",
      ownClaim,
      [pod({ volumes: ephemeral })],
      "keep until 60000",
    ],
    [
      "a Pod that can run no more has as its own is let go",
      ownClaim,
      [pod({ volumes: ephemeral, metadata: ended })],
      "patch",
    ],
    [
      "is called like another Pod's ephemeral volume is let go",
      ownClaim,
      [pod({ volumes: ephemeral, metadata: { uid: "other" } })],
      "patch",
    ],
    [
      "a Pod of another namespace names is let go",
      claim(DELETING),
      [pod({ metadata: { namespace: "else" } })],
      "patch",
    ],
    [
      "something else holds is left to it",
      claim({ deletionTimestamp: ago(0), finalizers: ["a/b"] }),
      [],
      "keep",
    ],
  ])("%s", (_, object, pods, decision) => {
    expect(gist(decide(object, pods))).toBe(decision);
  });

  test("keeps its other finalizers", () => {
    expect(decide(claim({ ...DELETING, finalizers: ["a/b", PROTECTION] }))).toMatchObject({
      patch: { subresource: undefined, next: { metadata: { finalizers: ["a/b"] } } },
    });
  });

  test("is kept while nobody can say which Pods there are", () => {
    expect(gist(decideClaim(claim(DELETING), { pods: { problem: "500" } }, settings, T0))).toBe(
      "skip until 60000",
    );
  });
});

describe("a claim that lives", () => {
  test("is protected, unless that is off", () => {
    expect(decide(claim())).toMatchObject({ patch: { next: { metadata: { finalizers: [PROTECTION] } } } });
    expect(gist(decide(claim({ finalizers: [PROTECTION] })))).toBe("keep");
    const off = settingsOf("persistentvolumes", { storageObjectInUseProtection: false });
    expect(gist(decideClaim(claim(), { pods: { found: [] } }, off, T0))).toBe("keep");
    expect(gist(decideClaim(claim(DELETING), { pods: { found: [] } }, off, T0))).toBe("patch");
  });

  test("is looked at while its protection is not what it should be", () => {
    expect(claimDueAt(claim(), settings)).not.toBeNull();
    expect(claimDueAt(claim(DELETING), settings)).not.toBeNull();
    expect(claimDueAt(claim({ finalizers: [PROTECTION] }), settings)).toBeNull();
    expect(claimDueAt(claim(), settingsOf("persistentvolumes", OFF))).toBeNull();
  });
});
