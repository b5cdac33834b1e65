import type { MessageTable } from "../message-table.ts";

/** The messages of `storage.k8s.io`, as Kubernetes 1.33.1 has them. */
export const storageMessages: MessageTable = {
  "storage.k8s.io/v1": {
    CSIDriver: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec CSIDriverSpec!" },
    CSIDriverSpec: {
      1: "attachRequired bool!",
      2: "podInfoOnMount bool!",
      3: "volumeLifecycleModes []string",
      4: "storageCapacity bool!",
      5: "fsGroupPolicy string!",
      6: "tokenRequests []TokenRequest",
      7: "requiresRepublish bool!",
      8: "seLinuxMount bool!",
      9: "nodeAllocatableUpdatePeriodSeconds int64!",
    },
    CSINode: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec CSINodeSpec!" },
    CSINodeDriver: {
      1: "name string!",
      2: "nodeID string!",
      3: "topologyKeys []string",
      4: "allocatable VolumeNodeResources!",
    },
    CSINodeSpec: { 1: "drivers []CSINodeDriver" },
    CSIStorageCapacity: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "nodeTopology meta.k8s.io/v1.LabelSelector!",
      3: "storageClassName string!",
      4: "capacity Quantity!",
      5: "maximumVolumeSize Quantity!",
    },
    StorageClass: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "provisioner string!",
      3: "parameters map string",
      4: "reclaimPolicy string!",
      5: "mountOptions []string",
      6: "allowVolumeExpansion bool!",
      7: "volumeBindingMode string!",
      8: "allowedTopologies []v1.TopologySelectorTerm",
    },
    TokenRequest: { 1: "audience string!", 2: "expirationSeconds int64!" },
    VolumeAttachment: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "spec VolumeAttachmentSpec!",
      3: "status VolumeAttachmentStatus",
    },
    VolumeAttachmentSource: {
      1: "persistentVolumeName string!",
      2: "inlineVolumeSpec v1.PersistentVolumeSpec!",
    },
    VolumeAttachmentSpec: {
      1: "attacher string!",
      2: "source VolumeAttachmentSource!",
      3: "nodeName string!",
    },
    VolumeAttachmentStatus: {
      1: "attached bool!",
      2: "attachmentMetadata map string",
      3: "attachError VolumeError!",
      4: "detachError VolumeError!",
    },
    VolumeError: { 1: "time Time", 2: "message string", 3: "errorCode int32!" },
    VolumeNodeResources: { 1: "count int32!" },
  },
};
