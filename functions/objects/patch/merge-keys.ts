/**
 * How a strategic merge treats one field: the `patchStrategy` and `patchMergeKey` of Kubernetes' API types. A field that
 * no table names is ordinary: an object merges, a list is replaced as a whole.
 */
export type MergeRule =
  /** An object with fields that have rules of their own. */
  | { readonly merge: "object"; readonly fields: MergeRules }
  /** A list of objects that are the same item when they agree in `key`. */
  | { readonly merge: "items"; readonly key: string; readonly fields: MergeRules }
  /** A list of scalars, merged as a set. */
  | { readonly merge: "set" }
  /** An object that is replaced as a whole. */
  | { readonly merge: "never" };

export type MergeRules = { readonly [field: string]: MergeRule };

const object = (fields: MergeRules): MergeRule => ({ merge: "object", fields });
const itemsBy = (key: string, fields: MergeRules = {}): MergeRule => ({ merge: "items", key, fields });
const set: MergeRule = { merge: "set" };

const metadata = object({ ownerReferences: itemsBy("uid"), finalizers: set });
const conditions = object({ conditions: itemsBy("type") });

const containers = itemsBy("name", {
  env: itemsBy("name"),
  ports: itemsBy("containerPort"),
  volumeMounts: itemsBy("mountPath"),
  volumeDevices: itemsBy("devicePath"),
});

const podSpec = object({
  containers,
  initContainers: containers,
  ephemeralContainers: containers,
  volumes: itemsBy("name", { ephemeral: object({ volumeClaimTemplate: object({ metadata }) }) }),
  imagePullSecrets: itemsBy("name"),
  hostAliases: itemsBy("ip"),
  topologySpreadConstraints: itemsBy("topologyKey"),
  schedulingGates: itemsBy("name"),
  resourceClaims: itemsBy("name"),
});

const podStatus = object({
  conditions: itemsBy("type"),
  podIPs: itemsBy("ip"),
  hostIPs: itemsBy("ip"),
  resourceClaimStatuses: itemsBy("name"),
});

const template = object({ metadata, spec: podSpec });
const workload: MergeRules = { spec: object({ template }), status: conditions };
const withConditions: MergeRules = { status: conditions };

const matchConditions = itemsBy("name");
const webhooks: MergeRules = { webhooks: itemsBy("name", { matchConditions }) };

const byKind = new Map<string, MergeRules>(
  Object.entries({
    APIService: withConditions,
    CronJob: { spec: object({ jobTemplate: object({ metadata, spec: object({ template }) }) }) },
    CSINode: { spec: object({ drivers: itemsBy("name") }) },
    DaemonSet: workload,
    Deployment: workload,
    FlowSchema: withConditions,
    HorizontalPodAutoscaler: withConditions,
    Job: workload,
    MutatingAdmissionPolicy: { spec: object({ matchConditions }) },
    MutatingWebhookConfiguration: webhooks,
    Namespace: withConditions,
    Node: {
      spec: object({ podCIDRs: set }),
      status: object({ addresses: itemsBy("type"), conditions: itemsBy("type") }),
    },
    PersistentVolumeClaim: withConditions,
    Pod: { spec: podSpec, status: podStatus },
    PodDisruptionBudget: { spec: object({ selector: { merge: "never" } }), status: conditions },
    PodTemplate: { template },
    PriorityLevelConfiguration: withConditions,
    ReplicaSet: workload,
    ReplicationController: workload,
    ResourceClaim: { status: object({ reservedFor: itemsBy("uid") }) },
    Service: { spec: object({ ports: itemsBy("port") }), status: conditions },
    ServiceAccount: { secrets: itemsBy("name") },
    ServiceCIDR: withConditions,
    StatefulSet: workload,
    ValidatingAdmissionPolicy: { spec: object({ matchConditions, variables: itemsBy("name") }) },
    ValidatingWebhookConfiguration: webhooks,
  } satisfies Record<string, MergeRules>),
);

/**
 * The rules of a built-in kind, from the struct tags of Kubernetes' API types up to 1.32. A Kind's name is enough: no two
 * built-in kinds of one name differ here, and custom kinds have no strategic merge.
 */
export function mergeRulesOf(kind: string): MergeRules {
  return { ...byKind.get(kind), metadata };
}
