import type { Deletion } from "../../objects/deletion.ts";
import type { Kind } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { GroupResource, OwnerReference, Uid } from "../../objects/object.ts";

/** Where the object with a reference's uid is, if there is one. */
export interface OwnerFacts {
  resource: GroupResource;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
  deletion: Deletion | null;
}

export interface ReferenceFacts {
  reference: OwnerReference;
  owner: OwnerFacts | undefined;
  /** Where an object with that uid was before it was removed, looked up only for kinds that are served no more. */
  removed?: { resource: GroupResource; name: string } | undefined;
}

/**
 * What one owner reference means for its dependent.
 * - `solid`: the owner is there and the dependent lives.
 * - `dangling`: no object has the uid at the claimed place, and none ever will.
 * - `waiting`: the owner is in foreground deletion and waits for its dependents.
 * - `unresolvable`: the claimed kind is not served, so nothing can be said and nothing is deleted.
 * - `out-of-scope`: a cluster-scoped dependent names a namespaced kind; it is never collected.
 */
export type ReferenceClass = "solid" | "dangling" | "waiting" | "unresolvable" | "out-of-scope";

/**
 * The claim is what counts: an object with the right uid under another kind, namespace or name is not the
 * claimed owner. A namespaced owner is looked for in the dependent's own namespace.
 *
 * Source: kubernetes garbagecollector.go (isDangling, attemptToDeleteItem); KEP-less change of 1.20, #92743.
 */
export function classifyReference(
  facts: ReferenceFacts,
  dependentNamespace: string,
  kinds: KindRegistry,
): ReferenceClass {
  const { reference, owner } = facts;
  const kind = kinds.claimed(reference.apiVersion, reference.kind);
  if (kind === undefined) return wasRemovedWithItsKind(facts, kinds) ? "dangling" : "unresolvable";
  if (isOutOfScope(kind, dependentNamespace)) return "out-of-scope";
  const namespace = kind.namespaced ? dependentNamespace : "";
  const there =
    owner !== undefined &&
    owner.resource === kind.storedAs &&
    owner.namespace === namespace &&
    owner.name === reference.name;
  if (!there) return "dangling";
  return owner.deletion === "foreground" ? "waiting" : "solid";
}

const isOutOfScope = (kind: Kind, dependentNamespace: string) => kind.namespaced && dependentNamespace === "";

/** Whether nothing could be decided about a dependent because of this reference, whatever its owner is. */
export function protects(
  reference: OwnerReference,
  dependentNamespace: string,
  kinds: KindRegistry,
): boolean {
  const kind = kinds.claimed(reference.apiVersion, reference.kind);
  return kind === undefined || isOutOfScope(kind, dependentNamespace);
}

/**
 * The owner was a custom object whose definition went with it. Upstream knows its absence from the moment its
 * removal was seen; here the record of that removal tells.
 */
function wasRemovedWithItsKind({ reference, removed }: ReferenceFacts, kinds: KindRegistry): boolean {
  if (removed === undefined || removed.name !== reference.name) return false;
  const group = reference.apiVersion.split("/")[0] ?? "";
  return removed.resource.endsWith(`.${group}`) && kinds.byStore(removed.resource) === undefined;
}

/**
 * Whether a reference that was just written needs a look by the collector, and whether its owner lives in a
 * namespace it must not be named from, which is worth a Warning event.
 */
export function linkProblem(
  reference: OwnerReference,
  owner: OwnerFacts | undefined,
  dependentNamespace: string,
  kinds: KindRegistry,
): "none" | "examine" | "wrong-namespace" {
  if (owner === undefined) return "examine";
  if (owner.namespace !== "" && owner.namespace !== dependentNamespace) return "wrong-namespace";
  const found = classifyReference({ reference, owner }, dependentNamespace, kinds);
  return found === "solid" || found === "waiting" ? "none" : "examine";
}

export const uidsOf = (references: readonly OwnerReference[] | undefined): Uid[] => [
  ...new Set((references ?? []).map((reference) => reference.uid as Uid)),
];
