import type { KubeObject } from "../../../objects/object.ts";
import {
  ageColumn,
  booleanColumn,
  type Column,
  column,
  integerColumn,
  nameColumn,
  wideColumn,
} from "../column.ts";
import { booleanAt, hasAt, listAt, scalarAt, textAt, textsAt } from "../reading.ts";

const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

function accessModes(object: KubeObject, ...path: string[]): string {
  const modes = textsAt(object, ...path);
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation is older than the field and still wins. */
const storageClass = (object: KubeObject): string =>
  object.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
  textAt(object, "spec", "storageClassName");

const volumePhase = (object: KubeObject): string =>
  hasAt(object, "metadata", "deletionTimestamp") ? "Terminating" : textAt(object, "status", "phase");

const volumeMode = wideColumn(
  "VolumeMode",
  "Whether the volume is a file system or a block device.",
  (object) => textAt(object, "spec", "volumeMode") || "<unset>",
);

function claim(volume: KubeObject): string {
  if (!hasAt(volume, "spec", "claimRef")) return "";
  return `${textAt(volume, "spec", "claimRef", "namespace")}/${textAt(volume, "spec", "claimRef", "name")}`;
}

const isBound = (object: KubeObject): boolean => textAt(object, "spec", "volumeName") !== "";

const isDefaultClass = (object: KubeObject): boolean => {
  const annotations = object.metadata.annotations;
  return (
    annotations?.["storageclass.kubernetes.io/is-default-class"] === "true" ||
    annotations?.["storageclass.beta.kubernetes.io/is-default-class"] === "true"
  );
};

export const storageColumns: Record<string, readonly Column[]> = {
  persistentvolumes: [
    nameColumn,
    column(
      "Capacity",
      "Size of the volume.",
      (object) => scalarAt(object, "spec", "capacity", "storage") || "0",
    ),
    column("Access Modes", "How the volume can be mounted.", (object) =>
      accessModes(object, "spec", "accessModes"),
    ),
    column("Reclaim Policy", "What happens to the volume when its claim goes.", (object) =>
      textAt(object, "spec", "persistentVolumeReclaimPolicy"),
    ),
    column("Status", "Phase of the volume.", volumePhase),
    column("Claim", "The claim that holds the volume.", claim),
    column("StorageClass", "StorageClass of the volume.", storageClass),
    column("Reason", "Why the volume is in its phase.", (object) => textAt(object, "status", "reason")),
    ageColumn,
    volumeMode,
  ],
  persistentvolumeclaims: [
    nameColumn,
    column("Status", "Phase of the claim.", volumePhase),
    column("Volume", "The volume that the claim holds.", (object) => textAt(object, "spec", "volumeName")),
    column("Capacity", "Size of the volume.", (object) =>
      isBound(object) ? scalarAt(object, "status", "capacity", "storage") || "0" : "",
    ),
    column("Access Modes", "How the volume can be mounted.", (object) =>
      isBound(object) ? accessModes(object, "status", "accessModes") : "",
    ),
    column("StorageClass", "StorageClass of the claim.", storageClass),
    ageColumn,
    volumeMode,
  ],
  "storageclasses.storage.k8s.io": [
    {
      ...nameColumn,
      cell: (object) => (isDefaultClass(object) ? `${object.metadata.name} (default)` : object.metadata.name),
    },
    column("Provisioner", "Who makes the volumes.", (object) => textAt(object, "provisioner")),
    column(
      "ReclaimPolicy",
      "What happens to a volume when its claim goes.",
      (object) => textAt(object, "reclaimPolicy") || "Delete",
    ),
    column(
      "VolumeBindingMode",
      "When a claim gets its volume.",
      (object) => textAt(object, "volumeBindingMode") || "Immediate",
    ),
    column(
      "AllowVolumeExpansion",
      "Whether volumes can grow.",
      (object) => booleanAt(object, "allowVolumeExpansion") ?? false,
    ),
    ageColumn,
  ],
  "volumeattachments.storage.k8s.io": [
    nameColumn,
    column("Attacher", "Who attaches the volume.", (object) => textAt(object, "spec", "attacher"), {
      format: "name",
    }),
    column("PV", "The volume.", (object) => textAt(object, "spec", "source", "persistentVolumeName")),
    column("Node", "The node.", (object) => textAt(object, "spec", "nodeName")),
    booleanColumn(
      "Attached",
      "Whether the volume is attached.",
      (object) => booleanAt(object, "status", "attached") ?? false,
    ),
    ageColumn,
  ],
  "csidrivers.storage.k8s.io": [
    nameColumn,
    booleanColumn(
      "AttachRequired",
      "Whether volumes must be attached.",
      (object) => booleanAt(object, "spec", "attachRequired") ?? true,
    ),
    booleanColumn(
      "PodInfoOnMount",
      "Whether the driver is told of the pod.",
      (object) => booleanAt(object, "spec", "podInfoOnMount") ?? false,
    ),
    column(
      "Modes",
      "Life cycles that the driver supports.",
      (object) => textsAt(object, "spec", "volumeLifecycleModes").join(",") || "<none>",
    ),
    ageColumn,
  ],
  "csinodes.storage.k8s.io": [
    nameColumn,
    integerColumn(
      "Drivers",
      "Number of CSI drivers registered on the node.",
      (object) => listAt(object, "spec", "drivers").length,
    ),
    ageColumn,
  ],
};
