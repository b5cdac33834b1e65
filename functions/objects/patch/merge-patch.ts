import { isJsonObject, type Json, type JsonObject } from "../json.ts";

/**
 * JSON merge patch (RFC 7386): objects merge field by field, null deletes, anything else replaces, lists included.
 * Neither argument is modified; the result may share parts with both.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else merged[field] = mergedValue(Object.hasOwn(target, field) ? target[field] : undefined, value);
  }
  return merged;
}

/** A patch that meets no object merges into an empty one, so that its nulls never reach the result. */
function mergedValue(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  return mergePatch(isJsonObject(target) ? target : {}, patch);
}
