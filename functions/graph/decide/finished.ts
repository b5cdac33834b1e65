import type { Kind } from "../../objects/kind.ts";
import type { KubeObject } from "../../objects/object.ts";
import { specFinalizers } from "./delete-namespace.ts";

/**
 * Whether an update of a terminating object leaves nothing that holds it: it goes instead of being written. A
 * Pod in its grace period stays, whatever its finalizers.
 *
 * Source: kubernetes registry/generic/registry/store.go, ShouldDeleteDuringUpdate.
 */
export function isFinished(next: KubeObject, stored: KubeObject, kind: Kind): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = stored.metadata;
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  if ((next.metadata.finalizers ?? []).length > 0) return false;
  return kind.traits.deletion !== "namespace" || specFinalizers(next).length === 0;
}
