import { jsonSyntaxFault } from "../decode/json-syntax.ts";
import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json } from "../json.ts";

/** Levels of nesting a patch, and what it makes, may have. Everything here may recurse, because nothing is deeper. */
const MAX_NESTING = 500;

/**
 * The patch as data. Text that is not JSON, is nested too deeply, or has a field named `__proto__` (which would not
 * survive an assignment) is a BadRequest.
 */
export function decodePatch(text: string): Outcome<Json> {
  let patch: Json;
  try {
    patch = JSON.parse(text) as Json;
  } catch {
    return undecodable(jsonSyntaxFault(text, MAX_NESTING) ?? "invalid JSON");
  }
  if (nestedTooDeeply(patch)) return undecodable("exceeded max depth");
  return namesPrototype(patch) ? undecodable('the field name "__proto__" is not allowed') : ok(patch);
}

function undecodable(detail: string): Outcome<never> {
  return refuse({ reason: "BadRequest", message: `error decoding patch: ${detail}` });
}

/** Goes level by level instead of recursing, so that hostile nesting costs no stack. */
export function nestedTooDeeply(value: Json): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap((node) => (typeof node === "object" && node !== null ? Object.values(node) : []));
  }
  return false;
}

function namesPrototype(value: Json): boolean {
  if (Array.isArray(value)) return value.some(namesPrototype);
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(namesPrototype);
}

/** What Go calls a value's JSON type when it was given the wrong one: `cannot unmarshal array into …`. */
export function goJsonType(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** As Go's `%v` prints decoded JSON: `map[image:nginx ports:[80 443]]`. */
export function goPrinted(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goPrinted).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([field, item]) => `${field}:${goPrinted(item)}`).join(" ")}]`;
}
