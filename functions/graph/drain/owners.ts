import type { OpenCommit } from "../../../db/commit.ts";
import {
  type ObjectRow,
  type OwnershipRow,
  READ_OBJECTS,
  READ_OWNERSHIP,
  READ_SIZES,
  type WorkItemRow,
} from "../../../db/reads.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import type { GroupResource } from "../../objects/object.ts";
import { isFinished } from "../decide/finished.ts";
import { withFinalizers } from "../decide/mark.ts";
import type { GraphStore } from "../graph-store.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import { planWrite } from "../plan.ts";
import type { SliceContext } from "../slice.ts";
import { type StoredObject, storedObject } from "../stored-object.ts";
import { TASKS } from "../tasks.ts";
import { SLICE_BYTES } from "./budget.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";
import { storedKind } from "./stored-kind.ts";

/** As many owners are looked at in one slice; each costs two queries of one batch. */
const OWNERS = 100;

/**
 * Looks again at owners that wait for their dependents. One in foreground deletion loses that finalizer when no
 * dependent blocks it, one in orphan deletion when no dependent names it; else the dependents are due another
 * look, which finds those that came meanwhile.
 *
 * Source: kubernetes garbagecollector.go, processDeletingDependentsItem and removeFinalizer.
 */
export async function reviewOwners(all: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const items = await withinBudget(all.slice(0, OWNERS), store);
  const [objects, ...ownership] = await store.db.batch<ObjectRow | OwnershipRow>([
    store.db.prepare(READ_OBJECTS).bind(store.cluster, JSON.stringify(items.map((item) => item.uid))),
    ...items.map((item) => store.db.prepare(READ_OWNERSHIP).bind(store.cluster, item.uid)),
  ]);
  const rows = new Map(((objects?.results ?? []) as ObjectRow[]).map((row) => [row.uid, row]));
  const kinds = await currentKinds(context);
  const commit = await store.begin();
  for (const [i, item] of items.entries()) {
    commit.done.push(item.id);
    const row = rows.get(item.uid);
    const facts = ownership[i]?.results[0] as OwnershipRow | undefined;
    if (!row || !facts) continue;
    const kind = storedKind(row.resource as GroupResource, kinds);
    const stored = storedObject(row, kind, kind.versions[0] ?? "v1");
    review(commit, stored, facts, store.namespace, kinds);
  }
  return commitSlice(store, commit);
}

/** Those, from the first, whose bodies fit into one slice; one always does. */
async function withinBudget(items: WorkItemRow[], store: GraphStore): Promise<WorkItemRow[]> {
  const { results } = await store.db
    .prepare(READ_SIZES)
    .bind(store.cluster, JSON.stringify(items.map((item) => item.uid)))
    .all<{ uid: string; size: number }>();
  const sizes = new Map(results.map((row) => [row.uid, row.size]));
  let bytes = 0;
  const until = items.findIndex((item, i) => {
    bytes += sizes.get(item.uid) ?? 0;
    return bytes > SLICE_BYTES && i > 0;
  });
  return until < 0 ? items : items.slice(0, until);
}

function review(
  commit: OpenCommit,
  stored: StoredObject,
  facts: OwnershipRow,
  namespace: string,
  kinds: ClusterKinds,
): void {
  switch (stored.deletion) {
    case "foreground": {
      const blocked = JSON.parse(facts.blocked_in) as string[];
      if (blocked.length === 0) dropFinalizer(commit, stored, FINALIZER_FOREGROUND, namespace, kinds);
      for (const place of blocked) commit.work.push(TASKS.blockingDependents(place, stored.uid));
      return;
    }
    case "orphan": {
      const named = JSON.parse(facts.named_in) as string[];
      if (named.length === 0) {
        dropFinalizer(commit, stored, FINALIZER_ORPHAN, namespace, kinds);
        // A dependent that comes before the batch does would be taken for one whose owner is gone.
        commit.withoutDependents.push(stored.uid);
      }
      for (const place of named) commit.work.push(TASKS.release(place, stored.uid));
      return;
    }
    case "terminating":
    case null:
      return;
  }
}

function dropFinalizer(
  commit: OpenCommit,
  stored: StoredObject,
  finalizer: string,
  namespace: string,
  kinds: ClusterKinds,
): void {
  const kind = storedKind(stored.resource, kinds);
  const next = withFinalizers(
    stored.object,
    (stored.object.metadata.finalizers ?? []).filter((name) => name !== finalizer),
  );
  const context = { namespace, kinds, ownerOf: () => undefined };
  // The cause was recorded when the deletion began.
  planWrite(
    commit,
    isFinished(next, stored.object, kind)
      ? { op: "remove", kind, stored, first: undefined }
      : { op: "update", kind, stored, next },
    undefined,
    context,
  );
}
