import type { Kind } from "../kind.ts";

/** What the objects of kinds without a spec hold instead, by store. */
const FIELDS_WITHOUT_SPEC: Readonly<Record<string, readonly string[]>> = {
  configmaps: ["binaryData", "data", "immutable"],
  endpoints: ["subsets"],
  events: [
    "action",
    "count",
    "eventTime",
    "firstTimestamp",
    "involvedObject",
    "lastTimestamp",
    "message",
    "reason",
    "related",
    "reportingComponent",
    "reportingInstance",
    "series",
    "source",
    "type",
  ],
  podtemplates: ["template"],
  secrets: ["data", "immutable", "stringData", "type"],
  serviceaccounts: ["automountServiceAccountToken", "imagePullSecrets", "secrets"],
  "clusterrolebindings.rbac.authorization.k8s.io": ["roleRef", "subjects"],
  "clusterroles.rbac.authorization.k8s.io": ["aggregationRule", "rules"],
  "controllerrevisions.apps": ["data", "revision"],
  "csistoragecapacities.storage.k8s.io": [
    "capacity",
    "maximumVolumeSize",
    "nodeTopology",
    "storageClassName",
  ],
  "endpointslices.discovery.k8s.io": ["addressType", "endpoints", "ports"],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": ["webhooks"],
  "priorityclasses.scheduling.k8s.io": ["description", "globalDefault", "preemptionPolicy", "value"],
  "rolebindings.rbac.authorization.k8s.io": ["roleRef", "subjects"],
  "roles.rbac.authorization.k8s.io": ["rules"],
  "runtimeclasses.node.k8s.io": ["handler", "overhead", "scheduling"],
  "storageclasses.storage.k8s.io": [
    "allowVolumeExpansion",
    "allowedTopologies",
    "mountOptions",
    "parameters",
    "provisioner",
    "reclaimPolicy",
    "volumeBindingMode",
  ],
  "validatingwebhookconfigurations.admissionregistration.k8s.io": ["webhooks"],
};

/** The other names that the events group has for fields of an Event. */
const EVENTS_GROUP_FIELDS = [
  "deprecatedCount",
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "deprecatedSource",
  "note",
  "regarding",
  "reportingController",
];

/**
 * The fields of a kind's objects besides `apiVersion`, `kind` and `metadata`. Of a custom kind only the status is known
 * from here; its schema says the rest.
 */
export function contentFields(kind: Kind): readonly string[] {
  const fields = kind.traits.custom ? [] : (FIELDS_WITHOUT_SPEC[kind.storedAs] ?? ["spec"]);
  return kind.subresources.some(({ name }) => name === "status") ? [...fields, "status"] : fields;
}

/** Fields that a body of a built-in kind may have; undefined for a custom kind, whose schema says so. */
export function knownFields(kind: Kind): readonly string[] | undefined {
  if (kind.traits.custom) return undefined;
  const more = kind.storedAs === "events" ? EVENTS_GROUP_FIELDS : [];
  return ["apiVersion", "kind", "metadata", ...contentFields(kind), ...more];
}
