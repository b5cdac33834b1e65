import { type Json, jsonEqual } from "../json.ts";
import { EMPTY_SET, type FieldSet, field, isEmpty, LEAF, type PathElement } from "./field-set.ts";
import {
  type Divided,
  divide,
  type FieldShape,
  fieldShape,
  isEmptied,
  isNamed,
  itemShape,
} from "./field-shape.ts";

/**
 * The fields that a configuration speaks of: every leaf, every item of a list, every entry of a map. Structures are not in
 * the set, only what they hold; an empty list is not either.
 *
 * Source: sigs.k8s.io/structured-merge-diff `typed/tofieldset.go`.
 */
export function fieldsOf(value: Json, shape: FieldShape): FieldSet {
  const divided = divide(value, shape);
  if (divided === undefined) return LEAF;
  const children = new Map<PathElement, FieldSet>();
  if (divided.into === "items") {
    const below = itemShape(divided.shape);
    for (const [element, item] of divided.items) children.set(element, asMember(fieldsOf(item, below)));
  } else {
    for (const [name, item] of Object.entries(divided.value)) {
      const fields = fieldsOf(item, fieldShape(divided.shape, name));
      const owned = !isNamed(divided.shape, name) || isEmptyObject(item);
      if (owned || !isEmpty(fields)) children.set(field(name), owned ? asMember(fields) : fields);
    }
  }
  return { member: false, children };
}

const isEmptyObject = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const asMember = (set: FieldSet): FieldSet => (set.member ? set : { ...set, member: true });

/** What tells two values apart. No path is in more than one of the sets. */
export interface Differences {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/**
 * The fields that differ between two values, `undefined` being one that is not there. What is there on one side only is in
 * the set with everything it holds.
 *
 * Source: sigs.k8s.io/structured-merge-diff `typed/compare.go`.
 */
export function differences(
  before: Json | undefined,
  after: Json | undefined,
  shape: FieldShape,
): Differences {
  const found = compare(before, after, shape);
  return {
    added: found?.added ?? EMPTY_SET,
    removed: found?.removed ?? EMPTY_SET,
    modified: found?.modified ?? EMPTY_SET,
  };
}

type Found = Partial<Differences> | undefined;

const MODIFIED: Found = { modified: LEAF };

function compare(before: Json | undefined, after: Json | undefined, shape: FieldShape): Found {
  if (before === after) return undefined;
  if (before === undefined) return after === undefined ? undefined : { added: everythingIn(after, shape) };
  if (after === undefined) return { removed: everythingIn(before, shape) };
  const left = divide(before, shape);
  const right = divide(after, shape);
  if (left === undefined && right === undefined) return jsonEqual(before, after) ? undefined : MODIFIED;
  if (left?.into === "fields" && right?.into === "fields") return compareFields(left, right);
  if (left?.into === "items" && right?.into === "items") return compareItems(left, right);
  return compareUnlike(before, after, left, right);
}

/** One of them is null, or of another sort. Null is an empty one of any sort. */
function compareUnlike(
  before: Json,
  after: Json,
  left: Divided | undefined,
  right: Divided | undefined,
): Found {
  const removed = left && contentsOf(left);
  const added = right && contentsOf(right);
  const nullBesideContents =
    (after === null && removed !== undefined && !isEmpty(removed)) ||
    (before === null && added !== undefined && !isEmpty(added));
  return {
    ...(removed === undefined || isEmpty(removed) ? {} : { removed }),
    ...(added === undefined || isEmpty(added) ? {} : { added }),
    ...(nullBesideContents ? {} : { modified: LEAF }),
  };
}

function compareFields(left: Divided & { into: "fields" }, right: Divided & { into: "fields" }): Found {
  const gathered = new Gathered();
  for (const [name, before] of Object.entries(left.value)) {
    const after = Object.hasOwn(right.value, name) ? right.value[name] : undefined;
    if (before !== after) gathered.add(field(name), compare(before, after, fieldShape(left.shape, name)));
  }
  for (const [name, after] of Object.entries(right.value)) {
    if (Object.hasOwn(left.value, name)) continue;
    gathered.add(field(name), compare(undefined, after, fieldShape(left.shape, name)));
  }
  return gathered.found;
}

function compareItems(left: Divided & { into: "items" }, right: Divided & { into: "items" }): Found {
  const gathered = new Gathered();
  const shape = itemShape(left.shape);
  for (const [element, before] of left.items) {
    gathered.add(element, compare(before, right.items.get(element), shape));
  }
  for (const [element, after] of right.items) {
    if (!left.items.has(element)) gathered.add(element, compare(undefined, after, shape));
  }
  return gathered.found;
}

const SIDES = ["added", "removed", "modified"] as const;

/** The differences of one level, put together from those of what is below. */
class Gathered {
  readonly #children: { [side in (typeof SIDES)[number]]?: Map<PathElement, FieldSet> } = {};

  add(element: PathElement, found: Found): void {
    if (found === undefined) return;
    for (const side of SIDES) {
      const set = found[side];
      if (set === undefined || isEmpty(set)) continue;
      const children = this.#children[side] ?? new Map<PathElement, FieldSet>();
      this.#children[side] = children.set(element, set);
    }
  }

  get found(): Found {
    const found: { -readonly [side in keyof Differences]?: FieldSet } = {};
    for (const side of SIDES) {
      const children = this.#children[side];
      if (children !== undefined) found[side] = { member: false, children };
    }
    return found;
  }
}

/** A value and all it holds, down to the leaves. */
function everythingIn(value: Json, shape: FieldShape): FieldSet {
  const divided = divide(value, shape);
  if (divided === undefined || isEmptied(divided)) return "always" in shape ? EMPTY_SET : LEAF;
  const { children } = contentsOf(divided);
  return { member: !("always" in shape), children };
}

function contentsOf(divided: Divided): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  if (divided.into === "items") {
    const shape = itemShape(divided.shape);
    for (const [element, item] of divided.items) children.set(element, everythingIn(item, shape));
  } else {
    for (const [name, item] of Object.entries(divided.value)) {
      const all = everythingIn(item, fieldShape(divided.shape, name));
      if (!isEmpty(all)) children.set(field(name), all);
    }
  }
  return { member: false, children };
}
