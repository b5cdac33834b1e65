import {
  type OwnerRow,
  READ_OWNERS,
  READ_RELEASED,
  type ReleasedRow,
  type WorkItemRow,
} from "../../../db/reads.ts";
import { asUid, type GroupResource, type Uid } from "../../objects/object.ts";
import { isSweptByOwners } from "../../sweeps/sweep-at.ts";
import type { SliceContext } from "../slice.ts";
import { TASKS } from "../tasks.ts";
import { fitting, SLICE_OBJECTS } from "./budget.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";
import { planTargets, type Target } from "./plan-deletions.ts";

/**
 * Takes the references to an owner in orphan deletion out of its dependents here, one owner at a time. When none
 * is left the owner is due a look by its own graph object. Those that name nobody else, which is most, are changed in
 * the database, and their bodies never leave it.
 *
 * Source: kubernetes garbagecollector.go, orphanDependents.
 */
export async function releaseDependents(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const [owners, dependents] = await store.db.batch<OwnerRow | ReleasedRow>([
    store.db.prepare(READ_OWNERS).bind(store.cluster, JSON.stringify([item.uid])),
    store.db
      .prepare(READ_RELEASED)
      .bind(store.cluster, store.namespace, item.uid, item.cursor, SLICE_OBJECTS),
  ]);
  const owner = owners?.results[0] as OwnerRow | undefined;
  const rows = (dependents?.results ?? []) as ReleasedRow[];
  const commit = await store.begin();
  // Another DELETE may have changed the policy: then the dependents are not to be released any more.
  if (owner?.deletion !== "orphan") {
    commit.done.push(item.id);
    return commitSlice(store, commit);
  }
  const targets = rows.map((row) => targetOf(row, asUid(item.uid)));
  const taken = fitting(targets);
  await planTargets(commit, targets.slice(0, taken), store, await currentKinds(context));
  const last = rows[taken - 1];
  if (last !== undefined && (taken < rows.length || rows.length === SLICE_OBJECTS)) {
    commit.advanced.push({ id: item.id, cursor: last.uid });
  } else {
    commit.done.push(item.id);
    commit.work.push(TASKS.owner(owner.namespace, item.uid));
  }
  return commitSlice(store, commit);
}

function targetOf(row: ReleasedRow, owner: Uid): Target {
  const resource = row.resource as GroupResource;
  return {
    uid: asUid(row.uid),
    resource,
    resourceVersion: row.resource_version,
    plain: false,
    size: row.size,
    name: row.name,
    labels: "{}",
    owners: [owner],
    action: { act: "release", owners: [owner], sole: row.sole === 1 && !isSweptByOwners(resource) },
  };
}
