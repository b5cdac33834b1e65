import type { Failure } from "../../objects/failure.ts";
import { type Json, jsonEqual } from "../../objects/json.ts";
import { type Kind, parseApiVersion, resourceOf } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { OwnerReference } from "../../objects/object.ts";
import { allows, type Principal } from "../../objects/roles.ts";

export interface OwnerChange {
  principal: Principal;
  kind: Kind;
  operation: "create" | "update";
  subresource: string | undefined;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
  before: readonly OwnerReference[];
  after: readonly OwnerReference[];
}

/**
 * Who may make an object somebody's dependent. Changing the references of an object can get it deleted, so it takes
 * the right to delete it; a reference that blocks its owner can hold that up for ever, so it takes the right to set
 * the owner's finalizers. Undefined when it is allowed.
 *
 * Source: kubernetes plugin/pkg/admission/gc (OwnerReferencesPermissionEnforcement).
 */
export function ownerPermissionFailure(change: OwnerChange, kinds: KindRegistry): Failure | undefined {
  const { principal, kind, operation, subresource, namespace, name, before, after } = change;
  // Status updates of Pods never change references, whatever is sent.
  if (kind.storedAs === "pods" && subresource === "status") return undefined;
  if (jsonEqual(before as unknown as Json, after as unknown as Json)) return undefined;
  const { group, resource } = kind;
  const refused = (message: string): Failure => ({
    reason: "Forbidden",
    resource: resourceOf(kind),
    name,
    message,
  });
  const target = { group, resource, subresource, namespace, name };
  if (operation === "update" && !allows(principal, { verb: "delete", ...target })) {
    return refused("cannot set an ownerRef on a resource you can't delete: , <nil>");
  }
  const newlyBlocking = after.filter(
    (reference) =>
      reference.blockOwnerDeletion &&
      !before.some((old) => old.uid === reference.uid && old.blockOwnerDeletion),
  );
  if (newlyBlocking.length === 0 || mayFinalizeAnything(principal)) return undefined;
  for (const reference of newlyBlocking) {
    const owner = kinds.claimed(reference.apiVersion, reference.kind);
    if (owner === undefined || parseApiVersion(reference.apiVersion) === undefined) {
      return refused(
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${reference.apiVersion} Kind ${reference.kind}: no matches for kind ${JSON.stringify(reference.kind)} in version ${JSON.stringify(reference.apiVersion)}`,
      );
    }
    const finalizers = {
      verb: "update",
      group: owner.group,
      resource: owner.resource,
      subresource: "finalizers",
      namespace: owner.namespaced ? namespace : "",
      name: reference.name,
    };
    if (!allows(principal, finalizers)) {
      return refused(
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
      );
    }
  }
  return undefined;
}

/** Spares who may do everything the question which kind is meant. */
const mayFinalizeAnything = (principal: Principal): boolean =>
  allows(principal, {
    verb: "update",
    group: "*",
    resource: "*",
    subresource: "finalizers",
    namespace: "",
    name: "",
  });
