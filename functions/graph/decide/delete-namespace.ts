import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import { type KubeObject, timestamp } from "../../objects/object.ts";
import type { DeleteContext, DeleteDecision } from "./delete.ts";
import { deleteOrdinary } from "./delete-ordinary.ts";
import { withFinalizers } from "./mark.ts";

/** Namespaces that hold up a cluster. Source: kubernetes NamespaceLifecycle admission. */
export const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/**
 * A Namespace is never removed by the DELETE that marks it, even when it is empty: it goes when its content has
 * gone and both lists of finalizers, `spec.finalizers` and `metadata.finalizers`, are empty. The policy concerns
 * only objects that name the Namespace as their owner; content is always deleted.
 *
 * Source: kubernetes `registry/core/namespace/storage/storage.go`.
 */
export function deleteNamespace(
  stored: KubeObject,
  options: DeleteOptions,
  context: DeleteContext,
): DeleteDecision {
  if (stored.metadata.deletionTimestamp === undefined) {
    const kept = withFinalizers(stored, namespaceGcFinalizers(stored.metadata.finalizers ?? [], options));
    const status = isJsonObject(stored.status) ? stored.status : {};
    const next: KubeObject = {
      ...kept,
      // No grace period: unlike other kinds, a Namespace gets none.
      metadata: { ...kept.metadata, deletionTimestamp: timestamp(context.now) },
      status: { ...status, phase: "Terminating" },
    };
    return { outcome: "keep", next, changed: true };
  }
  if (specFinalizers(stored).length > 0) return { outcome: "keep", next: stored, changed: false };
  return deleteOrdinary(stored, options, context);
}

export function specFinalizers(namespace: KubeObject | JsonObject): unknown[] {
  const { spec } = namespace;
  return isJsonObject(spec) && Array.isArray(spec.finalizers) ? spec.finalizers : [];
}

/** Here `orphanDependents: false` means Foreground, not Background as everywhere else. */
function namespaceGcFinalizers(before: readonly string[], options: DeleteOptions): string[] {
  const { orphanDependents, propagationPolicy } = options;
  if (orphanDependents === undefined && propagationPolicy === undefined) return [...before];
  const others = before.filter((name) => name !== FINALIZER_ORPHAN && name !== FINALIZER_FOREGROUND);
  if (orphanDependents === true || propagationPolicy === "Orphan") return [...others, FINALIZER_ORPHAN];
  return orphanDependents === false || propagationPolicy === "Foreground"
    ? [...others, FINALIZER_FOREGROUND]
    : others;
}
