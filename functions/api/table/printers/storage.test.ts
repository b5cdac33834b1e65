import { describe, expect, test } from "vitest";
import type { ObjectMeta } from "../../../objects/object.ts";
import { age, cells } from "./cells.fixture.ts";

describe("storage", () => {
  test.each<[what: string, path: string, fields: object, metadata: Partial<ObjectMeta>, cells: unknown[]]>([
    [
      "bound volume",
      "/v1/persistentvolumes",
      {
        spec: {
          capacity: { storage: "5Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce", "ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Delete",
          claimRef: { namespace: "shop", name: "data" },
          storageClassName: "fast",
          volumeMode: "Block",
        },
        status: { phase: "Bound", reason: "" },
      },
      {},
      ["x", "5Gi", "RWO,RWX", "Delete", "Bound", "shop/data", "fast", "", age, "Block"],
    ],
    [
      "terminating volume without a claim",
      "/v1/persistentvolumes",
      { spec: {}, status: { phase: "Released" } },
      { deletionTimestamp: "2026-11-20T15:30:00Z" },
      ["x", "0", "", "", "Terminating", "", "", "", age, "<unset>"],
    ],
    [
      "bound claim",
      "/v1/persistentvolumeclaims",
      {
        spec: { volumeName: "pv1", storageClassName: "slow", volumeMode: "Filesystem" },
        status: { phase: "Bound", capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOncePod"] },
      },
      { annotations: { "volume.beta.kubernetes.io/storage-class": "old" } },
      ["x", "Bound", "pv1", "5Gi", "RWOP", "old", age, "Filesystem"],
    ],
    [
      "pending claim",
      "/v1/persistentvolumeclaims",
      { spec: { resources: { requests: { storage: "5Gi" } } }, status: { phase: "Pending" } },
      {},
      ["x", "Pending", "", "", "", "", age, "<unset>"],
    ],
    [
      "default storage class",
      "storage.k8s.io/v1/storageclasses",
      { provisioner: "example.com/disk", allowVolumeExpansion: true },
      { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      ["x (default)", "example.com/disk", "Delete", "Immediate", true, age],
    ],
    [
      "volume attachment",
      "storage.k8s.io/v1/volumeattachments",
      {
        spec: { attacher: "example.com/disk", nodeName: "n1", source: { persistentVolumeName: "pv1" } },
        status: { attached: true },
      },
      {},
      ["x", "example.com/disk", "pv1", "n1", true, age],
    ],
    [
      "CSI driver",
      "storage.k8s.io/v1/csidrivers",
      { spec: { volumeLifecycleModes: ["Persistent", "Ephemeral"] } },
      {},
      ["x", true, false, "Persistent,Ephemeral", age],
    ],
    ["CSI node", "storage.k8s.io/v1/csinodes", { spec: { drivers: [{}] } }, {}, ["x", 1, age]],
  ])("%s", (_, path, fields, metadata, expected) => {
    expect(cells(path, fields, metadata)).toEqual(expected);
  });
});
