import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";

/**
 * An object with the defaults of its schema. A null that is not allowed counts as absent where there is a default;
 * a field that holds one and has no default goes when `dropsNulls`.
 *
 * Source: apiextensions-apiserver `pkg/apiserver/schema/defaulting` (Default, PruneNonNullableNullsWithoutDefaults).
 */
export function withSchemaDefaults(object: JsonObject, schema: Schema, dropsNulls: boolean): JsonObject {
  return filledObject(dropsNulls ? withoutNulls(object, schema) : object, schema);
}

const isDisallowedNull = (value: Json | undefined, schema: Schema): boolean =>
  value === null && !schema.nullable;

const schemaOf = (field: string, { properties, additional }: Schema): Schema | undefined =>
  properties.get(field) ?? additional?.schema;

function filled(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value;
  if (isJsonObject(value)) return filledObject(value, schema);
  if (!Array.isArray(value) || schema.items === undefined) return value;
  const { items } = schema;
  return value.map((item) => filled(isDisallowedNull(item, items) ? defaultOf(items) : item, items));
}

function filledObject(object: JsonObject, schema: Schema): JsonObject {
  const entries = new Map(Object.entries(object));
  for (const [field, property] of schema.properties) {
    if (property.default === undefined) continue;
    if (!entries.has(field) || isDisallowedNull(entries.get(field), property)) {
      entries.set(field, defaultOf(property));
    }
  }
  for (const [field, value] of entries) {
    const inside = schemaOf(field, schema);
    if (inside === undefined) continue;
    const here = isDisallowedNull(value, inside) ? defaultOf(inside) : value;
    entries.set(field, filled(here, inside));
  }
  return Object.fromEntries(entries);
}

const defaultOf = (schema: Schema): Json => structuredClone(schema.default ?? null);

function withoutNulls(object: JsonObject, schema: Schema): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([field, value]): [string, Json][] => {
      const inside = schemaOf(field, schema);
      if (inside === undefined) return [[field, value]];
      if (isDisallowedNull(value, inside) && inside.default === undefined) return [];
      return [[field, withoutNullsIn(value, inside)]];
    }),
  );
}

function withoutNullsIn(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value;
  if (isJsonObject(value)) return withoutNulls(value, schema);
  return Array.isArray(value) ? value.map((item) => withoutNullsIn(item, schema.items)) : value;
}
