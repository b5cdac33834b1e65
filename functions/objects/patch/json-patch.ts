import { applyPatch as applyOperations, type Operation, Pointer } from "rfc6902";
import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../json.ts";
import { goJsonType, nestedTooDeeply } from "./patch-text.ts";

const MAX_OPERATIONS = 10_000;
/**
 * Characters that `copy` and `move` may carry in one patch. A few copies of the document into itself would otherwise
 * double it each time; upstream has the same limit, in bytes, for copies.
 */
const MAX_CARRIED = 3 * 1024 * 1024;

/**
 * JSON patch (RFC 6902), all or nothing. `document` is worked on and must be thrown away when the patch is refused.
 *
 * What does not decode is a BadRequest, more than 10,000 operations are RequestEntityTooLarge, and what cannot be
 * applied (a failed `test`, an unknown `op`, a path that leads nowhere) is an UnprocessablePatch. As upstream has it, a
 * `test` for null also passes where the field is absent, and no operation addresses the whole document.
 */
export function jsonPatch(document: JsonObject, patch: Json): Outcome<JsonObject> {
  if (!Array.isArray(patch)) return undecodable(patch, "Patch");
  if (patch.length > MAX_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`;
    return refuse({ reason: "RequestEntityTooLarge", message });
  }
  const misfit = patch.find((operation) => operation !== null && !isJsonObject(operation));
  if (misfit !== undefined) return undecodable(misfit, "Operation");

  const budget = { left: MAX_CARRIED };
  const applied = patch.every(
    (operation) => isJsonObject(operation) && applyOperation(document, operation, budget),
  );
  return applied && !nestedTooDeeply(document) ? ok(document) : refuse({ reason: "UnprocessablePatch" });
}

function undecodable(value: Json, wanted: "Patch" | "Operation"): Outcome<never> {
  const message = `error decoding patch: json: cannot unmarshal ${goJsonType(value)} into Go value of type jsonpatch.${wanted}`;
  return refuse({ reason: "BadRequest", message });
}

function applyOperation(document: JsonObject, operation: JsonObject, budget: { left: number }): boolean {
  const { op, value } = operation;
  const path = pointerOf(operation.path);
  if (path === undefined) return false;
  switch (op) {
    case "add":
      return value !== undefined && add(document, path, value);
    case "remove":
      return remove(document, path);
    case "replace":
      return (
        value !== undefined && exists(document, path) && apply(document, { op, path: text(path), value })
      );
    case "test":
      return value !== undefined && passes(document, path, value);
    case "move": {
      const carried = carriedFrom(document, operation.from, budget);
      if (carried === undefined || isInside(path, carried.from)) return false;
      return remove(document, carried.from) && add(document, path, carried.value);
    }
    case "copy": {
      const carried = carriedFrom(document, operation.from, budget);
      return carried !== undefined && add(document, path, carried.value);
    }
    default:
      return false;
  }
}

/** The library makes `move` and `copy` without looking at list bounds, so they are made of its `remove` and `add`. */
function carriedFrom(document: JsonObject, at: Json | undefined, budget: { left: number }) {
  const from = pointerOf(at);
  const value = from && valueAt(document, from);
  if (from === undefined || value === undefined || nestedTooDeeply(value)) return undefined;
  budget.left -= JSON.stringify(value).length;
  return budget.left < 0 ? undefined : { from, value };
}

function add(document: JsonObject, path: Pointer, value: Json): boolean {
  return (
    isContainer(valueAt(document, path.parent())) && apply(document, { op: "add", path: text(path), value })
  );
}

function remove(document: JsonObject, path: Pointer): boolean {
  return exists(document, path) && apply(document, { op: "remove", path: text(path) });
}

function passes(document: JsonObject, path: Pointer, expected: Json): boolean {
  const actual = valueAt(document, path);
  if (actual !== undefined) return jsonEqual(actual, expected);
  return expected === null && isJsonObject(valueAt(document, path.parent()));
}

function apply(document: JsonObject, operation: Operation): boolean {
  return applyOperations(document, [operation]).every((fault) => fault === null);
}

/** The library steps over such a segment, and so would write to its parent. */
const FORBIDDEN_SEGMENTS: readonly string[] = ["__proto__", "constructor", "prototype"];

function pointerOf(path: Json | undefined): Pointer | undefined {
  if (typeof path !== "string" || !path.startsWith("/")) return undefined;
  const pointer = Pointer.fromJSON(path);
  return pointer.tokens.some((token) => FORBIDDEN_SEGMENTS.includes(token)) ? undefined : pointer;
}

const text = (pointer: Pointer): string => pointer.toString();
const isContainer = (value: Json | undefined): boolean => Array.isArray(value) || isJsonObject(value);
const exists = (document: JsonObject, path: Pointer): boolean => valueAt(document, path) !== undefined;

/** Reads own fields and list items only: not `length`, not what every object inherits. */
function valueAt(document: JsonObject, { tokens }: Pointer): Json | undefined {
  let value: Json | undefined = document;
  for (const token of tokens.slice(1)) {
    if (Array.isArray(value)) value = /^(0|[1-9][0-9]*)$/.test(token) ? value[Number(token)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}

function isInside(path: Pointer, ancestor: Pointer): boolean {
  return (
    path.tokens.length > ancestor.tokens.length &&
    ancestor.tokens.every((token, i) => token === path.tokens[i])
  );
}
