import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { goPrinted } from "./patch-text.ts";

const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList";
const SET_ELEMENT_ORDER = "$setElementOrder";

export type PatchDirective = "merge" | "replace" | "delete";

/** One object of a strategic merge patch, told apart into what it changes and how. */
export interface ReadPatch {
  /** Its fields without the directives; null deletes. */
  readonly changes: JsonObject;
  /** `$retainKeys`: the only fields that survive. */
  readonly retained?: ReadonlySet<Json>;
  /** `$deleteFromPrimitiveList/<field>`, by field. */
  readonly deletions: ReadonlyMap<string, readonly Json[]>;
  /** `$setElementOrder/<field>`, by field: scalars, or objects that hold the merge key. */
  readonly orders: ReadonlyMap<string, readonly Json[]>;
}

/**
 * `$patch` of an object or a list item, `merge` when it has none. Saying `merge` is allowed here, where upstream answers
 * with an error, for it asks for what happens anyway. Any other word is upstream's 500.
 */
export function patchDirectiveOf(patch: JsonObject): Outcome<PatchDirective> {
  const directive = patch[PATCH];
  if (directive === undefined) return ok("merge");
  if (directive === "merge" || directive === "replace" || directive === "delete") return ok(directive);
  const message = `unknown patch type: ${goPrinted(directive)} in map: ${goPrinted(patch)}`;
  return refuse({ reason: "Unknown", message });
}

/** A directive of the wrong shape is a BadRequest in upstream's words. */
export function readPatch(patch: JsonObject): Outcome<ReadPatch> {
  const changes: JsonObject = {};
  const deletions = new Map<string, readonly Json[]>();
  const orders = new Map<string, readonly Json[]>();
  for (const [field, value] of Object.entries(patch)) {
    if (!isDirective(field)) {
      changes[field] = value;
    } else if (field.startsWith(DELETE_FROM_PRIMITIVE_LIST)) {
      const list = listField(field, DELETE_FROM_PRIMITIVE_LIST);
      if (list === undefined || !isScalarList(value)) return malformed("primitive list");
      deletions.set(list, value);
    } else if (field.startsWith(SET_ELEMENT_ORDER)) {
      const list = listField(field, SET_ELEMENT_ORDER);
      if (list === undefined || !Array.isArray(value)) return malformed("setElementOrder list");
      orders.set(list, value);
    }
  }
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return ok({ changes, deletions, orders });

  const keys = patch[RETAIN_KEYS];
  const retained = Array.isArray(keys) ? new Set(keys) : undefined;
  const outside = Object.keys(changes).some((field) => changes[field] !== null && !retained?.has(field));
  return retained === undefined || outside
    ? malformed("retainKeys")
    : ok({ changes, retained, deletions, orders });
}

/**
 * A part of the patch that meets nothing to merge with, as it is stored: no directive is left, nulls have nothing to
 * delete, and what is marked for deletion is not added. undefined when that is the value itself.
 *
 * Upstream drops an object marked `replace` that has nothing to replace; here it keeps what it says.
 */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !(isJsonObject(item) && item[PATCH] === "replace"))
      .map(withoutDirectives)
      .filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  const directive = patchDirectiveOf(value);
  return directive.ok && directive.value !== "delete" ? fieldsOf(value) : undefined;
}

/** The fields of an object of the patch that is taken as it is, whatever its own directive says. */
export function fieldsOf(patch: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const [field, value] of Object.entries(patch)) {
    const stored = isDirective(field) || value === null ? undefined : withoutDirectives(value);
    if (stored !== undefined) fields[field] = stored;
  }
  return fields;
}

function isDirective(field: string): boolean {
  return (
    field === PATCH ||
    field === RETAIN_KEYS ||
    field.startsWith(DELETE_FROM_PRIMITIVE_LIST) ||
    field.startsWith(SET_ELEMENT_ORDER)
  );
}

function listField(directive: string, prefix: string): string | undefined {
  return directive[prefix.length] === "/" ? directive.slice(prefix.length + 1) : undefined;
}

function isScalarList(value: Json): value is Json[] {
  return Array.isArray(value) && value.every((item) => typeof item !== "object");
}

function malformed(what: string): Outcome<never> {
  return refuse({ reason: "BadRequest", message: `invalid patch format of ${what}` });
}
