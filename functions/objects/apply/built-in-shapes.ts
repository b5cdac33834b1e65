import type { Kind } from "../kind.ts";
import {
  ATOMIC,
  always,
  type FieldShape,
  itemsBy,
  MAP,
  type ObjectShape,
  SET,
  STRUCTURE,
  structure,
} from "./field-shape.ts";

/*
 * What is out of the ordinary in the built-in kinds: an object that is not listed is owned field by field, a list that is
 * not listed as a whole. From the `listType`, `listMapKey`, `mapType` and `structType` markers of Kubernetes' API types.
 */

/** Of every object, custom ones too. */
export const METADATA = always(
  structure({
    finalizers: SET,
    labels: MAP,
    annotations: MAP,
    ownerReferences: itemsBy(["uid"], ATOMIC),
  }),
);

const named = (item: FieldShape = STRUCTURE) => itemsBy(["name"], item);
const conditions = itemsBy(["type"]);
const selector = ATOMIC;
const reference = ATOMIC;
const TCP = { protocol: "TCP" };

const env = named(
  structure({
    valueFrom: structure({
      configMapKeyRef: reference,
      fieldRef: reference,
      fileKeyRef: reference,
      resourceFieldRef: reference,
      secretKeyRef: reference,
    }),
  }),
);

const containers = named(
  structure({
    env,
    ports: itemsBy(["containerPort", "protocol"], STRUCTURE, TCP),
    resources: structure({ claims: named() }),
    volumeDevices: itemsBy(["devicePath"]),
    volumeMounts: itemsBy(["mountPath"]),
  }),
);

const claimSpec = structure({ dataSource: reference, selector });

const withSecret = structure({ secretRef: reference });

const volumes = named(
  structure({
    cephfs: withSecret,
    cinder: withSecret,
    csi: structure({ nodePublishSecretRef: reference }),
    ephemeral: structure({ volumeClaimTemplate: structure({ metadata: METADATA, spec: claimSpec }) }),
    flexVolume: withSecret,
    iscsi: withSecret,
    rbd: withSecret,
    scaleIO: withSecret,
    storageos: withSecret,
  }),
);

const nodeAffinity = structure({ requiredDuringSchedulingIgnoredDuringExecution: ATOMIC });

const podSpec = structure({
  affinity: structure({ nodeAffinity }),
  containers: always(containers),
  ephemeralContainers: containers,
  hostAliases: itemsBy(["ip"]),
  imagePullSecrets: named(reference),
  initContainers: containers,
  nodeSelector: ATOMIC,
  resourceClaims: named(),
  resources: structure({ claims: named() }),
  schedulingGates: named(),
  topologySpreadConstraints: itemsBy(
    ["topologyKey", "whenUnsatisfiable"],
    structure({ labelSelector: selector }),
  ),
  volumes,
});

const template = always(structure({ metadata: METADATA, spec: always(podSpec) }));

const spec = (fields: Readonly<Record<string, FieldShape>>) => always(structure(fields));
const status = (fields: Readonly<Record<string, FieldShape>> = {}) => always(structure(fields));
const strategy = always(STRUCTURE);

const workload = (fields: Readonly<Record<string, FieldShape>>) => ({
  spec: spec({ selector, template, ...fields }),
  status: status({ conditions }),
});
const withConditions = { status: status({ conditions }) };
/** A Job's conditions are owned as a whole. */
const job = { spec: spec({ selector, template }) };

const persistentVolumeSecrets = [
  "controllerExpandSecretRef",
  "controllerPublishSecretRef",
  "nodeExpandSecretRef",
  "nodePublishSecretRef",
  "nodeStageSecretRef",
];

const webhooks = (own: Readonly<Record<string, FieldShape>> = {}) => ({
  webhooks: named(
    structure({
      clientConfig: always(STRUCTURE),
      matchConditions: named(),
      namespaceSelector: selector,
      objectSelector: selector,
      ...own,
    }),
  ),
});
const policyMatch = { matchConditions: named(), matchConstraints: ATOMIC, paramKind: ATOMIC };

const roleBinding = { roleRef: reference };
const event = { involvedObject: reference, regarding: reference, related: reference };

/** By Kind: no two built-in kinds of one name differ here. */
const byKind: Readonly<Record<string, Readonly<Record<string, FieldShape>>>> = {
  APIService: withConditions,
  CertificateSigningRequest: withConditions,
  ClusterRoleBinding: roleBinding,
  CronJob: { spec: spec({ jobTemplate: always(structure({ metadata: METADATA, ...job })) }) },
  CSIDriver: { spec: spec({ volumeLifecycleModes: SET }) },
  CSINode: { spec: spec({ drivers: always(named()) }) },
  CSIStorageCapacity: { nodeTopology: selector },
  CustomResourceDefinition: withConditions,
  DaemonSet: workload({ updateStrategy: strategy }),
  Deployment: workload({ strategy }),
  Event: event,
  FlowSchema: withConditions,
  HorizontalPodAutoscaler: withConditions,
  Ingress: { spec: spec({ defaultBackend: structure({ resource: reference }) }) },
  Job: job,
  MutatingAdmissionPolicy: { spec: spec({ ...policyMatch, variables: named() }) },
  MutatingWebhookConfiguration: webhooks(),
  Namespace: withConditions,
  NetworkPolicy: { spec: spec({ podSelector: selector }) },
  Node: {
    spec: spec({ podCIDRs: SET }),
    status: status({ addresses: itemsBy(["type"]), conditions }),
  },
  PersistentVolume: {
    spec: spec({
      cephfs: withSecret,
      cinder: withSecret,
      csi: structure(Object.fromEntries(persistentVolumeSecrets.map((name) => [name, reference]))),
      flexVolume: withSecret,
      iscsi: withSecret,
      nodeAffinity: structure({ required: ATOMIC }),
      rbd: withSecret,
      scaleIO: withSecret,
      storageos: withSecret,
    }),
  },
  PersistentVolumeClaim: { spec: always(claimSpec), status: status({ conditions }) },
  Pod: {
    spec: always(podSpec),
    status: status({
      conditions,
      podIPs: itemsBy(["ip"]),
      resourceClaimStatuses: named(),
    }),
  },
  PodDisruptionBudget: { spec: spec({ selector }), status: status({ conditions }) },
  PodTemplate: { template },
  PriorityLevelConfiguration: withConditions,
  ReplicaSet: workload({}),
  ReplicationController: {
    spec: spec({ selector: ATOMIC, template: structure({ metadata: METADATA, spec: podSpec }) }),
    status: status({ conditions }),
  },
  ResourceClaim: {
    status: status({ reservedFor: itemsBy(["uid"]), devices: itemsBy(["driver", "device", "pool"]) }),
  },
  ResourceQuota: { spec: spec({ scopeSelector: ATOMIC }) },
  RoleBinding: roleBinding,
  RuntimeClass: { scheduling: structure({ nodeSelector: ATOMIC }) },
  Service: {
    spec: spec({ ports: itemsBy(["port", "protocol"], STRUCTURE, TCP), selector: ATOMIC }),
    status: status({ conditions, loadBalancer: always(STRUCTURE) }),
  },
  ServiceAccount: { secrets: named(reference) },
  ServiceCIDR: withConditions,
  StatefulSet: workload({ updateStrategy: strategy }),
  StorageVersion: {
    status: status({
      conditions,
      storageVersions: itemsBy(["apiServerID"], structure({ decodableVersions: SET, servedVersions: SET })),
    }),
  },
  ValidatingAdmissionPolicy: {
    spec: spec({ ...policyMatch, variables: named() }),
    status: status({ conditions }),
  },
  ValidatingAdmissionPolicyBinding: {
    spec: spec({ matchResources: ATOMIC, paramRef: ATOMIC, validationActions: SET }),
  },
  ValidatingWebhookConfiguration: webhooks(),
};

/** What a table does not say. */
const ORDINARY = { metadata: METADATA, spec: always(STRUCTURE), status: always(STRUCTURE) };

const shapes = new Map<string, ObjectShape>();

/** Of a built-in kind, whose name is enough to tell it. */
export function builtInShape({ kind }: Kind): ObjectShape {
  const known = shapes.get(kind);
  if (known !== undefined) return known;
  const own = Object.hasOwn(byKind, kind) ? byKind[kind] : {};
  const shape = structure({ ...ORDINARY, ...own });
  shapes.set(kind, shape);
  return shape;
}
