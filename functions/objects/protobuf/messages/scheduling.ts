import type { MessageTable } from "../message-table.ts";

/** The messages of `scheduling.k8s.io`, as Kubernetes 1.33.1 has them. */
export const schedulingMessages: MessageTable = {
  "scheduling.k8s.io/v1": {
    PriorityClass: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "value int32!",
      3: "globalDefault bool",
      4: "description string",
      5: "preemptionPolicy string!",
    },
  },
};
