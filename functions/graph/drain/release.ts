import {
  type ObjectRow,
  type OwnerRow,
  READ_OWNERS,
  READ_RELEASED,
  type WorkItemRow,
} from "../../../db/reads.ts";
import { asUid, type GroupResource } from "../../objects/object.ts";
import { withoutOwners } from "../decide/owners.ts";
import { planWrite } from "../plan.ts";
import type { SliceContext } from "../slice.ts";
import { storedObject } from "../stored-object.ts";
import { TASKS } from "../tasks.ts";
import { SLICE_BYTES } from "./budget.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";
import { storedKind } from "./stored-kind.ts";

/** The most dependents one slice releases. */
const RELEASED = 1000;

/**
 * Takes the references to an owner in orphan deletion out of its dependents here, one owner at a time. When none
 * is left the owner is due a look by its own graph object.
 *
 * Source: kubernetes garbagecollector.go, orphanDependents.
 */
export async function releaseDependents(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const [owners, dependents] = await store.db.batch<OwnerRow | ObjectRow>([
    store.db.prepare(READ_OWNERS).bind(store.cluster, JSON.stringify([item.uid])),
    store.db
      .prepare(READ_RELEASED)
      .bind(store.cluster, store.namespace, item.uid, item.cursor, RELEASED, SLICE_BYTES),
  ]);
  const owner = owners?.results[0] as OwnerRow | undefined;
  const rows = (dependents?.results ?? []) as ObjectRow[];
  const commit = await store.begin();
  const last = rows.at(-1);
  // Another DELETE may have changed the policy: then the dependents are not to be released any more.
  if (owner?.deletion !== "orphan") {
    commit.done.push(item.id);
    return commitSlice(store, commit);
  }
  if (last === undefined) {
    commit.done.push(item.id);
    commit.work.push(TASKS.owner(owner.namespace, item.uid));
    return commitSlice(store, commit);
  }
  const kinds = await currentKinds(context);
  for (const row of rows) {
    const kind = storedKind(row.resource as GroupResource, kinds);
    const stored = storedObject(row, kind, kind.versions[0] ?? "v1");
    const next = withoutOwners(stored.object, [asUid(item.uid)]);
    planWrite(commit, { op: "update", kind, stored, next }, undefined, {
      namespace: store.namespace,
      kinds,
      ownerOf: () => undefined,
    });
  }
  commit.advanced.push({ id: item.id, cursor: last.uid });
  return commitSlice(store, commit);
}
