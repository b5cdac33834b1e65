import { isJsonObject, type Json, type JsonObject } from "../json.ts";

/**
 * A copy of `object` in which the fields it does not have, or has as null, are those of `defaults`; objects are
 * filled field by field, lists are taken or left whole.
 */
export function withAbsent(object: JsonObject, defaults: JsonObject): JsonObject {
  const filled: JsonObject = { ...object };
  for (const [field, value] of Object.entries(defaults)) {
    const present = filled[field];
    if (present === undefined || present === null) filled[field] = structuredClone(value);
    else if (isJsonObject(present) && isJsonObject(value)) filled[field] = withAbsent(present, value);
  }
  return filled;
}

/** A copy with one field set, or without it when the value is undefined. */
export function withField(object: JsonObject, field: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [field]: value };
  const { [field]: _, ...rest } = object;
  return rest;
}
