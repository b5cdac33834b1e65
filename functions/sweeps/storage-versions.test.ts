import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { decideStorageVersion, serversOf, storageVersionDueAt } from "./storage-versions.ts";
import { ago, gist, OFF, settingsOf, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("leases");

function version(entries: Record<string, string>, status = {}): KubeObject {
  return {
    apiVersion: "internal.apiserver.k8s.io/v1alpha1",
    kind: "StorageVersion",
    metadata: { name: "apps.deployments", uid: "uid-v", generation: 3, creationTimestamp: ago(9) },
    spec: {},
    status: {
      storageVersions: Object.entries(entries).map(([apiServerID, encodingVersion]) => ({
        apiServerID,
        encodingVersion,
        decodableVersions: [encodingVersion],
      })),
      ...status,
    },
  };
}

const decide = (object: KubeObject, valid: string[]) =>
  decideStorageVersion(object, new Set(valid), settings, T0);

describe("a StorageVersion", () => {
  test("#106 loses the entry of an API server whose Lease is gone, and the others then agree", () => {
    const decision = decide(version({ A: "v1", B: "v1beta1" }), ["A"]);
    expect(decision).toMatchObject({
      act: "patch",
      patch: {
        subresource: "status",
        next: {
          status: {
            storageVersions: [{ apiServerID: "A", encodingVersion: "v1" }],
            commonEncodingVersion: "v1",
            conditions: [
              {
                type: "AllEncodingVersionsEqual",
                status: "True",
                observedGeneration: 3,
                lastTransitionTime: ago(0),
              },
            ],
          },
        },
      },
    });
  });

  test("has no common version when those that are left disagree", () => {
    const before = {
      commonEncodingVersion: "v1",
      conditions: [{ type: "AllEncodingVersionsEqual", status: "False", lastTransitionTime: ago(5000) }],
    };
    const decision = decide(version({ A: "v1", B: "v1beta1", C: "v1" }, before), ["A", "B"]);
    const status = decision.act === "patch" ? decision.patch.next.status : undefined;
    expect(status).not.toHaveProperty("commonEncodingVersion");
    expect(status).toMatchObject({ conditions: [{ status: "False", lastTransitionTime: ago(5000) }] });
  });

  test.each<[string, string[], string]>([
    ["#107 goes with its last API server", [], "delete:storage-version-unserved"],
    ["#108 stays as it is when they are all there", ["C"], "keep"],
  ])("%s", (_, valid, decision) => {
    expect(gist(decide(version({ C: "v1" }), valid))).toBe(decision);
  });

  test("is looked at when it was written with API servers", () => {
    expect(storageVersionDueAt(version({ A: "v1" }), settings)).not.toBeNull();
    expect(storageVersionDueAt(version({}), settings)).toBeNull();
    expect(storageVersionDueAt(version({ A: "v1" }), settingsOf("leases", OFF))).toBeNull();
    expect(serversOf(version({ A: "v1", B: "v1" }))).toEqual(["A", "B"]);
  });
});
