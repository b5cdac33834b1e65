import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { builtInShape, METADATA } from "./built-in-shapes.ts";
import { ATOMIC, DEDUCED, type FieldShape, type ObjectShape, SET } from "./field-shape.ts";

/**
 * The shape of a kind's objects. `schema` is the one that a custom kind's definition gives the version that is written;
 * without it the shape is deduced from what is there.
 */
export function shapeOf(kind: Kind, schema: JsonObject | undefined): ObjectShape {
  if (!kind.traits.custom) return builtInShape(kind);
  return schema === undefined ? DEDUCED_OBJECT : customShape(schema);
}

/** Metadata is known of every object; in a custom one it is something that its creator brings. */
const CUSTOM_METADATA: readonly [string, FieldShape] = ["metadata", METADATA];

const TYPE: readonly (readonly [string, FieldShape])[] = [
  ["apiVersion", ATOMIC],
  ["kind", ATOMIC],
];

const DEDUCED_OBJECT: ObjectShape = { ...DEDUCED, rest: DEDUCED, fields: new Map([CUSTOM_METADATA]) };

/** Definitions are read once and kept, so their schemas are known by identity. */
const customShapes = new WeakMap<JsonObject, ObjectShape>();

function customShape(schema: JsonObject): ObjectShape {
  const known = customShapes.get(schema);
  if (known !== undefined) return known;
  const own = schemaShape(schema);
  const base = own.is === "object" ? own : DEDUCED;
  const shape: ObjectShape = {
    ...base,
    rest: base.rest,
    fields: new Map([...base.fields, ...TYPE, CUSTOM_METADATA]),
  };
  customShapes.set(schema, shape);
  return shape;
}

/**
 * By the extensions of a structural schema: lists are atomic unless `x-kubernetes-list-type` says otherwise, objects
 * granular unless `x-kubernetes-map-type` does.
 *
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/ (merge strategy), kube-openapi `schemaconv`.
 */
export function schemaShape(schema: Json | undefined): FieldShape {
  if (!isJsonObject(schema)) return DEDUCED;
  const { items, properties, additionalProperties } = schema;
  if (items !== undefined || schema.type === "array") return listShape(schema);
  if (schema["x-kubernetes-map-type"] === "atomic") return ATOMIC;
  const isObject = schema.type === "object" || properties !== undefined || additionalProperties !== undefined;
  if (!isObject) return schema["x-kubernetes-preserve-unknown-fields"] === true ? DEDUCED : ATOMIC;
  const fields = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, property]): readonly [string, FieldShape] => [name, schemaShape(property)],
  );
  const rest = isJsonObject(additionalProperties) ? schemaShape(additionalProperties) : DEDUCED;
  const isOpen =
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    Boolean(additionalProperties) ||
    fields.length === 0;
  if (schema["x-kubernetes-embedded-resource"] === true) fields.push(...TYPE, CUSTOM_METADATA);
  const shape: ObjectShape = { is: "object", fields: new Map(fields), rest, restIsNamed: false };
  return isOpen ? shape : { ...shape, closed: true };
}

function listShape(schema: JsonObject): FieldShape {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return SET;
    case "map":
      return itemsShape(schema);
    default:
      return ATOMIC;
  }
}

function itemsShape({ items, "x-kubernetes-list-map-keys": keys }: JsonObject): FieldShape {
  const names = Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
  if (names.length === 0) return ATOMIC;
  const properties = isJsonObject(items) && isJsonObject(items.properties) ? items.properties : {};
  const defaults = new Map<string, Json>();
  for (const name of names) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isJsonObject(property) && property.default !== undefined) defaults.set(name, property.default);
  }
  return { is: "items", keys: names.sort(), defaults, item: schemaShape(items) };
}
