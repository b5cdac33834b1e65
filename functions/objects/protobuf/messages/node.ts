import type { MessageTable } from "../message-table.ts";

/** The messages of `node.k8s.io`, as Kubernetes 1.33.1 has them. */
export const nodeMessages: MessageTable = {
  "node.k8s.io/v1": {
    Overhead: { 1: "podFixed map Quantity" },
    RuntimeClass: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "handler string!",
      3: "overhead Overhead!",
      4: "scheduling Scheduling!",
    },
    Scheduling: { 1: "nodeSelector map string", 2: "tolerations []v1.Toleration" },
  },
};
