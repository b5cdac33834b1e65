import { isJsonObject, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { CRD_CLEANUP_FINALIZER } from "../kinds/custom-resource.ts";
import type { Addressed } from "../kinds/defaults.ts";
import { METADATA } from "./built-in-shapes.ts";
import { difference, type FieldSet, field, setOf, union } from "./field-set.ts";
import { structure } from "./field-shape.ts";
import { fieldsOf } from "./value-fields.ts";

/**
 * What the server says of every object: nobody owns it.
 * Source: k8s.io/apimachinery `util/managedfields/internal/stripmeta.go`.
 */
const SERVERS_FIELDS = setOf(
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "creationTimestamp"],
  ["metadata", "selfLink"],
  ["metadata", "uid"],
  ["metadata", "clusterName"],
  ["metadata", "generation"],
  ["metadata", "managedFields"],
  ["metadata", "resourceVersion"],
);

/** What the server adds to the objects of a kind, by store. */
const SERVERS_FIELDS_OF: Readonly<Record<string, FieldSet>> = {
  "customresourcedefinitions.apiextensions.k8s.io": union(
    SERVERS_FIELDS,
    union(
      setOf(["metadata", "finalizers"]),
      fieldsOf({ metadata: { finalizers: [CRD_CLEANUP_FINALIZER] } }, structure({ metadata: METADATA })),
    ),
  ),
};

/**
 * Of what a write changed, what its writer comes to own. A write to the object itself never changes the status, where that
 * is another part, nor the spec of a Namespace; that the server sets them makes nobody their owner.
 *
 * Source: `GetResetFields` of each kind's strategy in kubernetes `pkg/registry`.
 */
export function ownable(fields: FieldSet, kind: Kind, addressed: Addressed): FieldSet {
  const left = difference(fields, SERVERS_FIELDS_OF[kind.storedAs] ?? SERVERS_FIELDS);
  if (addressed !== undefined) return left;
  const apart = partsApart(kind)
    .map(field)
    .filter((part) => left.children.has(part));
  if (apart.length === 0) return left;
  const children = new Map(left.children);
  for (const part of apart) children.delete(part);
  return { member: left.member, children };
}

/** The part of a configuration that it may speak of where it is applied; what else it says is passed over. */
export function addressedPart(config: JsonObject, kind: Kind, addressed: Addressed): JsonObject {
  if (addressed === undefined) {
    const apart = new Set(partsApart(kind));
    return Object.fromEntries(Object.entries(config).filter(([name]) => !apart.has(name)));
  }
  const { apiVersion, kind: ofKind, metadata, status } = config;
  const { name, namespace, uid, resourceVersion } = isJsonObject(metadata) ? metadata : {};
  const identity = present({
    apiVersion,
    kind: ofKind,
    metadata: present({ name, namespace, uid, resourceVersion }),
  });
  switch (addressed) {
    case "status":
      return present({ ...identity, status });
    case "approval": {
      const { conditions } = isJsonObject(status) ? status : {};
      return present({ ...identity, ...(conditions === undefined ? {} : { status: { conditions } }) });
    }
    default:
      return config;
  }
}

function partsApart(kind: Kind): string[] {
  if (kind.storedAs === "namespaces") return ["spec", "status"];
  return kind.subresources.some(({ name }) => name === "status") ? ["status"] : [];
}

const present = (fields: { [field: string]: JsonObject[string] | undefined }): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonObject[string]] => entry[1] !== undefined),
  );
