import type { Failure } from "../failure.ts";
import { type FieldSet, intersection, type PathElement, pathsOf, union } from "./field-set.ts";
import { printPath } from "./fields-v1.ts";
import type { Ownership } from "./ownership.ts";
import type { Differences } from "./value-fields.ts";

/** A field that somebody else owns, and that a configuration would change. */
export interface Conflict {
  readonly owner: Ownership;
  readonly path: readonly PathElement[];
}

/** By owner, in the order in which they are told. */
export function conflictsWith(others: readonly Ownership[], { added, modified }: Differences): Conflict[] {
  const changed: FieldSet = union(modified, added);
  return [...others]
    .sort((a, b) => (printOwner(a) < printOwner(b) ? -1 : 1))
    .flatMap((owner) => pathsOf(intersection(owner.fields, changed)).map((path) => ({ owner, path })));
}

/**
 * The refusal of an apply, in upstream's words.
 * Source: k8s.io/apimachinery `util/managedfields/internal/conflict.go`.
 */
export function conflictFailure(conflicts: readonly Conflict[]): Failure {
  return {
    reason: "ApplyConflict",
    message: messageOf(conflicts),
    causes: conflicts.map(({ owner, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${printOwner(owner)}`,
      field: printPath(path),
    })),
  };
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printOwner(first.owner)}: ${printPath(first.path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ owner }) => printOwner(owner));
  const told = [...byOwner].flatMap(([owner, theirs]) => [
    `conflicts with ${owner}:`,
    ...theirs.map(({ path }) => `- ${printPath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${told.join("\n")}`;
}

/** `"kubectl-edit" with subresource "scale" using apps/v1`; of somebody who applies, the name alone. */
function printOwner({ manager, operation, subresource, apiVersion }: Ownership): string {
  const name = JSON.stringify(manager);
  const part = subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return operation === "Update" ? `${name}${part} using ${apiVersion}` : `${name}${part}`;
}
