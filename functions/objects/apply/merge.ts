import type { Json, JsonObject } from "../json.ts";
import type { PathElement } from "./field-set.ts";
import {
  type Divided,
  divide,
  elementOf,
  type FieldShape,
  fieldShape,
  isEmptied,
  itemShape,
} from "./field-shape.ts";

/**
 * What a configuration makes of a live value: everything in the configuration is taken over, nothing else changes. Fields
 * are only ever added here; taking them away is another step. Neither argument is modified, and the result shares parts
 * with both.
 *
 * Source: sigs.k8s.io/structured-merge-diff `typed/merge.go`.
 */
export function merge(live: Json | undefined, config: Json, shape: FieldShape): Json {
  const left = divide(live, shape);
  if (left === undefined || isEmptied(left)) return config;
  // An object or a list that is set to null keeps what it holds: null is an empty one.
  if (config === null) return left.value as Json;
  const right = divide(config, shape);
  if (left.into === "fields" && right?.into === "fields") return mergeFields(left, right);
  if (left.into === "items" && right?.into === "items") return mergeItems(left, right);
  return config;
}

function mergeFields(left: Divided & { into: "fields" }, right: Divided & { into: "fields" }): JsonObject {
  const merged: JsonObject = { ...left.value };
  for (const [name, config] of Object.entries(right.value)) {
    const live = Object.hasOwn(left.value, name) ? left.value[name] : undefined;
    merged[name] = merge(live, config, fieldShape(left.shape, name));
  }
  return merged;
}

/**
 * Items of the configuration come in its order, items that only the live list has stay where they were among those.
 * A live list may hold an item twice; as soon as the configuration speaks of that item it is there once.
 */
function mergeItems(left: Divided & { into: "items" }, right: Divided & { into: "items" }): Json[] {
  const shape = itemShape(left.shape);
  const merged: Json[] = [];
  const take = (element: PathElement) => {
    const config = right.items.get(element);
    if (config !== undefined) merged.push(merge(left.items.get(element), config, shape));
  };
  const ours = [...left.items.keys()];
  const theirs = [...right.items.keys()];
  const shared = theirs.filter((element) => left.items.has(element));
  let next = shared.shift();
  let l = 0;
  let r = 0;
  while (l < ours.length || r < theirs.length) {
    const our = ours[l];
    const their = theirs[r];
    if (our !== undefined && !right.items.has(our)) {
      merged.push(...occurrences(left, our));
      l++;
    } else if (our !== undefined && our !== next) {
      // It is in both, and its turn comes earlier or later than here.
      l++;
    } else if (their !== undefined) {
      take(their);
      r++;
      if (their === our) l++;
      if (their === next) next = shared.shift();
    } else {
      break;
    }
  }
  return merged;
}

function occurrences({ value, shape, items }: Divided & { into: "items" }, element: PathElement): Json[] {
  const first = items.get(element);
  if (first === undefined) return [];
  return items.size === value.length ? [first] : value.filter((item) => elementOf(item, shape) === element);
}
