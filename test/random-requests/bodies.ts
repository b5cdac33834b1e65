import type { Acquaintances, Known } from "./acquaintances.ts";
import type { Dice } from "./dice.ts";
import { DEFINED, nameOf, type Place, type Places, type ServedKind } from "./places.ts";

export type Sent = Record<string, unknown>;

const POD = { containers: [{ name: "c", image: "nginx" }] };
const TEMPLATE = { metadata: { labels: { app: "x" } }, spec: POD };
const SELECTOR = { matchLabels: { app: "x" } };

/** What makes an object of a kind a real one, where a rule looks into it. */
function contentOf(dice: Dice, { kind, apiVersion }: ServedKind, name: string): Sent {
  switch (kind) {
    case "ConfigMap":
      return { data: { k: "v", "other.key": "é\u{1f4a5}" }, ...(dice.percent(5) ? { immutable: true } : {}) };
    case "Secret":
      return { type: "Opaque", data: { k: "dg==" }, ...(dice.percent(10) ? { stringData: { s: "t" } } : {}) };
    case "Pod":
      return {
        spec: {
          ...POD,
          ...(dice.percent(40) ? { nodeName: dice.one(["a", "b"]) } : {}),
          terminationGracePeriodSeconds: dice.one([0, 1, 2, 30]),
        },
        ...(dice.percent(30) ? { status: { phase: dice.one(["Running", "Succeeded", "Failed"]) } } : {}),
      };
    case "ReplicationController":
      return { spec: { replicas: dice.below(4), selector: { app: "x" }, template: TEMPLATE } };
    case "ReplicaSet":
    case "Deployment":
    case "StatefulSet":
    case "DaemonSet":
      return { spec: { replicas: dice.below(4), selector: SELECTOR, template: TEMPLATE, serviceName: "s" } };
    case "Job":
      return {
        spec: {
          template: { spec: { ...POD, restartPolicy: "Never" } },
          ttlSecondsAfterFinished: dice.below(3),
        },
      };
    case "CronJob":
      return { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: POD } } } } };
    case "PodDisruptionBudget":
      return { spec: { minAvailable: 1, selector: SELECTOR }, status: { disruptionsAllowed: dice.below(2) } };
    case "Service":
      return {
        spec: {
          selector: { app: "x" },
          ports: [
            { name: "p", port: 80 },
            { name: "q", port: 81 },
          ],
        },
      };
    case "Event":
      return {
        involvedObject: { kind: "Pod", name: "a", namespace: "default" },
        regarding: { kind: "Pod", name: "a", namespace: "default" },
        reason: "R",
        eventTime: "2026-01-01T00:00:00.000000Z",
        action: "a",
        reportingController: "x.example.com/c",
        reportingInstance: "i",
        type: "Normal",
      };
    case "CustomResourceDefinition":
      return definition(dice, apiVersion, name);
    case "Namespace":
      return dice.percent(5) ? { spec: { finalizers: ["example.com/hold", "kubernetes"] } } : {};
    default:
      return dice.percent(50) ? { spec: {} } : {};
  }
}

function definition(dice: Dice, apiVersion: string, name: string): Sent {
  const { resource, kind, namespaced } =
    DEFINED.find((defined) => name.startsWith(defined.resource)) ?? dice.one(DEFINED);
  const openAPIV3Schema = dice.one<Sent>([
    { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            n: { type: "integer", minimum: 0, default: 1 },
            s: { type: "string", pattern: "^[a-z]*$" },
            l: {
              type: "array",
              items: { type: "object", properties: { k: { type: "string" } }, required: ["k"] },
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["k"],
            },
          },
        },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  ]);
  const subresources = {
    status: {},
    scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" },
  };
  const names = { plural: resource, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  const scope = namespaced ? "Namespaced" : "Cluster";
  const version = { name: "v1", served: true, storage: true };
  return apiVersion.endsWith("v1beta1")
    ? {
        spec: {
          group: "fuzz.example.com",
          names,
          scope,
          versions: [version],
          subresources,
          validation: { openAPIV3Schema },
        },
      }
    : {
        spec: {
          group: "fuzz.example.com",
          names,
          scope,
          versions: [{ ...version, subresources, schema: { openAPIV3Schema } }],
        },
      };
}

const reference = ({ apiVersion, kind, metadata }: Known, dice: Dice): Sent => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...(dice.percent(30) ? { blockOwnerDeletion: true } : {}),
  ...(dice.percent(10) ? { controller: true } : {}),
});

/** Of a known object, or wrong in one of its parts. */
function ownerReference(dice: Dice, known: Acquaintances): Sent {
  const owner = known.one(dice);
  const never = `00000000-0000-4000-8000-${String(dice.below(1e6)).padStart(12, "0")}`;
  if (owner === undefined) return { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: never };
  const right = reference(owner, dice);
  if (dice.percent(70)) return right;
  return {
    ...right,
    ...dice.one<Sent>([
      { uid: never },
      { name: "other" },
      { kind: "Nope" },
      { apiVersion: "nope.example.com/v1" },
      { kind: "Secret", apiVersion: "v1" },
      { uid: "" },
      { uid: 5 },
      { apiVersion: "a/b/c" },
      { name: null },
    ]),
  };
}

const FINALIZERS = [
  "example.com/hold",
  "example.com/other",
  "foregroundDeletion",
  "orphan",
  "kubernetes",
  "unqualified",
];

export function metadataOf(dice: Dice, { kind, namespace, name }: Place, known: Acquaintances): Sent {
  const owners = dice.percent(35)
    ? Array.from({ length: 1 + dice.below(3) }, () => ownerReference(dice, known))
    : undefined;
  return {
    ...(dice.percent(6) ? { generateName: "gen-" } : { name: name ?? nameOf(dice, kind) }),
    ...(namespace !== undefined && dice.percent(30) ? { namespace } : {}),
    ...(dice.percent(40)
      ? { labels: { app: dice.one(["x", "y"]), [dice.one(["tier", "example.com/t"])]: dice.one(["", "z"]) } }
      : {}),
    ...(dice.percent(10) ? { annotations: { "example.com/a": "b" } } : {}),
    ...(owners ? { ownerReferences: owners } : {}),
    ...(dice.percent(12) ? { finalizers: [dice.one(FINALIZERS)] } : {}),
    ...(dice.percent(3)
      ? {
          managedFields: dice.one<unknown>([
            [{}],
            [],
            null,
            "x",
            [{ manager: "m", operation: "Update", fieldsType: "FieldsV1", fieldsV1: { "f:data": {} } }],
            [{ manager: 5, operation: "Nope" }],
          ]),
        }
      : {}),
    ...(dice.percent(2) ? { resourceVersion: dice.one(["1", "0", "", "x", "99999999999999999999999"]) } : {}),
    ...(dice.percent(2) ? { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 } : {}),
    ...(dice.percent(2)
      ? { uid: "given", creationTimestamp: "yesterday", generation: -1, selfLink: "/x" }
      : {}),
  };
}

export function validObject(dice: Dice, place: Place, known: Acquaintances): Sent {
  const { kind } = place;
  const metadata = metadataOf(dice, place, known);
  const name = String(metadata.name ?? "");
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata,
    ...contentOf(dice, kind, name),
  };
}

/** As somebody sends back what was got, with something changed. */
export function knownObject(dice: Dice, place: Place, known: Acquaintances): Sent {
  const found = known.named(place.name ?? "", place.kind.kind);
  if (found === undefined) return validObject(dice, place, known);
  const sent = structuredClone(found) as Sent & Known;
  const metadata = sent.metadata as Sent;
  const others = metadataOf(dice, place, known);
  for (const field of ["labels", "ownerReferences", "finalizers", "managedFields"]) {
    if (others[field] !== undefined) metadata[field] = others[field];
    else if (dice.percent(15)) delete metadata[field];
  }
  if (dice.percent(25)) delete metadata.resourceVersion;
  return sent;
}

/** What a subresource takes, or any other kind where there is none. */
export function subresourceBody(dice: Dice, place: Place, places: Places, known: Acquaintances): Sent {
  const { name = "a", namespace } = place;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  switch (place.subresource) {
    case "eviction":
      return {
        apiVersion: dice.one(["policy/v1", "policy/v1beta1"]),
        kind: "Eviction",
        metadata,
        deleteOptions: deleteOptions(dice, known),
      };
    case "binding":
      return {
        apiVersion: "v1",
        kind: "Binding",
        metadata,
        target: { apiVersion: "v1", kind: "Node", name: dice.one(["a", "b", ""]) },
      };
    case "scale":
      return {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata,
        spec: { replicas: dice.one<unknown>([0, 3, -1, 1e12, "x", null]) },
      };
    default:
      return dice.percent(80)
        ? knownObject(dice, place, known)
        : validObject(dice, { ...place, kind: places.kind(dice) }, known);
  }
}

export function deleteOptions(dice: Dice, known: Acquaintances): Sent | undefined {
  if (dice.percent(30)) return undefined;
  const found = known.one(dice)?.metadata;
  return {
    ...(dice.percent(70)
      ? {
          apiVersion: dice.one(["v1", "meta.k8s.io/v1", "apps/v1", "x/y/z"]),
          kind: dice.percent(97) ? "DeleteOptions" : "ConfigMap",
        }
      : {}),
    ...(dice.percent(60)
      ? {
          propagationPolicy: dice.one<unknown>([
            "Background",
            "Foreground",
            "Orphan",
            "Foreground",
            "Orphan",
            "Sideways",
            "",
            5,
            null,
          ]),
        }
      : {}),
    ...(dice.percent(10) ? { orphanDependents: dice.one<unknown>([true, false, "true", null]) } : {}),
    ...(dice.percent(30)
      ? { gracePeriodSeconds: dice.one<unknown>([0, 0, 0, 1, -1, 1e30, "5", null, 2.5]) }
      : {}),
    ...(dice.percent(15)
      ? {
          preconditions: dice.one<unknown>([
            { uid: found?.uid },
            { resourceVersion: found?.resourceVersion },
            { uid: "x" },
            { resourceVersion: 5 },
            null,
            [],
          ]),
        }
      : {}),
    ...(dice.percent(5) ? { dryRun: dice.one<unknown>([["All"], [], ["All", "All"], "All", ["Some"]]) } : {}),
  };
}

/** A change outside the metadata that means something to some kinds. */
export const contentPatch = (dice: Dice): Sent =>
  dice.one<Sent>([
    { data: { k: "w", gone: null } },
    { data: null },
    { spec: { replicas: 2 } },
    { spec: { finalizers: [] } },
    { spec: { template: { spec: { containers: [] } } } },
    { status: { phase: "Succeeded", conditions: [{ type: "Ready", status: "True" }] } },
    { status: { disruptionsAllowed: 1 } },
    { status: null },
    { spec: { versions: null } },
    { spec: { n: 3, s: "ok", l: [{ k: "a" }] } },
    { immutable: true },
    { kind: "Other" },
    { apiVersion: "v2" },
  ]);
