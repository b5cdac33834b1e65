import type { WorkItemRow } from "../../../db/reads.ts";
import { READ_WINDOW, type SweptRow } from "../../../db/sweeps.ts";
import type { GroupResource } from "../../objects/object.ts";
import { sweepAt, sweptStores } from "../../sweeps/sweep-at.ts";
import { TTL_MARK_TEXTS } from "../../sweeps/ttl-marks.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { SliceContext } from "../slice.ts";
import { withBodies } from "./swept-objects.ts";

/** After all resources. */
export const LAST_RESOURCE = "\u{10ffff}";

/** As many objects are gone past in one slice. */
const WINDOW = 1000;

/**
 * Computes anew when sweeps have to look at the objects of a cluster, whose settings have changed, or whose objects are
 * older than their moments. They are other namespaces' objects: each is compared by its resourceVersion, and a moment that
 * is not the last word makes for one look too many.
 */
export async function computeMoments(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const place = item.cursor === "" ? ["", "", ""] : (JSON.parse(item.cursor) as [string, string, string]);
  const { results } = await store.db
    .prepare(READ_WINDOW)
    .bind(
      store.cluster,
      ...place,
      WINDOW,
      JSON.stringify(sweptStores()),
      JSON.stringify(TTL_MARK_TEXTS),
      LAST_RESOURCE,
    )
    .all<SweptRow & { swept: number }>();
  const kinds = await currentKinds(context);
  const commit = await store.begin();
  const { taken, objects } = await withBodies(results, store, kinds);
  for (const { row, object } of objects) {
    const moment = sweepAt(object, storedKind(row.resource as GroupResource, kinds), kinds.settings);
    if (moment !== row.sweep_at) {
      commit.looked.push({ uid: row.uid, expected: row.resource_version, sweepAt: moment });
    }
  }
  const last = results[taken - 1];
  if (last === undefined) commit.done.push(item.id);
  else
    commit.advanced.push({ id: item.id, cursor: JSON.stringify([last.resource, last.namespace, last.name]) });
  return commitSlice(store, commit);
}
