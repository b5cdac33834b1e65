import { isJsonObject, type Json } from "../json.ts";
import { type Field, type FieldType, jsonType, type StructType } from "./typed-fields.ts";

const string: FieldType = { is: "string" };
const bool: FieldType = { is: "bool" };
const int64: FieldType = { is: "int64" };
const time: FieldType = { is: "time" };
const strings: FieldType = { is: "list", of: string, go: "[]string" };
const stringMap: FieldType = { is: "map", of: string };
const bytesMap: FieldType = { is: "map", of: { is: "bytes" } };

const optional = (go: string, type: FieldType): Field => ({ go, type, zero: "omitted" });
const pointer = (go: string, type: FieldType): Field => ({ go, type, zero: "pointer" });
const always = (go: string, type: FieldType): Field => ({ go, type, zero: "always" });

const struct = (go: string, fields: Record<string, Field>): StructType => ({
  is: "struct",
  go,
  fields: new Map(Object.entries(fields)),
  others: "dropped",
});

const ownerReference = struct("v1.OwnerReference", {
  apiVersion: always("APIVersion", string),
  kind: always("Kind", string),
  name: always("Name", string),
  uid: always("UID", string),
  controller: pointer("Controller", bool),
  blockOwnerDeletion: pointer("BlockOwnerDeletion", bool),
});

/** In the order in which upstream prints the fields. `selfLink` and `clusterName` are read and never kept. */
const objectMeta = struct("v1.ObjectMeta", {
  name: optional("Name", string),
  generateName: optional("GenerateName", string),
  namespace: optional("Namespace", string),
  selfLink: optional("SelfLink", string),
  uid: optional("UID", string),
  resourceVersion: optional("ResourceVersion", string),
  generation: optional("Generation", int64),
  creationTimestamp: optional("CreationTimestamp", time),
  deletionTimestamp: optional("DeletionTimestamp", time),
  deletionGracePeriodSeconds: pointer("DeletionGracePeriodSeconds", int64),
  labels: optional("Labels", stringMap),
  annotations: optional("Annotations", stringMap),
  ownerReferences: optional("OwnerReferences", {
    is: "list",
    of: ownerReference,
    go: "[]v1.OwnerReference",
  }),
  finalizers: optional("Finalizers", strings),
  clusterName: optional("ClusterName", string),
  // An empty list is not the same as none: it clears them.
  managedFields: pointer("ManagedFields", {
    is: "list",
    of: { is: "object" },
    go: "[]v1.ManagedFieldsEntry",
  }),
});

/** The fields outside the metadata that are brought into canonical form. The types of all others are in `content-types.ts`. */
const CORE_FIELDS: Readonly<Record<string, Record<string, Field>>> = {
  ConfigMap: {
    immutable: pointer("Immutable", bool),
    data: optional("Data", stringMap),
    binaryData: optional("BinaryData", bytesMap),
  },
  Secret: {
    immutable: pointer("Immutable", bool),
    data: optional("Data", bytesMap),
    stringData: optional("StringData", stringMap),
    type: optional("Type", string),
  },
};

export interface ExpectedKind {
  /** `""` is the core group. */
  group: string;
  version: string;
  kind: string;
  custom: boolean;
  /** All top-level fields, where they are known. */
  fields?: readonly string[] | undefined;
}

export function objectType({ group, version, kind }: ExpectedKind): StructType {
  const own = group === "" && Object.hasOwn(CORE_FIELDS, kind) ? CORE_FIELDS[kind] : {};
  return {
    ...struct(`${version}.${kind}`, {
      metadata: optional("ObjectMeta", objectMeta),
      ...own,
    }),
    others: "kept",
  };
}

/** A custom resource is checked from its metadata on: its own structure is not known as a Go type. */
export const METADATA: StructType = objectMeta;

export const DELETE_OPTIONS: StructType = struct("v1.DeleteOptions", {
  gracePeriodSeconds: pointer("GracePeriodSeconds", int64),
  preconditions: pointer(
    "Preconditions",
    struct("v1.Preconditions", {
      uid: pointer("UID", string),
      resourceVersion: pointer("ResourceVersion", string),
    }),
  ),
  orphanDependents: pointer("OrphanDependents", bool),
  propagationPolicy: pointer("PropagationPolicy", string),
  dryRun: optional("DryRun", strings),
});

/** The type an object claims to be; what is empty, null or absent is left out. The fault is in upstream's words. */
export function apiVersionAndKind(value: Json): { apiVersion?: string; kind?: string } | { fault: string } {
  const fault = (wrong: Json, target: string) => ({
    fault: `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(wrong)} into ${target}`,
  });
  if (value === null) return {};
  if (!isJsonObject(value)) {
    return fault(
      value,
      'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
  }
  const claimed: { apiVersion?: string; kind?: string } = {};
  for (const field of Object.keys(value)) {
    if (field !== "apiVersion" && field !== "kind") continue;
    const text = value[field] ?? "";
    if (typeof text !== "string") return fault(text, `Go struct field .${field} of type string`);
    if (text !== "") claimed[field] = text;
  }
  if (claimed.apiVersion !== undefined && claimed.apiVersion.split("/").length > 2) {
    return { fault: `unexpected GroupVersion string: ${claimed.apiVersion}` };
  }
  return claimed;
}
