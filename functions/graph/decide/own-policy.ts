import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import type { KubeObject } from "../../objects/object.ts";

/** A finalizer of the collector that was set by hand is a policy for whoever deletes without naming one. */
export function ownPolicy(object: KubeObject): "Background" | "Foreground" | "Orphan" {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(FINALIZER_ORPHAN)) return "Orphan";
  return finalizers.includes(FINALIZER_FOREGROUND) ? "Foreground" : "Background";
}
