import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";

/** What every object has, whether or not its schema says so. */
const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

export interface Pruned {
  value: JsonObject;
  /** The paths of the fields that were left out, sorted: `spec.foo`, `spec.ports[0].bar`. */
  unknown: string[];
}

/**
 * An object without the fields that its schema does not specify. Nothing is pruned where
 * `x-kubernetes-preserve-unknown-fields` stands, but what is specified below it is pruned again.
 *
 * Source: apiextensions-apiserver `pkg/apiserver/schema/pruning/algorithm.go`.
 */
export function prune(object: JsonObject, schema: Schema): Pruned {
  const unknown: string[] = [];
  const value = pruneObject(object, { ...schema, embedded: true }, "", unknown);
  return { value, unknown: unknown.sort() };
}

function pruneValue(value: Json, schema: Schema | undefined, path: string, unknown: string[]): Json {
  if (isJsonObject(value)) return pruneObject(value, schema, path, unknown);
  if (!Array.isArray(value)) return value;
  const { preservesUnknown = false, items } = schema ?? {};
  if (preservesUnknown && items === undefined) return value;
  const inside = preservesUnknown && items ? { ...items, preservesUnknown: true } : items;
  return value.map((item, i) => pruneValue(item, inside, `${path}[${i}]`, unknown));
}

function pruneObject(
  object: JsonObject,
  schema: Schema | undefined,
  path: string,
  unknown: string[],
): JsonObject {
  const kept: [string, Json][] = [];
  for (const [field, value] of Object.entries(object)) {
    const at = path === "" ? field : `${path}.${field}`;
    const property = schema?.properties.get(field);
    if (schema?.embedded && META_FIELDS.has(field)) kept.push([field, value]);
    else if (property) kept.push([field, pruneValue(value, property, at, unknown)]);
    else if (schema?.additional) {
      kept.push([field, pruneValue(value, schema.additional.schema, at, unknown)]);
    } else if (schema?.preservesUnknown) kept.push([field, value]);
    else unknown.push(at);
  }
  return Object.fromEntries(kept);
}
