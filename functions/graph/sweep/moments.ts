import type { WorkItemRow } from "../../../db/reads.ts";
import type { GroupResource } from "../../objects/object.ts";
import { sweepAt, sweptStores } from "../../sweeps/sweep-at.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { SliceContext } from "../slice.ts";
import { BEGINNING, type Place, readWindow } from "./window.ts";

/**
 * Computes anew when sweeps have to look at the objects of a cluster, whose settings have changed, or whose objects are
 * older than their moments. They are other namespaces' objects: each is compared by its resourceVersion, and a moment that
 * is not the last word makes for one look too many.
 */
export async function computeMoments(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const kinds = await currentKinds(context);
  const after = item.cursor === "" ? BEGINNING : (JSON.parse(item.cursor) as Place);
  const wanted = { resources: sweptStores(), marked: true };
  const { objects, reached } = await readWindow(after, wanted, store, kinds);
  const commit = await store.begin();
  const wake = new Set<string>();
  for (const { row, object } of objects) {
    const moment = sweepAt(object, storedKind(row.resource as GroupResource, kinds), kinds.settings);
    if (moment !== row.sweep_at) {
      if (moment !== null && moment < (row.sweep_at ?? Number.POSITIVE_INFINITY)) wake.add(row.namespace);
      commit.looked.push({ uid: row.uid, expected: row.resource_version, sweepAt: moment });
    }
  }
  if (reached === undefined) commit.done.push(item.id);
  else commit.advanced.push({ id: item.id, cursor: JSON.stringify(reached) });
  const committed = await commitSlice(store, commit);
  // Whose alarm is set for later than what is now due has to set it anew.
  return committed && { ...committed, wake: [...new Set([...committed.wake, ...wake])] };
}
