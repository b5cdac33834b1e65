import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { patchDirectiveOf, withoutDirectives } from "./directives.ts";
import { goJsonType, goPrinted } from "./patch-text.ts";

/** Scalars as a set: each once, what the patch names in the patch's order. */
export function mergeSet(
  current: readonly Json[],
  change: readonly Json[],
  order: readonly Json[] | undefined,
): Outcome<Json[]> {
  const fault = mixed([...current, ...change], [current, change]);
  if (fault) return fault;
  if ([...current, ...change].some(isJsonObject)) {
    return fails("cannot merge lists without merge key for type struct");
  }
  const merged = [...new Set([...current, ...change])];
  if (!order || order.length === 0) return ok(inOrder(merged, current, change, itself));
  return follows(change, order) ? ok(inOrder(merged, current, order, itself)) : disordered(change, order);
}

/**
 * Objects that are the same item when they agree in `key`: those of the patch are merged into theirs, or added as they
 * are. `$patch: delete` deletes the item of that key, and no item is no fault; an item `$patch: replace` says that the
 * others are the whole list.
 *
 * Upstream's errors for lists it cannot merge, an item without its key above all, are 500 without a reason: Unknown here.
 */
export function mergeItems(
  current: readonly Json[],
  change: readonly Json[],
  key: string,
  order: readonly Json[] | undefined,
  mergeItem: (item: JsonObject, patch: JsonObject) => Outcome<JsonObject>,
): Outcome<Json[]> {
  const fault = mixed([...current, ...change], [current, change]);
  if (fault) return fault;
  if (current.length + change.length === 0) return ok([]);
  if (![...current, ...change].every(isJsonObject)) return fails(`expected a list of maps with key: ${key}`);

  const sorted = sortOut(change as JsonObject[], key);
  if (!sorted.ok) return sorted;
  const { additions, deleted, replaces } = sorted.value;
  const server = replaces ? [] : (current as JsonObject[]).filter((item) => !deleted.has(item[key] ?? null));
  const unkeyed = [...server, ...additions, ...(order ?? [])].find((item) => !isKeyed(item, key));
  if (unkeyed !== undefined) return keyless(unkeyed, key);

  const merged = [...server];
  const positions = firstPositions(server, keyOf(key));
  for (const addition of additions) {
    const at = positions.get(addition[key]);
    const present = at === undefined ? undefined : merged[at];
    if (at === undefined || present === undefined) {
      positions.set(addition[key], merged.length);
      merged.push(withoutDirectives(addition) as JsonObject);
    } else {
      const outcome = mergeItem(present, addition);
      if (!outcome.ok) return outcome;
      merged[at] = outcome.value;
    }
  }

  if (!order || order.length === 0) return ok(inOrder(merged, server, additions, keyOf(key)));
  return follows(additions.map(keyOf(key)), order.map(keyOf(key)))
    ? ok(inOrder(merged, server, order, keyOf(key)))
    : disordered(change, order);
}

/** Tells the patch's items apart by their directives. */
function sortOut(
  change: readonly JsonObject[],
  key: string,
): Outcome<{ additions: JsonObject[]; deleted: Set<Json>; replaces: boolean }> {
  const additions: JsonObject[] = [];
  const deleted = new Set<Json>();
  let replaces = false;
  for (const item of change) {
    const directive = patchDirectiveOf(item);
    if (!directive.ok) return directive;
    if (directive.value === "merge") {
      additions.push(item);
    } else if (directive.value === "replace") {
      replaces = true;
    } else {
      const value = item[key];
      if (value === undefined) return keyless(item, key);
      deleted.add(value);
    }
  }
  return ok({ additions, deleted, replaces });
}

/**
 * What the patch names comes in the patch's order and what only the server has in the server's; the two are then woven
 * together by the server's order, so that a new item stands before the old one it would otherwise follow. Clients see
 * this: a container that a patch adds comes first.
 */
function inOrder<T extends Json>(
  merged: readonly T[],
  serverOrder: readonly Json[],
  patchOrder: readonly Json[],
  key: (item: Json) => Json | undefined,
): T[] {
  const onServer = firstPositions(serverOrder, key);
  const inPatch = firstPositions(patchOrder, key);
  const by = (positions: Map<Json | undefined, number>) => (a: T, b: T) =>
    (positions.get(key(a)) ?? 0) - (positions.get(key(b)) ?? 0);
  const patched = merged.filter((item) => inPatch.has(key(item))).sort(by(inPatch));
  const serverOnly = merged.filter((item) => !inPatch.has(key(item))).sort(by(onServer));

  const woven: T[] = [];
  let next = 0;
  for (const item of patched) {
    const position = onServer.get(key(item)) ?? -1;
    while (next < serverOnly.length && (onServer.get(key(serverOnly[next] as T)) ?? 0) < position) {
      woven.push(serverOnly[next++] as T);
    }
    woven.push(item);
  }
  return [...woven, ...serverOnly.slice(next)];
}

/** Where each key stands first. */
function firstPositions(
  list: readonly Json[],
  key: (item: Json) => Json | undefined,
): Map<Json | undefined, number> {
  const positions = new Map<Json | undefined, number>();
  for (const [position, item] of list.entries()) {
    if (!positions.has(key(item))) positions.set(key(item), position);
  }
  return positions;
}

/** Whether `order` names everything the patch holds, in the patch's own order. */
function follows(keys: readonly (Json | undefined)[], order: readonly (Json | undefined)[]): boolean {
  let from = 0;
  return keys.every((key) => {
    from = order.indexOf(key, from) + 1;
    return from > 0;
  });
}

const itself = (item: Json): Json => item;
const isKeyed = (item: Json, key: string): boolean => isJsonObject(item) && Object.hasOwn(item, key);
const keyOf =
  (key: string) =>
  (item: Json): Json | undefined =>
    isJsonObject(item) ? item[key] : undefined;

/** Lists are merged when all their items are of one JSON type, and that is not again a list. */
function mixed(items: readonly Json[], lists: readonly (readonly Json[])[]): Outcome<never> | undefined {
  const types = new Set(items.map(goJsonType));
  if (types.size > 1) {
    return fails(`list element types are not identical: ${goPrinted(lists.map((list) => [...list]))}`);
  }
  return types.has("array") ? refuse({ reason: "UnprocessablePatch" }) : undefined;
}

function keyless(item: Json, key: string): Outcome<never> {
  return fails(`map: ${goPrinted(item)} does not contain declared merge key: ${key}`);
}

function disordered(change: readonly Json[], order: readonly Json[]): Outcome<never> {
  const [patchList, orderList] = [goPrinted([...change]), goPrinted([...order])];
  return fails(
    `The order in patch list:\n${patchList}\n doesn't match $setElementOrder list:\n${orderList}\n`,
  );
}

function fails(message: string): Outcome<never> {
  return refuse({ reason: "Unknown", message });
}
