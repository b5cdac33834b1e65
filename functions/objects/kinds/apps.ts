import type { Kind, Traits } from "../kind.ts";
import { groupResource } from "../object.ts";
import { builtInKind, SCALE, statusOf } from "./built-in-kind.ts";

const workload = (orphansByDefaultIn: readonly string[]): Partial<Traits> => ({
  countsGenerations: true,
  orphansByDefaultIn,
});

/**
 * `apps`, with the beta versions that old clients still ask for. Those versions orphan dependents unless a DELETE
 * says otherwise, `apps/v1` never does.
 */
export const appsKinds: readonly Kind[] = [
  builtInKind("apps", ["v1", "v1beta2", "v1beta1"], "ControllerRevision", "controllerrevisions"),
  builtInKind("apps", ["v1", "v1beta2"], "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: ["all"],
    subresources: [statusOf("DaemonSet")],
    traits: workload(["apps/v1beta2"]),
  }),
  builtInKind("apps", ["v1", "v1beta2", "v1beta1"], "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: [SCALE, statusOf("Deployment")],
    traits: workload(["apps/v1beta1", "apps/v1beta2"]),
  }),
  builtInKind("apps", ["v1", "v1beta2"], "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: ["all"],
    subresources: [SCALE, statusOf("ReplicaSet")],
    traits: workload(["apps/v1beta2"]),
  }),
  builtInKind("apps", ["v1", "v1beta2", "v1beta1"], "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: ["all"],
    subresources: [SCALE, statusOf("StatefulSet")],
    // Its name becomes a host name, hence a label (since Kubernetes 1.27).
    traits: { ...workload(["apps/v1beta1", "apps/v1beta2"]), nameSyntax: "label" },
  }),
];

/**
 * The group in which workloads and ingresses were born. Its objects are those of `apps` and `networking.k8s.io`. They
 * have no short names and no category here: kubectl would warn of ambiguous names, and show each of them twice.
 */
export const extensionsKinds: readonly Kind[] = [
  builtInKind("extensions", ["v1beta1"], "DaemonSet", "daemonsets", {
    subresources: [statusOf("DaemonSet")],
    storedAs: groupResource("apps", "daemonsets"),
    traits: workload(["extensions/v1beta1"]),
  }),
  builtInKind("extensions", ["v1beta1"], "Deployment", "deployments", {
    subresources: [SCALE, statusOf("Deployment")],
    storedAs: groupResource("apps", "deployments"),
    traits: workload(["extensions/v1beta1"]),
  }),
  builtInKind("extensions", ["v1beta1"], "Ingress", "ingresses", {
    subresources: [statusOf("Ingress")],
    storedAs: groupResource("networking.k8s.io", "ingresses"),
    traits: { countsGenerations: true },
  }),
  builtInKind("extensions", ["v1beta1"], "ReplicaSet", "replicasets", {
    subresources: [SCALE, statusOf("ReplicaSet")],
    storedAs: groupResource("apps", "replicasets"),
    traits: workload(["extensions/v1beta1"]),
  }),
];
