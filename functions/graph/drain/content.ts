import {
  type ContentRow,
  READ_CONTENT,
  READ_REMAINING,
  type RemainingRow,
  type WorkItemRow,
} from "../../../db/reads.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asUid, type GroupResource } from "../../objects/object.ts";
import type { SliceContext } from "../slice.ts";
import { TASKS } from "../tasks.ts";
import { API_SERVER, NAMESPACE_CONTROLLER } from "./actors.ts";
import { fitting, SLICE_OBJECTS } from "./budget.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";
import { planTargets, type Target, type TargetAction } from "./plan-deletions.ts";

const PODS = "pods" as GroupResource;

/**
 * Deletes what is in a terminating Namespace, always in the background. Pods go first, and nothing else while
 * any is left: what protects them (a NetworkPolicy, say) must not go before they do.
 *
 * Source: kubernetes namespaced_resources_deleter.go; KEP-5080, ordered namespace deletion.
 */
export async function deleteNamespaceContent(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const kinds = await currentKinds(context);
  const { results } = await store.db
    .prepare(READ_REMAINING)
    .bind(store.cluster, store.namespace, JSON.stringify([PODS]))
    .all<RemainingRow>();
  const resources = results.length > 0 ? [PODS] : contentOrder(kinds);
  return deleteContent(item, resources, kinds, context, {
    rule: "namespace",
    actor: NAMESPACE_CONTROLLER,
  });
}

/** Deletes the objects of a terminating CustomResourceDefinition in this namespace. */
export async function deleteInstances(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const [item] = items;
  if (item === undefined) return undefined;
  const kinds = await currentKinds(context);
  const resource = (item.detail ?? "") as GroupResource;
  return deleteContent(item, [resource], kinds, context, { rule: "kind-removed", actor: API_SERVER });
}

/** Resources in the order in which a namespace is emptied. */
export function contentOrder(kinds: KindRegistry): GroupResource[] {
  const stores = new Set<GroupResource>([PODS]);
  for (const kind of kinds.all()) if (kind.namespaced) stores.add(kind.storedAs);
  return [...stores];
}

async function deleteContent(
  item: WorkItemRow,
  resources: readonly GroupResource[],
  kinds: KindRegistry,
  { store }: SliceContext,
  why: Pick<TargetAction & { act: "delete" }, "rule" | "actor">,
): Promise<Slice> {
  const { results } = await store.db
    .prepare(READ_CONTENT)
    .bind(store.cluster, store.namespace, JSON.stringify(resources), 0, "", SLICE_OBJECTS)
    .all<ContentRow>();
  const targets: Target[] = results.map((row) => ({
    uid: asUid(row.uid),
    resource: row.resource as GroupResource,
    resourceVersion: row.resource_version,
    plain: row.plain === 1,
    size: row.size,
    action: { act: "delete", policy: "Background", cause: asUid(item.uid), unblock: false, ...why },
  }));
  const commit = await store.begin();
  await planTargets(commit, targets.slice(0, fitting(targets)), store, kinds);
  // What is terminating is passed over next time, so a pass that finds nothing has done all it can.
  if (results.length === 0) {
    commit.done.push(item.id);
    commit.work.push(TASKS.finalize(item.uid));
  }
  return commitSlice(store, commit);
}
