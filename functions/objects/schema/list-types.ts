import type { FieldError } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { duplicate, invalid } from "./faults.ts";
import type { Schema } from "./schema.ts";

/**
 * Items that come twice in lists that are sets or maps. Each is told once, where it comes the second time.
 * Source: apiextensions-apiserver `pkg/apiserver/schema/listtype/validation.go`.
 */
export function validateListTypes(object: JsonObject, schema: Schema, field = ""): FieldError[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const property = schema.properties.get(name);
    if (property) return inside(value, property, field === "" ? name : `${field}.${name}`);
    const { schema: others } = schema.additional ?? {};
    return others ? inside(value, others, `${field}[${name}]`) : [];
  });
}

function inside(value: Json, schema: Schema, field: string): FieldError[] {
  if (isJsonObject(value)) return validateListTypes(value, schema, field);
  if (!Array.isArray(value)) return [];
  const { items } = schema;
  return [
    ...validateItems(value, schema, field),
    ...(items ? value.flatMap((item, i) => inside(item, items, `${field}[${i}]`)) : []),
  ];
}

function validateItems(
  list: readonly Json[],
  { listType, listMapKeys }: Schema,
  field: string,
): FieldError[] {
  switch (listType) {
    case "atomic":
      return [];
    case "set":
      return duplicates(list, field);
    case "map": {
      const other = list.findIndex((item) => item !== null && !isJsonObject(item));
      if (other >= 0) {
        const detail = "must be an object for an array of list-type map";
        return [invalid(`${field}[${other}]`, list[other] ?? null, detail)];
      }
      return duplicates(
        list.map((item) => keysOf(item, listMapKeys)),
        field,
      );
    }
  }
}

/** A key that is not there differs from one that is null. */
function keysOf(item: Json, keys: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key] ?? null]),
  );
}

function duplicates(items: readonly Json[], field: string): FieldError[] {
  const times = new Map<string, number>();
  return items.flatMap((item, i) => {
    const text = canonical(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [duplicate(`${field}[${i}]`, item)] : [];
  });
}

/** The same text for values that are equal, whatever the order of their fields. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
