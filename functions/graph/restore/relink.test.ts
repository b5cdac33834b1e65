import { describe, expect, it } from "vitest";
import { asUid, type KubeObject, type ObjectMeta } from "../../objects/object.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { outsideOwners, relink } from "./relink.ts";

const configMap = kindOf("configmaps");
const NOW = Date.UTC(2026, 10, 20, 16, 20, 3);

const lost = (name: string, metadata: Partial<ObjectMeta> = {}) => ({
  kind: configMap,
  object: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, uid: `old-${name}`, creationTimestamp: "2020-01-01T00:00:00Z", ...metadata },
    data: { of: name },
  } as KubeObject,
});

const owner = (name: string, uid = `old-${name}`) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid });

function comeBack(objects: ReturnType<typeof lost>[], there: string[] = []) {
  let made = 0;
  return relink(objects, new Set(there), { now: NOW, newUid: () => asUid(`new-${made++}`) });
}

describe("objects that come back", () => {
  it("have new uids, and name each other by them", () => {
    const { objects, dropped } = comeBack([
      lost("leaf", { ownerReferences: [{ ...owner("root"), blockOwnerDeletion: true }] }),
      lost("root"),
    ]);
    expect(objects.map(({ object, formerly }) => [object.metadata.uid, formerly])).toEqual([
      ["new-0", "old-leaf"],
      ["new-1", "old-root"],
    ]);
    expect(objects[0]?.object.metadata.ownerReferences).toEqual([
      { ...owner("root", "new-1"), blockOwnerDeletion: true },
    ]);
    expect(dropped).toEqual([]);
  });

  it("keep the owners that are there, and lose those that are not", () => {
    const { objects, dropped } = comeBack(
      [lost("leaf", { ownerReferences: [owner("kept", "k"), owner("gone", "g")] })],
      ["k"],
    );
    expect(objects[0]?.object.metadata.ownerReferences).toEqual([owner("kept", "k")]);
    expect(dropped.map(({ owner: { uid } }) => uid)).toEqual(["g"]);
  });

  it("bear no trace of their end, and keep everything else", () => {
    const { objects } = comeBack([
      lost("a", {
        deletionTimestamp: "2026-11-20T16:00:00Z",
        deletionGracePeriodSeconds: 0,
        resourceVersion: "7",
        finalizers: ["foregroundDeletion", "orphan", "x/a"],
        labels: { app: "web" },
      }),
    ]);
    expect(objects[0]?.object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        uid: "new-0",
        creationTimestamp: "2026-11-20T16:20:03Z",
        finalizers: ["x/a"],
        labels: { app: "web" },
      },
      data: { of: "a" },
    });
  });

  it("are open again when they are Namespaces", () => {
    const namespace: KubeObject = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "team", uid: "old", creationTimestamp: "2020-01-01T00:00:00Z" },
      spec: {},
      status: { phase: "Terminating" },
    };
    const { objects } = relink([{ kind: kindOf("namespaces"), object: namespace }], new Set(), {
      now: NOW,
      newUid: () => asUid("new"),
    });
    expect(objects[0]?.object).toMatchObject({
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });
});

it("asks only about owners that do not come back themselves", () => {
  const objects = [lost("root"), lost("leaf", { ownerReferences: [owner("root"), owner("other", "o")] })];
  expect(outsideOwners(objects)).toEqual(["o"]);
});
