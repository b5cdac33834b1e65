import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { withAbsent } from "./fields.ts";
import { podDefaults, templateDefaults } from "./pod-defaults.ts";

/** What a kind's objects hold when a client leaves it out, by store. Upstream: `SetDefaults_*` of each API group. */
const FIELD_DEFAULTS: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  namespaces: namespaceDefaults,
  persistentvolumeclaims: (object) => inSpec(object, { volumeMode: "Filesystem" }),
  persistentvolumes: (object) =>
    inSpec(object, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" }),
  pods: podDefaults,
  podtemplates: (object) => templateDefaults(object),
  replicationcontrollers: (object) => inSpec(object, { replicas: 1 }, templateDefaults),
  secrets: secretDefaults,
  services: (object) => inSpec(object, {}, serviceSpec),
  "daemonsets.apps": (object) =>
    inSpec(object, { revisionHistoryLimit: 10 }, (spec) =>
      templateDefaults(rollingUpdate(spec, "updateStrategy", { maxSurge: 0, maxUnavailable: 1 })),
    ),
  "deployments.apps": (object) =>
    inSpec(object, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }, (spec) =>
      templateDefaults(rollingUpdate(spec, "strategy", { maxSurge: "25%", maxUnavailable: "25%" })),
    ),
  "replicasets.apps": (object) => inSpec(object, { replicas: 1 }, templateDefaults),
  "statefulsets.apps": (object) =>
    inSpec(
      object,
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: "OrderedReady",
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      },
      (spec) => templateDefaults(rollingUpdate(spec, "updateStrategy", { partition: 0 })),
    ),
  "horizontalpodautoscalers.autoscaling": (object) => inSpec(object, { minReplicas: 1 }),
  "cronjobs.batch": (object) =>
    inSpec(
      object,
      {
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      },
      (spec) => inObject(spec, "jobTemplate", (job) => inObject(job, "spec", templateDefaults)),
    ),
  "jobs.batch": (object) => inSpec(object, {}, jobSpec),
  "networkpolicies.networking.k8s.io": (object) => inSpec(object, {}, networkPolicySpec),
  "priorityclasses.scheduling.k8s.io": (object) =>
    withAbsent(object, { preemptionPolicy: "PreemptLowerPriority" }),
  "storageclasses.storage.k8s.io": (object) =>
    withAbsent(object, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
};

/** On every write, since a PUT that leaves a field out means its default, not its absence. Custom kinds have none. */
export function withFieldDefaults(object: JsonObject, kind: Kind): JsonObject {
  if (kind.traits.custom || !Object.hasOwn(FIELD_DEFAULTS, kind.storedAs)) return object;
  return FIELD_DEFAULTS[kind.storedAs]?.(object) ?? object;
}

function inSpec(
  object: JsonObject,
  defaults: JsonObject,
  further: (spec: JsonObject) => JsonObject = (spec) => spec,
): JsonObject {
  const filled = withAbsent(object, { spec: defaults });
  return inObject(filled, "spec", further);
}

function inObject(parent: JsonObject, field: string, change: (child: JsonObject) => JsonObject): JsonObject {
  const child = parent[field];
  return isJsonObject(child) ? { ...parent, [field]: change(child) } : parent;
}

function rollingUpdate(spec: JsonObject, field: string, parameters: JsonObject): JsonObject {
  return inObject(withAbsent(spec, { [field]: { type: "RollingUpdate" } }), field, (strategy) =>
    strategy.type === "RollingUpdate" ? withAbsent(strategy, { rollingUpdate: parameters }) : strategy,
  );
}

/** `generateName` has been resolved by then; an object without a name is refused elsewhere. */
function namespaceDefaults(namespace: JsonObject): JsonObject {
  return inObject(namespace, "metadata", (metadata) => {
    if (typeof metadata.name !== "string" || metadata.name === "") return metadata;
    const labels = isJsonObject(metadata.labels) ? metadata.labels : {};
    return { ...metadata, labels: { ...labels, "kubernetes.io/metadata.name": metadata.name } };
  });
}

/** `stringData` is for writing only: it wins over `data` and is kept as base64. */
function secretDefaults(secret: JsonObject): JsonObject {
  const { stringData, ...kept } = withAbsent(secret, { type: "Opaque" });
  if (!isJsonObject(stringData)) return kept;
  const data: JsonObject = { ...(isJsonObject(kept.data) ? kept.data : {}) };
  for (const [key, value] of Object.entries(stringData)) {
    data[key] = base64(typeof value === "string" ? value : "");
  }
  return { ...kept, data };
}

function base64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function serviceSpec(spec: JsonObject): JsonObject {
  const filled = withAbsent(spec, { sessionAffinity: "None", type: "ClusterIP" });
  if (Array.isArray(filled.ports)) filled.ports = filled.ports.map(servicePort);
  return filled.type === "ExternalName" ? filled : withAbsent(filled, { internalTrafficPolicy: "Cluster" });
}

function servicePort(port: Json): Json {
  if (!isJsonObject(port)) return port;
  return withAbsent(port, { protocol: "TCP", ...(port.port === undefined ? {} : { targetPort: port.port }) });
}

/** One pod that must succeed, unless the client counts differently. */
function jobSpec(spec: JsonObject): JsonObject {
  const counted = spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {};
  return templateDefaults(
    withAbsent(spec, {
      ...counted,
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2147483647,
      completionMode: "NonIndexed",
      manualSelector: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
      suspend: false,
    }),
  );
}

function networkPolicySpec(spec: JsonObject): JsonObject {
  const egress = Array.isArray(spec.egress) && spec.egress.length > 0;
  return withAbsent(spec, { policyTypes: egress ? ["Ingress", "Egress"] : ["Ingress"] });
}
