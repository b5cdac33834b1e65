import type { Kind, Verb } from "../kind.ts";
import { ALL_VERBS, builtInKind, type Differences, SCALE, statusOf } from "./built-in-kind.ts";

const v1 = (kind: string, resource: string, differences?: Differences): Kind =>
  builtInKind("", ["v1"], kind, resource, differences);

const withoutDeleteCollection: readonly Verb[] = ALL_VERBS.filter((verb) => verb !== "deletecollection");

/** The core group, `/api/v1`. */
export const coreKinds: readonly Kind[] = [
  v1("ConfigMap", "configmaps", { shortNames: ["cm"] }),
  v1("Endpoints", "endpoints", { shortNames: ["ep"] }),
  v1("Event", "events", {
    shortNames: ["ev"],
    // The name of an event was never checked for more than being one path segment, but for the newer group.
    traits: { deletion: "unsupported", nameSyntax: "path-segment" },
  }),
  v1("LimitRange", "limitranges", { shortNames: ["limits"] }),
  v1("Namespace", "namespaces", {
    shortNames: ["ns"],
    clusterScoped: true,
    verbs: withoutDeleteCollection,
    subresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }, statusOf("Namespace")],
    traits: { deletion: "namespace", returnsDeletedObject: true, nameSyntax: "label" },
  }),
  v1("Node", "nodes", { shortNames: ["no"], clusterScoped: true, subresources: [statusOf("Node")] }),
  v1("PersistentVolumeClaim", "persistentvolumeclaims", {
    shortNames: ["pvc"],
    subresources: [statusOf("PersistentVolumeClaim")],
    traits: { returnsDeletedObject: true },
  }),
  v1("PersistentVolume", "persistentvolumes", {
    shortNames: ["pv"],
    clusterScoped: true,
    subresources: [statusOf("PersistentVolume")],
    traits: { returnsDeletedObject: true },
  }),
  v1("Pod", "pods", {
    shortNames: ["po"],
    categories: ["all"],
    subresources: [
      { name: "binding", kind: "Binding", verbs: ["create"] },
      {
        name: "eviction",
        kind: "Eviction",
        groupVersion: { group: "policy", version: "v1" },
        verbs: ["create"],
      },
      statusOf("Pod"),
    ],
    traits: { deletion: "graceful", returnsDeletedObject: true, countsGenerations: true },
  }),
  v1("PodTemplate", "podtemplates", { traits: { returnsDeletedObject: true, countsGenerations: true } }),
  v1("ReplicationController", "replicationcontrollers", {
    shortNames: ["rc"],
    categories: ["all"],
    subresources: [SCALE, statusOf("ReplicationController")],
    traits: { countsGenerations: true, orphansByDefaultIn: ["v1"] },
  }),
  v1("ResourceQuota", "resourcequotas", {
    shortNames: ["quota"],
    subresources: [statusOf("ResourceQuota")],
    traits: { returnsDeletedObject: true },
  }),
  v1("Secret", "secrets"),
  v1("ServiceAccount", "serviceaccounts", {
    shortNames: ["sa"],
    subresources: [
      {
        name: "token",
        kind: "TokenRequest",
        groupVersion: { group: "authentication.k8s.io", version: "v1" },
        verbs: ["create"],
      },
    ],
    traits: { returnsDeletedObject: true },
  }),
  v1("Service", "services", {
    shortNames: ["svc"],
    categories: ["all"],
    subresources: [statusOf("Service")],
    traits: { nameSyntax: "label-1035" },
  }),
];
