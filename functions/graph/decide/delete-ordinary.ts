import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { gcFinalizersAfterDelete } from "../../objects/metadata/gc-finalizers.ts";
import type { KubeObject } from "../../objects/object.ts";
import type { DeleteContext, DeleteDecision } from "./delete.ts";
import { marked, withFinalizers } from "./mark.ts";

/** Marks or removes; the rule for every kind without a grace period. */
export function deleteOrdinary(
  stored: KubeObject,
  options: DeleteOptions,
  context: DeleteContext,
): DeleteDecision {
  const before = stored.metadata.finalizers ?? [];
  const finalizers = gcFinalizersAfterDelete(before, options, context.kind, context.version);
  if (finalizers.length === 0) return { outcome: "remove", first: undefined };
  const next = marked(withFinalizers(stored, finalizers), context.now);
  const changed =
    next.metadata.deletionTimestamp !== stored.metadata.deletionTimestamp || finalizers !== before;
  return { outcome: "keep", next, changed };
}
