import { type Failure, type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { Kind } from "../../objects/kind.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, terminating } from "../../objects/kinds/custom-resource.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import {
  asJson,
  asObject,
  type GroupResource,
  groupResource,
  type KubeObject,
  type Millis,
} from "../../objects/object.ts";
import { deleteNamespace } from "./delete-namespace.ts";
import { deleteOrdinary } from "./delete-ordinary.ts";
import { deletePod } from "./delete-pod.ts";

/** What a DELETE does to one object. Nothing here looks at other objects: that is the collector's part. */
export type DeleteDecision =
  /** A Pod whose grace period is not shortened: nothing is written, the policy is ignored. */
  | { outcome: "pending" }
  | { outcome: "keep"; next: KubeObject; changed: boolean }
  /** `first` is a state that is written, and seen by watchers, before the removal. */
  | { outcome: "remove"; first: KubeObject | undefined };

export interface DeleteContext {
  kind: Kind;
  /** The API version of the request: the default policy depends on it. */
  version: string;
  now: Millis;
}

/**
 * Decides a DELETE as the API server does: preconditions, then the collector's finalizers from the policy, then
 * mark or remove. Errors: Conflict for a precondition.
 *
 * Source: kubernetes `registry/rest/delete.go` (BeforeDelete) and `registry/generic/registry/store.go`
 * (deletionFinalizersForGarbageCollection, updateForGracefulDeletionAndFinalizers).
 */
export function decideDelete(
  stored: KubeObject,
  options: DeleteOptions,
  context: DeleteContext,
): Outcome<DeleteDecision> {
  const conflict = preconditionConflict(stored, options, context.kind);
  if (conflict) return refuse(conflict);
  switch (context.kind.traits.deletion) {
    case "namespace":
      return ok(deleteNamespace(stored, options, context));
    case "graceful":
      return ok(deletePod(stored, options, context));
    case "ordinary":
    case "unsupported": {
      const decision = deleteOrdinary(stored, options, context);
      return ok(
        context.kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS ? emptying(decision, context.now) : decision,
      );
    }
  }
}

/** A definition says from the start that its objects are being deleted. */
function emptying(decision: DeleteDecision, now: Millis): DeleteDecision {
  if (decision.outcome !== "keep") return decision;
  return { ...decision, next: asObject(terminating(asJson(decision.next), now)) };
}

/** The uid is compared first: a successor of the same name is not the object that was meant. */
function preconditionConflict(stored: KubeObject, options: DeleteOptions, kind: Kind): Failure | undefined {
  const { uid, resourceVersion, name } = stored.metadata;
  const subject: GroupResource = groupResource(kind.group, kind.kind);
  const conflict = (what: string): Failure => ({
    reason: "Conflict",
    subject,
    name,
    message: `Operation cannot be fulfilled on ${subject} "${name}": ${what}`,
  });
  if (options.uid !== undefined && options.uid !== uid) {
    return conflict(
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    return conflict(
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
  return undefined;
}
