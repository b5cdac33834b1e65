import type { JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import { contentFields } from "../objects/kinds/content-fields.ts";
import { ownSpec } from "./openapi-own-kinds.ts";
import { builtInProperties, type Schemas, schemaReference, typeName } from "./openapi-types.ts";

/** The schema that a custom resource's definition gives one of its versions. */
export type SchemaLookup = (kind: Kind, version: string) => JsonObject | undefined;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const OBJECT_META = `${META}.ObjectMeta`;
const OWNER_REFERENCE = `${META}.OwnerReference`;
const MANAGED_FIELDS = `${META}.ManagedFieldsEntry`;

const text = (description: string): JsonObject => ({ type: "string", description });
const flag = (description: string): JsonObject => ({ type: "boolean", description });
const time = (description: string): JsonObject => ({ type: "string", format: "date-time", description });
const whole = (description: string): JsonObject => ({ type: "integer", format: "int64", description });
const textMap = (description: string): JsonObject => ({
  type: "object",
  additionalProperties: { type: "string", default: "" },
  description,
});

/** The part of every object that the server itself understands. */
const metadataSchemas: Readonly<Record<string, JsonObject>> = {
  [OBJECT_META]: {
    description: "ObjectMeta is metadata that all persisted resources must have.",
    type: "object",
    properties: {
      annotations: textMap("Unstructured key value map that is kept with the object."),
      creationTimestamp: time("When the object was created. Set by the server."),
      deletionGracePeriodSeconds: whole(
        "Seconds the object may take to terminate. Set by the server with deletionTimestamp.",
      ),
      deletionTimestamp: time(
        "When the object is to be removed. Set by the server on a delete that has to wait, never unset.",
      ),
      finalizers: {
        description: "Must be empty before the object is removed; each entry names who has to act first.",
        type: "array",
        items: { type: "string", default: "" },
        "x-kubernetes-list-type": "set",
        "x-kubernetes-patch-strategy": "merge",
      },
      generateName: text("Prefix from which the server makes a unique name when there is none."),
      generation: whole("Counts the changes of the desired state. Set by the server."),
      labels: textMap("Map of keys and values by which objects are selected."),
      managedFields: {
        description: "Which client manages which fields.",
        type: "array",
        items: { default: {}, allOf: [schemaReference(MANAGED_FIELDS)] },
        "x-kubernetes-list-type": "atomic",
      },
      name: text("Unique within a namespace, for one kind. Cannot be updated."),
      namespace: text("The namespace of the object; empty for cluster-scoped kinds. Cannot be updated."),
      ownerReferences: {
        description:
          "Objects this one depends on. When all of them are gone, it is garbage collected. At most one is its controller.",
        type: "array",
        items: { default: {}, allOf: [schemaReference(OWNER_REFERENCE)] },
        "x-kubernetes-list-map-keys": ["uid"],
        "x-kubernetes-list-type": "map",
        "x-kubernetes-patch-merge-key": "uid",
        "x-kubernetes-patch-strategy": "merge",
      },
      resourceVersion: text("Opaque version of the object, for optimistic concurrency and watches."),
      selfLink: text("Deprecated, not set any more."),
      uid: text("Unique in time and space. Set by the server."),
    },
  },
  [OWNER_REFERENCE]: {
    description: "OwnerReference identifies an owner, in the same namespace or cluster-scoped.",
    type: "object",
    required: ["apiVersion", "kind", "name", "uid"],
    properties: {
      apiVersion: { ...text("API version of the owner."), default: "" },
      blockOwnerDeletion: flag("Whether a foreground deletion of the owner waits for this object."),
      controller: flag("Whether the owner is the managing controller."),
      kind: { ...text("Kind of the owner."), default: "" },
      name: { ...text("Name of the owner."), default: "" },
      uid: { ...text("UID of the owner."), default: "" },
    },
    "x-kubernetes-map-type": "atomic",
  },
  [MANAGED_FIELDS]: {
    description: "ManagedFieldsEntry says which fields a workflow manages.",
    type: "object",
    properties: {
      apiVersion: text("API version to which the field names belong."),
      fieldsType: text("Format of fieldsV1."),
      fieldsV1: {
        type: "object",
        description: "The field set.",
        "x-kubernetes-preserve-unknown-fields": true,
      },
      manager: text("Who manages the fields."),
      operation: text("Apply or Update."),
      subresource: text("Subresource that was used."),
      time: time("When the entry was added or changed."),
    },
  },
};

/** `io.k8s.api.apps.v1.Deployment`, `com.example.v1.Widget`. */
export function schemaName(kind: Kind, version: string): string {
  return kind.traits.custom
    ? `${kind.group.split(".").reverse().join(".")}.${version}.${kind.kind}`
    : typeName(apiVersion(kind.group, version), kind.kind);
}

export const groupVersionKind = (kind: Kind, version: string): JsonObject => ({
  group: kind.group,
  kind: kind.kind,
  version,
});

/**
 * The schemas of kinds, each in one version, with all that they refer to. A custom kind's is the one of its definition. A
 * built-in kind without known types is outlined: under its fields it takes any content.
 */
export function kindSchemas(
  kinds: Iterable<readonly [kind: Kind, version: string]>,
  schemaOf: SchemaLookup,
): Schemas {
  const schemas: Schemas = new Map(Object.entries(metadataSchemas));
  for (const [kind, version] of kinds) {
    const own = kind.traits.custom
      ? (schemaOf(kind, version) ?? outline(kind, version))
      : builtIn(kind, version, schemas);
    schemas.set(schemaName(kind, version), withKind(own, kind, version));
  }
  return schemas;
}

function withKind(own: JsonObject, kind: Kind, version: string): JsonObject {
  const properties = typeof own.properties === "object" ? own.properties : {};
  return {
    ...own,
    type: "object",
    properties: {
      ...properties,
      apiVersion: text("APIVersion defines the versioned schema of this representation of an object."),
      kind: text("Kind is a string value representing the REST resource this object represents."),
      metadata: {
        description: "Standard object's metadata.",
        default: {},
        allOf: [schemaReference(OBJECT_META)],
      },
    },
    "x-kubernetes-group-version-kind": [groupVersionKind(kind, version)],
  };
}

const describe = (kind: Kind, version: string): string =>
  `${kind.kind} of ${apiVersion(kind.group, version)}.`;

function builtIn(kind: Kind, version: string, schemas: Schemas): JsonObject {
  const properties = builtInProperties(kind, version, schemas);
  return properties === undefined
    ? outline(kind, version)
    : { description: describe(kind, version), properties };
}

function outline(kind: Kind, version: string): JsonObject {
  const anything = { "x-kubernetes-preserve-unknown-fields": true };
  const properties: JsonObject = {};
  for (const field of contentFields(kind)) {
    const open = field === "spec" || field === "status" ? { type: "object", ...anything } : anything;
    properties[field] = (field === "spec" ? ownSpec(kind) : undefined) ?? open;
  }
  return { description: describe(kind, version), properties, ...anything };
}
