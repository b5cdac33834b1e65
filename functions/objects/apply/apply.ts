import { type Outcome, ok, refuse } from "../failure.ts";
import type { JsonObject } from "../json.ts";
import { asJson, type KubeObject } from "../object.ts";
import { configurationFailure } from "./configuration.ts";
import { conflictFailure, conflictsWith } from "./conflicts.ts";
import { isEmpty, setOf, union } from "./field-set.ts";
import { unforgiven, withLastApplied } from "./last-applied.ts";
import { merge } from "./merge.ts";
import { claimed, isSameOwner, type Ownership, ownedBy, withOwnership } from "./ownership.ts";
import { prune, reconciled } from "./prune.ts";
import { shapeOf } from "./schema-shape.ts";
import {
  isServed,
  ownableDifferences,
  ownerOf,
  ownershipsOf,
  type Writer,
  withoutManagedFields,
  withoutTaken,
} from "./track.ts";
import { addressedPart, ownable } from "./unowned-fields.ts";
import { fieldsOf } from "./value-fields.ts";

/** Who owns what an object held before the first configuration was applied to it, where nobody kept account. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** What no apply removes, whether it speaks of it or not: metadata is never all gone. */
const IDENTITY = setOf(["apiVersion"], ["kind"], ["metadata", "name"]);

export interface Applied {
  /** Without `managedFields`; defaults and validation are still to come. */
  object: JsonObject;
  ownerships: readonly Ownership[];
}

/**
 * Applies a configuration to a live object, or makes a new one of it: its fields are merged in and owned by the applier, and
 * what the applier owned before, does not speak of any more, and nobody else owns, is removed. Two owners that want the
 * same value share a field.
 *
 * Errors: ApplyConflict when a field of another owner would change and `force` is not set; Unknown for lists whose items
 * cannot be told apart.
 *
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/, sigs.k8s.io/structured-merge-diff
 * `merge/update.go` (Apply).
 */
export function applyConfiguration(
  live: KubeObject | undefined,
  config: JsonObject,
  writer: Writer,
  force: boolean,
): Outcome<Applied> {
  const { kind, subresource } = writer;
  const shape = shapeOf(kind, writer.schema);
  const fault = configurationFailure(config, kind, shape);
  if (fault) return refuse(fault);

  const part = addressedPart(config, kind, subresource);
  const before = live === undefined ? {} : withoutManagedFields(asJson(live));
  const owner = ownerOf(writer, "Apply", String(config.apiVersion));
  const known = live === undefined ? [] : knownOwnerships(live, writer);
  const last = ownedBy(known, owner);
  const spoken = fieldsOf(part, shape);
  const applied = claimed(owner, ownable(spoken, kind, subresource), writer.now);
  const others = known.filter((ownership) => !isSameOwner(ownership, owner));

  const merged = merge(before, part, shape) as JsonObject;
  const owned = others.reduce((sum, { fields }) => union(sum, fields), union(spoken, IDENTITY));
  const object = prune(merged, last, owned, shape);

  const changes = ownableDifferences(before, object, shape, kind, subresource);
  const conflicts = unforgiven(conflictsWith(others, changes), before, writer.manager, shape);
  if (conflicts.length > 0 && !force) return refuse(conflictFailure(conflicts));
  const left = others
    .map((ownership) => ({ ...ownership, fields: withoutTaken(ownership.fields, changes) }))
    .filter(({ fields }) => !isEmpty(fields));
  return ok({
    object: withLastApplied(object, config, writer.manager),
    ownerships: withOwnership(left, applied),
  });
}

function knownOwnerships(live: KubeObject, writer: Writer): Ownership[] {
  const { kind, now, schema } = writer;
  const shape = shapeOf(kind, schema);
  const known = ownershipsOf(live);
  if (known.length > 0) {
    return known
      .filter((ownership) => isServed(ownership, kind))
      .map((ownership) => ({ ...ownership, fields: reconciled(ownership.fields, shape) }));
  }
  const { added } = ownableDifferences({}, asJson(live), shape, kind, writer.subresource);
  const untold = { ...writer, manager: BEFORE_FIRST_APPLY, subresource: undefined };
  return [claimed(ownerOf(untold, "Update", live.apiVersion), added, now)];
}
