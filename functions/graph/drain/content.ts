import {
  type ContentRow,
  GET_OBJECT,
  HAS_PODS,
  type ObjectRow,
  READ_CONTENT,
  type WorkItemRow,
} from "../../../db/reads.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asUid, type GroupResource } from "../../objects/object.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
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
  const pods = await store.db
    .prepare(HAS_PODS)
    .bind(store.cluster, store.namespace)
    .first<{ found: number }>();
  const resources = pods?.found === 1 ? [PODS] : contentOrder(kinds);
  const holder = { resource: "namespaces", name: store.namespace };
  return deleteContent(item, holder, resources, kinds, context, {
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
  const holder = { resource: CUSTOM_RESOURCE_DEFINITIONS, name: resource };
  return deleteContent(item, holder, [resource], kinds, context, { rule: "kind-removed", actor: API_SERVER });
}

/** Resources in the order in which a namespace is emptied. */
export function contentOrder(kinds: KindRegistry): GroupResource[] {
  const stores = new Set<GroupResource>([PODS]);
  for (const kind of kinds.all()) if (kind.namespaced) stores.add(kind.storedAs);
  return [...stores];
}

/**
 * Deletes what belongs to a holder that is going: a Namespace, or a CustomResourceDefinition. One of the same name
 * that came after it is another holder, and its content is not to be touched. That it may come between this read and
 * the batch does no harm: its content would come through the same mailbox, and so after the batch.
 */
async function deleteContent(
  item: WorkItemRow,
  holder: { resource: string; name: string },
  resources: readonly GroupResource[],
  kinds: ClusterKinds,
  { store }: SliceContext,
  why: Pick<TargetAction & { act: "delete" }, "rule" | "actor">,
): Promise<Slice> {
  const after = placeOf(item.cursor);
  const [held, content] = await store.db.batch<ObjectRow | ContentRow>([
    store.db.prepare(GET_OBJECT).bind(store.cluster, holder.resource, "", holder.name),
    store.db
      .prepare(READ_CONTENT)
      .bind(
        store.cluster,
        store.namespace,
        JSON.stringify(resources),
        after.place,
        after.name,
        SLICE_OBJECTS,
      ),
  ]);
  const current = held?.results[0] as ObjectRow | undefined;
  if (current && (current.uid !== item.uid || current.deletion === null)) {
    const nothing = await store.begin();
    nothing.done.push(item.id);
    return commitSlice(store, nothing);
  }
  const results = (content?.results ?? []) as ContentRow[];
  const targets: Target[] = results.map((row) => ({
    uid: asUid(row.uid),
    resource: row.resource as GroupResource,
    resourceVersion: row.resource_version,
    // A large one is looked into, since only its body tells who its owners are and which labels it has.
    plain: row.plain === 1 && row.owners !== null,
    size: row.size,
    name: row.name,
    labels: row.labels ?? "{}",
    owners: JSON.parse(row.owners ?? "[]") as string[],
    action: { act: "delete", policy: "Background", cause: asUid(item.uid), unblock: false, ...why },
  }));
  const commit = await store.begin();
  const taken = fitting(targets);
  await planTargets(commit, targets.slice(0, taken), store, kinds);
  const last = results[taken - 1];
  if (last === undefined) {
    commit.done.push(item.id);
    commit.work.push(TASKS.finalize(item.uid));
  } else {
    commit.advanced.push({ id: item.id, cursor: JSON.stringify([last.place, last.name]) });
  }
  return commitSlice(store, commit);
}

/**
 * Where a pass goes on: a place in the list of resources, pods always being the first, and a name. Should the list
 * change under it, what it misses is found by the finalizer, which begins another pass.
 */
function placeOf(cursor: string): { place: number; name: string } {
  const [place, name] = cursor === "" ? [0, ""] : (JSON.parse(cursor) as [number, string]);
  return { place, name };
}
