import type { MessageTable } from "../message-table.ts";

/** The messages of `internal.apiserver.k8s.io`, as Kubernetes 1.33.1 has them. */
export const apiserverMessages: MessageTable = {
  "internal.apiserver.k8s.io/v1alpha1": {
    ServerStorageVersion: {
      1: "apiServerID string",
      2: "encodingVersion string",
      3: "decodableVersions []string",
      4: "servedVersions []string",
    },
    StorageVersion: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "spec StorageVersionSpec",
      3: "status StorageVersionStatus",
    },
    StorageVersionCondition: {
      1: "type string!",
      2: "status string!",
      3: "observedGeneration int64",
      4: "lastTransitionTime Time",
      5: "reason string!",
      6: "message string",
    },
    StorageVersionSpec: {},
    StorageVersionStatus: {
      1: "storageVersions []ServerStorageVersion",
      2: "commonEncodingVersion string!",
      3: "conditions []StorageVersionCondition",
    },
  },
};
