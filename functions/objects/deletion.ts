import type { Kind } from "./kind.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "./metadata/finalizers.ts";
import type { ObjectMeta } from "./object.ts";

/**
 * What a terminating object waits for, as far as the collector cares: the object's own dependents
 * (`foreground`), their release (`orphan`), or something that is not the collector's (`terminating`).
 */
export type Deletion = "terminating" | "foreground" | "orphan";

/** Terminating means that a deletionTimestamp is set; it may lie in the future, for a Pod in its grace period. */
export function deletionOf(meta: ObjectMeta): Deletion | null {
  if (meta.deletionTimestamp === undefined) return null;
  if (meta.finalizers?.includes(FINALIZER_ORPHAN)) return "orphan";
  return meta.finalizers?.includes(FINALIZER_FOREGROUND) ? "foreground" : "terminating";
}

/** Whether a background DELETE removes it at once, without a look at its body. */
export function isPlain(meta: ObjectMeta, kind: Kind): boolean {
  const { deletion } = kind.traits;
  return (
    (meta.finalizers ?? []).length === 0 &&
    meta.deletionTimestamp === undefined &&
    (deletion === "ordinary" || deletion === "unsupported")
  );
}
