import type { Deletion } from "../../objects/deletion.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { Uid } from "../../objects/object.ts";
import { classifyReference, type ReferenceFacts } from "./classify.ts";

/** What the collector knows of an object it looks at. */
export interface DependentFacts {
  uid: Uid;
  /** Empty when cluster-scoped. */
  namespace: string;
  deletion: Deletion | null;
  references: readonly ReferenceFacts[];
  hasDependents: boolean;
}

export type CollectDecision =
  | { act: "keep" }
  /** Some owners live: the references to the others are taken out. Never deleted. */
  | { act: "release"; owners: readonly Uid[] }
  /**
   * `policy: "own"` leaves it to the finalizers on the object: orphan, foreground, or else background.
   * `cause` is the owner whose going made this happen.
   */
  | {
      act: "delete";
      policy: "Foreground" | "own";
      rule: "owner-absent" | "owner-deleting";
      cause: Uid;
      waitingFor: readonly Uid[];
    };

/**
 * Decides about one object from its owner references. When in doubt, nothing is deleted: a deletion needs every
 * owner to be absent or to wait for its dependents, and one unresolvable reference protects the object.
 *
 * Source: kubernetes garbagecollector.go, attemptToDeleteItem.
 */
export function decideCollect(facts: DependentFacts, kinds: KindRegistry): CollectDecision {
  // On its way already. One in foreground deletion is an owner, and looked at as such.
  if (facts.deletion !== null || facts.references.length === 0) return { act: "keep" };

  const dangling: Uid[] = [];
  const waiting: Uid[] = [];
  let solid = 0;
  for (const reference of facts.references) {
    const uid = reference.reference.uid as Uid;
    switch (classifyReference(reference, facts.namespace, kinds)) {
      case "unresolvable":
      case "out-of-scope":
        return { act: "keep" };
      case "solid":
        solid++;
        break;
      case "dangling":
        dangling.push(uid);
        break;
      case "waiting":
        waiting.push(uid);
        break;
    }
  }
  const [firstWaiting] = waiting;
  const [firstDangling] = dangling;
  if (solid > 0) {
    const owners = [...dangling, ...waiting];
    return owners.length > 0 ? { act: "release", owners } : { act: "keep" };
  }
  if (firstWaiting !== undefined) {
    return {
      act: "delete",
      policy: facts.hasDependents ? "Foreground" : "own",
      rule: "owner-deleting",
      cause: firstWaiting,
      waitingFor: waiting,
    };
  }
  if (firstDangling !== undefined) {
    return { act: "delete", policy: "own", rule: "owner-absent", cause: firstDangling, waitingFor: [] };
  }
  return { act: "keep" };
}
