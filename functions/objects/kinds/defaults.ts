import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../json.ts";
import type { Kind, Subresource } from "../kind.ts";
import type { Millis } from "../object.ts";
import { withFieldDefaults } from "./field-defaults.ts";
import { withField } from "./fields.ts";
import { withJobSelector } from "./job-selector.ts";
import { qosClass } from "./pod-defaults.ts";
import { approvalUpdate, statusUpdate } from "./status-update.ts";

/** The part of an object that a request addresses; undefined is the object itself. */
export type Addressed = Subresource["name"] | undefined;

/** The status of a new object, by store, where it is more than an empty one. */
const INITIAL_STATUS: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  namespaces: () => ({ phase: "Active" }),
  persistentvolumeclaims: () => ({ phase: "Pending" }),
  persistentvolumes: () => ({ phase: "Pending" }),
  pods: (pod) => ({ phase: "Pending", qosClass: qosClass(pod) }),
  replicationcontrollers: () => ({ replicas: 0 }),
  services: () => ({ loadBalancer: {} }),
  "daemonsets.apps": () => ({
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  }),
  "horizontalpodautoscalers.autoscaling": () => ({ currentReplicas: 0, desiredReplicas: 0 }),
  "ingresses.networking.k8s.io": () => ({ loadBalancer: {} }),
  "poddisruptionbudgets.policy": () => ({
    currentHealthy: 0,
    desiredHealthy: 0,
    disruptionsAllowed: 0,
    expectedPods: 0,
  }),
  "replicasets.apps": () => ({ replicas: 0 }),
  "statefulsets.apps": () => ({ availableReplicas: 0, replicas: 0 }),
  "volumeattachments.storage.k8s.io": () => ({ attached: false }),
};

/** Kinds whose spec only a subresource changes. */
const FIXED_SPEC = new Set(["namespaces", "certificatesigningrequests.certificates.k8s.io"]);

/** Whose fields are compared when a change counts as a new generation, where it is not `spec`. */
const COUNTED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": ["webhooks"],
  podtemplates: ["template"],
  "priorityclasses.scheduling.k8s.io": [],
  "validatingwebhookconfigurations.admissionregistration.k8s.io": ["webhooks"],
};

/** Metadata that counts too. */
const COUNTED_METADATA: Readonly<Record<string, string>> = {
  "deployments.apps": "annotations",
  "endpointslices.discovery.k8s.io": "labels",
};

const SERVER_SET_CSR_FIELDS = ["username", "uid", "groups", "extra"] as const;

/**
 * A new object before it is validated: defaults filled in, and a status that only the status subresource may set.
 * Nodes register with their status. Follows upstream's `PrepareForCreate` of each kind; metadata that the server sets
 * for all kinds is not touched. A CertificateSigningRequest loses who asked for it: only the server knows.
 */
export function prepareForCreate(object: JsonObject, kind: Kind): JsonObject {
  const filled = withFieldDefaults(object, kind);
  const prepared = { ...(kind.storedAs === "jobs.batch" ? withJobSelector(filled) : filled) };
  if (kind.storedAs === "nodes") return prepared;
  if (hasStatus(kind)) {
    delete prepared.status;
    if (!kind.traits.custom) prepared.status = INITIAL_STATUS[kind.storedAs]?.(prepared) ?? {};
  }
  if (kind.storedAs === "namespaces") prepared.spec = withKubernetesFinalizer(prepared.spec);
  if (kind.storedAs === "certificatesigningrequests.certificates.k8s.io") {
    prepared.spec = without(prepared.spec, SERVER_SET_CSR_FIELDS);
  }
  return prepared;
}

/**
 * What an update may change, before it is validated: `next` with everything put back that the addressed part does not
 * own. Follows upstream's `PrepareForUpdate` of each kind and subresource.
 *
 * `metadata.resourceVersion`, `uid`, `name` and `namespace` stay as sent, so that they can be checked afterwards;
 * what the server sets for all kinds is not touched. `now` stamps conditions of a CertificateSigningRequest that
 * come without a time; without it they stay without.
 */
export function prepareForUpdate(
  next: JsonObject,
  stored: JsonObject,
  kind: Kind,
  subresource: Addressed,
  now?: Millis,
): JsonObject {
  if (subresource === "status") return statusUpdate(next, stored, kind, now);
  if (subresource === "approval") return approvalUpdate(next, stored, now);
  let prepared = withFieldDefaults(next, kind);
  if (hasStatus(kind)) prepared = withField(prepared, "status", stored.status);
  const specIsFixed = FIXED_SPEC.has(kind.storedAs) && subresource !== "finalize";
  return specIsFixed ? withField(prepared, "spec", stored.spec) : prepared;
}

/**
 * Whether an update, prepared as above, raises `metadata.generation`: desired state differs. A status never does.
 * Custom resources count everything outside metadata, and outside status when that is a subresource.
 */
export function generationChanges(
  next: JsonObject,
  stored: JsonObject,
  kind: Kind,
  subresource?: Addressed,
): boolean {
  if (!kind.traits.countsGenerations || subresource === "status" || subresource === "approval") return false;
  const countedMetadata = COUNTED_METADATA[kind.storedAs];
  if (countedMetadata !== undefined && !same(metadataOf(next), metadataOf(stored), [countedMetadata])) {
    return true;
  }
  return !same(next, stored, COUNTED_FIELDS[kind.storedAs] ?? desiredFields(next, stored, kind));
}

function desiredFields(next: JsonObject, stored: JsonObject, kind: Kind): readonly string[] {
  if (!kind.traits.custom && kind.storedAs !== "endpointslices.discovery.k8s.io") return ["spec"];
  const apart = new Set(["apiVersion", "kind", "metadata", ...(hasStatus(kind) ? ["status"] : [])]);
  return [...new Set([...Object.keys(next), ...Object.keys(stored)])].filter((field) => !apart.has(field));
}

const hasStatus = (kind: Kind) => kind.subresources.some(({ name }) => name === "status");

const metadataOf = (object: JsonObject): JsonObject => (isJsonObject(object.metadata) ? object.metadata : {});

function withKubernetesFinalizer(spec: Json | undefined): JsonObject {
  const fields = isJsonObject(spec) ? spec : {};
  const finalizers = Array.isArray(fields.finalizers) ? fields.finalizers : [];
  if (finalizers.includes("kubernetes")) return fields;
  return { ...fields, finalizers: [...finalizers, "kubernetes"] };
}

function without(value: Json | undefined, fields: readonly string[]): JsonObject {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.filter(([field]) => !fields.includes(field)));
}

function same(a: JsonObject, b: JsonObject, fields: readonly string[]): boolean {
  return fields.every((field) => jsonEqual(a[field] ?? null, b[field] ?? null));
}
