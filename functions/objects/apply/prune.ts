import type { Json, JsonObject } from "../json.ts";
import {
  difference,
  EMPTY_SET,
  type FieldSet,
  field,
  intersection,
  isEmpty,
  type PathElement,
  union,
} from "./field-set.ts";
import {
  DEDUCED,
  divide,
  elementOf,
  type FieldShape,
  fieldShape,
  isNamed,
  itemShape,
} from "./field-shape.ts";
import { fieldsOf } from "./value-fields.ts";

/**
 * Takes out of a merged object what its applier applied the last time, does not apply now, and nobody else owns. A structure
 * goes when all that was owned in it goes, and with it what nobody owns, such as defaults.
 *
 * @param last what the applier owned before
 * @param owned what anybody owns now, the applier's new configuration included
 *
 * Source: sigs.k8s.io/structured-merge-diff `merge/update.go` (prune, addBackOwnedItems, addBackDanglingItems).
 */
export function prune(merged: JsonObject, last: FieldSet, owned: FieldSet, shape: FieldShape): JsonObject {
  if (isEmpty(last)) return merged;
  const all = withStructures(fieldsOf(merged, shape), shape);
  const candidates = withStructures(last, shape);
  const left = withStructures(fieldsOf(without(merged, candidates, shape), shape), shape);
  const kept = union(left, withStructures(owned, shape));
  const reduced = withStructures(fieldsOf(without(merged, difference(all, kept), shape), shape), shape);
  const gone = intersection(difference(all, reduced), candidates);
  return isEmpty(gone) ? merged : (withoutKeepingSort(merged, gone, shape) as JsonObject);
}

/** A set with the structures on the way to its members, which are not owned themselves. */
function withStructures(set: FieldSet, shape: FieldShape): FieldSet {
  if (set.children.size === 0) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const isField = shape.is === "object" && element.startsWith("f:");
    const name = element.slice(2);
    const below = isField
      ? withStructures(child, fieldShape(shape, name))
      : shape.is === "items"
        ? withStructures(child, shape.item)
        : child;
    const isStructure = isField && child.children.size > 0 && isNamed(shape, name);
    children.set(element, isStructure ? { ...below, member: true } : below);
  }
  return { member: set.member, children };
}

/** What has lost everything in it becomes null, as upstream counts. */
const without = (value: Json, gone: FieldSet, shape: FieldShape): Json =>
  remove(value, gone, shape, () => null);

/** What has lost everything in it stays what it was, an object or a list. */
const withoutKeepingSort = (value: Json, gone: FieldSet, shape: FieldShape): Json =>
  remove(value, gone, shape, (was) => (Array.isArray(was) ? [] : {}));

function remove(value: Json, gone: FieldSet, shape: FieldShape, emptied: (was: Json) => Json): Json {
  const divided = divide(value, shape);
  if (divided === undefined || gone.children.size === 0) return value;
  const left = (item: Json, element: PathElement | undefined, below: FieldShape): Json | undefined => {
    const node = (element && gone.children.get(element)) ?? EMPTY_SET;
    return node.member ? undefined : remove(item, node, below, emptied);
  };
  if (divided.into === "items") {
    const items = divided.value
      .map((item) => left(item, elementOf(item, divided.shape), itemShape(divided.shape)))
      .filter((item) => item !== undefined);
    return items.length === 0 && divided.value.length > 0 ? emptied(value) : items;
  }
  const fields: JsonObject = {};
  for (const [name, item] of Object.entries(divided.value)) {
    const kept = left(item, field(name), fieldShape(divided.shape, name));
    if (kept !== undefined) fields[name] = kept;
  }
  return Object.keys(fields).length === 0 ? emptied(value) : fields;
}

/**
 * What is owned in a shape that has changed since: who owned fields of what is not divided any more owns it as a whole.
 * What has become divided stays as it is.
 *
 * Source: sigs.k8s.io/structured-merge-diff `typed/reconcile_schema.go`.
 */
export function reconciled(set: FieldSet, shape: FieldShape): FieldSet {
  if (set.children.size === 0 || shape === DEDUCED) return set;
  const children = new Map<PathElement, FieldSet>();
  let changed = false;
  for (const [element, child] of set.children) {
    const below =
      shape.is === "object" && element.startsWith("f:")
        ? fieldShape(shape, element.slice(2))
        : shape.is === "items"
          ? shape.item
          : undefined;
    const next = below && child.children.size > 0 ? reconciledNode(child, below) : child;
    changed ||= next !== child;
    children.set(element, next);
  }
  return changed ? { member: set.member, children } : set;
}

function reconciledNode(node: FieldSet, shape: FieldShape): FieldSet {
  return shape.is === "atomic" || !canHold(shape, node)
    ? { member: true, children: EMPTY_SET.children }
    : reconciled(node, shape);
}

/** Items below an object mean that it was a list, whose shape is not known any more. */
function canHold(shape: FieldShape, node: FieldSet): boolean {
  const items = [...node.children.keys()].some((element) => !element.startsWith("f:"));
  return shape === DEDUCED || !items || shape.is === "items" || shape.is === "set";
}
