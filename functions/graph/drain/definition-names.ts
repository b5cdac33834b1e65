import { type ObjectRow, READ_DEFINITIONS, type WorkItemRow } from "../../../db/reads.ts";
import { jsonEqual } from "../../objects/json.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, establish } from "../../objects/kinds/custom-resource.ts";
import { asJson, asObject } from "../../objects/object.ts";
import { planWrite } from "../plan.ts";
import type { SliceContext } from "../slice.ts";
import { storedObject } from "../stored-object.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";

/** As many definitions that did not get all their names are looked at, in the order of their names. */
const WAITING = 20;

/**
 * Names became free: the first definition of the group that gets some of them now is written, and the task stays for the
 * others, since what one is granted the next cannot have. It is done when nobody gets any more.
 *
 * Source: apiextensions-apiserver `pkg/controller/status/naming_controller.go`.
 */
export async function grantFreedNames(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const kinds = await currentKinds(context);
  const kind = kinds.byStore(CUSTOM_RESOURCE_DEFINITIONS);
  if (kind === undefined) throw new Error("definitions are not among the kinds");
  const { claims } = kinds.definitions;
  const waiting = claims
    .filter(({ name, group, satisfied }) => group === item.detail && !satisfied && name > item.cursor)
    .map(({ name }) => name)
    .sort()
    .slice(0, WAITING);
  const { results } = await store.db
    .prepare(READ_DEFINITIONS)
    .bind(store.cluster, JSON.stringify(waiting))
    .all<ObjectRow>();
  const commit = await store.begin();
  for (const row of results) {
    if (row.deletion !== null) continue;
    const stored = storedObject(row, kind, kind.versions[0] ?? "v1");
    const next = establish(asJson(stored.object), commit.now, claims);
    if (jsonEqual(next, asJson(stored.object))) continue;
    const context = { namespace: store.namespace, kinds, ownerOf: () => undefined };
    planWrite(commit, { op: "update", kind, stored, next: asObject(next) }, undefined, context);
    return commitSlice(store, commit);
  }
  const last = waiting.at(-1);
  if (last === undefined || waiting.length < WAITING) commit.done.push(item.id);
  else commit.advanced.push({ id: item.id, cursor: last });
  return commitSlice(store, commit);
}
