import { type Outcome, ok } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { fieldsOf, patchDirectiveOf, readPatch, withoutDirectives } from "./directives.ts";
import type { MergeRule, MergeRules } from "./merge-keys.ts";
import { mergeItems, mergeSet } from "./merge-lists.ts";

/**
 * Strategic merge patch, as apimachinery's `strategicpatch` applies one: objects merge field by field, null deletes, and
 * lists merge by the kind's rules. Neither argument is modified; the result may share parts with both.
 *
 * A field is treated in this order: `$retainKeys`, `$deleteFromPrimitiveList`, the change, `$setElementOrder`. Of a list
 * without a rule the scalars can be deleted too; its order cannot be set.
 */
export function strategicMerge(
  original: JsonObject,
  patch: JsonObject,
  rules: MergeRules,
): Outcome<JsonObject> {
  const directive = patchDirectiveOf(patch);
  if (!directive.ok) return directive;
  if (directive.value === "replace") return ok(fieldsOf(patch));
  if (directive.value === "delete") return ok({});

  const read = readPatch(patch);
  if (!read.ok) return read;
  const { changes, retained, deletions, orders } = read.value;

  const merged: JsonObject = {};
  for (const [field, value] of Object.entries(original)) {
    if (retained && !retained.has(field)) continue;
    const deleted = deletions.get(field);
    merged[field] = deleted && Array.isArray(value) ? without(value, deleted) : value;
  }
  for (const field of new Set([...Object.keys(changes), ...orders.keys()])) {
    const outcome = mergeField(own(merged, field), own(changes, field), own(rules, field), orders.get(field));
    if (!outcome.ok) return outcome;
    if (outcome.value === undefined) delete merged[field];
    else merged[field] = outcome.value;
  }
  return ok(merged);
}

/** undefined stands for an absent field: as `change` it leaves the field be, as the result it removes it. */
function mergeField(
  current: Json | undefined,
  change: Json | undefined,
  rule: MergeRule | undefined,
  order: readonly Json[] | undefined,
): Outcome<Json | undefined> {
  if (change === null) return ok(undefined);
  if (Array.isArray(current) && (Array.isArray(change) || change === undefined)) {
    return mergeList(current, change ?? [], rule, order, change !== undefined);
  }
  if (change === undefined) return ok(current);
  if (Array.isArray(change) && order) return mergeList([], change, rule, order, true);
  if (isJsonObject(current) && isJsonObject(change)) {
    if (rule?.merge === "never") return ok(fieldsOf(change));
    return strategicMerge(current, change, rule?.merge === "object" ? rule.fields : {});
  }
  return ok(withoutDirectives(change));
}

function mergeList(
  current: readonly Json[],
  change: readonly Json[],
  rule: MergeRule | undefined,
  order: readonly Json[] | undefined,
  changed: boolean,
): Outcome<Json | undefined> {
  if (rule?.merge === "set") return mergeSet(current, change, order);
  if (rule?.merge !== "items") return ok(changed ? withoutDirectives([...change]) : [...current]);
  const { key, fields } = rule;
  return mergeItems(current, change, key, order, (item, patch) => strategicMerge(item, patch, fields));
}

function without(list: readonly Json[], deleted: readonly Json[]): Json[] {
  const gone = new Set(deleted);
  return list.filter((item) => !gone.has(item));
}

/** A field that the object itself has: `constructor` is a name like any other. */
function own<T>(fields: { readonly [field: string]: T }, field: string): T | undefined {
  return Object.hasOwn(fields, field) ? fields[field] : undefined;
}
