import type { MessageTable } from "../message-table.ts";

/** The messages of `coordination.k8s.io`, as Kubernetes 1.33.1 has them. */
export const coordinationMessages: MessageTable = {
  "coordination.k8s.io/v1": {
    Lease: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec LeaseSpec" },
    LeaseSpec: {
      1: "holderIdentity string!",
      2: "leaseDurationSeconds int32!",
      3: "acquireTime MicroTime!",
      4: "renewTime MicroTime!",
      5: "leaseTransitions int32!",
      6: "strategy string!",
      7: "preferredHolder string!",
    },
  },
  "coordination.k8s.io/v1beta1": {
    LeaseCandidate: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "spec LeaseCandidateSpec" },
    LeaseCandidateSpec: {
      1: "leaseName string!",
      2: "pingTime MicroTime!",
      3: "renewTime MicroTime!",
      4: "binaryVersion string!",
      5: "emulationVersion string",
      6: "strategy string",
    },
  },
};
