import type { MessageTable } from "../message-table.ts";

/** The messages of `rbac.authorization.k8s.io`, as Kubernetes 1.33.1 has them. */
export const rbacMessages: MessageTable = {
  "rbac.authorization.k8s.io/v1": {
    AggregationRule: { 1: "clusterRoleSelectors []meta.k8s.io/v1.LabelSelector" },
    ClusterRole: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "rules []PolicyRule",
      3: "aggregationRule AggregationRule!",
    },
    ClusterRoleBinding: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "subjects []Subject",
      3: "roleRef RoleRef!",
    },
    PolicyRule: {
      1: "verbs []string",
      2: "apiGroups []string",
      3: "resources []string",
      4: "resourceNames []string",
      5: "nonResourceURLs []string",
    },
    Role: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "rules []PolicyRule" },
    RoleBinding: { 1: "metadata meta.k8s.io/v1.ObjectMeta", 2: "subjects []Subject", 3: "roleRef RoleRef!" },
    RoleRef: { 1: "apiGroup string!", 2: "kind string!", 3: "name string!" },
    Subject: { 1: "kind string!", 2: "apiGroup string", 3: "name string!", 4: "namespace string" },
  },
};
