import type { OpenCommit } from "../../../db/commit.ts";
import {
  type ObjectRow,
  READ_NAMESPACES_OF,
  READ_OBJECTS,
  READ_REMAINING,
  READ_REMAINING_FINALIZERS,
  type RemainingRow,
  type WorkItemRow,
} from "../../../db/reads.ts";
import { CRD_CLEANUP_FINALIZER, CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { GroupResource } from "../../objects/object.ts";
import { isFinished } from "../decide/finished.ts";
import { withFinalizers } from "../decide/mark.ts";
import { namespaceProgress } from "../decide/namespace-progress.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import { planWrite } from "../plan.ts";
import type { SliceContext } from "../slice.ts";
import { type StoredObject, storedObject } from "../stored-object.ts";
import { TASKS } from "../tasks.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { contentOrder } from "./content.ts";
import { currentKinds } from "./current-kinds.ts";

/**
 * Looks at a terminating Namespace or CustomResourceDefinition, whose rows are the cluster's: finishes it when
 * its content has gone, says what is left when not, and sends for what could still be deleted.
 */
export async function finalizeContent(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const kinds = await currentKinds(context);
  const row = await store.db
    .prepare(READ_OBJECTS)
    .bind(store.cluster, JSON.stringify([item.uid]))
    .first<ObjectRow>();
  const kind = row && kinds.byStore(row.resource as GroupResource);
  const commit = await store.begin();
  commit.done.push(item.id);
  if (row && kind && row.deletion !== null) {
    const stored = storedObject(row, kind, kind.versions[0] ?? "v1");
    if (kind.traits.deletion === "namespace") await finalizeNamespace(commit, stored, kinds, context);
    else if (kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS)
      await finalizeDefinition(commit, stored, kinds, context);
  }
  return commitSlice(store, commit);
}

async function finalizeNamespace(
  commit: OpenCommit,
  stored: StoredObject,
  kinds: ClusterKinds,
  { store }: SliceContext,
): Promise<void> {
  const { name } = stored.object.metadata;
  const resources = JSON.stringify(contentOrder(kinds));
  const [counts, finalizers] = await store.db.batch<RemainingRow | { finalizer: string; count: number }>([
    store.db.prepare(READ_REMAINING).bind(store.cluster, name, resources),
    store.db.prepare(READ_REMAINING_FINALIZERS).bind(store.cluster, name, resources),
  ]);
  const remaining = (counts?.results ?? []) as RemainingRow[];
  const pods = remaining.find((row) => row.resource === "pods");
  const deletable = pods ? pods.deletable : remaining.reduce((sum, row) => sum + row.deletable, 0);
  if (deletable > 0) commit.work.push(TASKS.namespace(name, stored.uid));

  const next = namespaceProgress(
    stored.object,
    {
      resources: remaining,
      finalizers: (finalizers?.results ?? []) as { finalizer: string; count: number }[],
    },
    commit.now,
  );
  if (next !== undefined) finish(commit, stored, next, kinds);
}

async function finalizeDefinition(
  commit: OpenCommit,
  stored: StoredObject,
  kinds: ClusterKinds,
  { store }: SliceContext,
): Promise<void> {
  const resource = stored.object.metadata.name;
  const { results } = await store.db
    .prepare(READ_NAMESPACES_OF)
    .bind(store.cluster, resource)
    .all<{ namespace: string; deletable: number }>();
  for (const row of results) {
    if (row.deletable > 0) commit.work.push(TASKS.instances(row.namespace, stored.uid, resource));
  }
  if (results.length > 0) return;
  const kept = (stored.object.metadata.finalizers ?? []).filter((name) => name !== CRD_CLEANUP_FINALIZER);
  finish(commit, stored, withFinalizers(stored.object, kept), kinds);
}

function finish(
  commit: OpenCommit,
  stored: StoredObject,
  next: StoredObject["object"],
  kinds: ClusterKinds,
): void {
  const kind = kinds.byStore(stored.resource);
  if (kind === undefined) return;
  planWrite(
    commit,
    isFinished(next, stored.object, kind)
      ? { op: "remove", kind, stored, first: undefined }
      : { op: "update", kind, stored, next },
    undefined,
    { namespace: "", kinds, ownerOf: () => undefined },
  );
}
