import { isJsonObject } from "../../objects/json.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { gcFinalizersAfterDelete } from "../../objects/metadata/gc-finalizers.ts";
import { type KubeObject, type Millis, timestamp } from "../../objects/object.ts";
import type { DeleteContext, DeleteDecision } from "./delete.ts";
import { deleteOrdinary } from "./delete-ordinary.ts";
import { marked, withFinalizers, withMetadata } from "./mark.ts";

/**
 * Pods have a grace period: their deletionTimestamp may lie in the future, and the node's agent removes them
 * with a DELETE of grace 0. A repeated DELETE only ever shortens the period; while it is pending, the
 * policy of the repeated call is ignored.
 *
 * Source: kubernetes `registry/core/pod/strategy.go` (CheckGracefulDelete), `registry/rest/delete.go`.
 */
export function deletePod(
  stored: KubeObject,
  options: DeleteOptions,
  context: DeleteContext,
): DeleteDecision {
  const { deletionTimestamp, deletionGracePeriodSeconds } = stored.metadata;
  if (deletionTimestamp === undefined) return beginPodDeletion(stored, options, context);

  const left = deletionGracePeriodSeconds ?? 0;
  if (left <= 0) return deleteOrdinary(stored, options, context);
  const asked = options.gracePeriodSeconds;
  if (asked === undefined || asked >= left) return { outcome: "pending" };

  const grace = gracePeriod(stored, options);
  const finalizers = policyFinalizers(stored, options, context);
  const ends = Date.parse(deletionTimestamp) - left * 1000 + grace * 1000;
  const next = withMetadata(withFinalizers(stored, finalizers), {
    // Never before now: the remainder of a period that has run out is nothing, not less.
    deletionTimestamp: timestamp(Math.max(ends, context.now)),
    deletionGracePeriodSeconds: grace,
  });
  return grace === 0 && finalizers.length === 0
    ? { outcome: "remove", first: next }
    : { outcome: "keep", next, changed: true };
}

function beginPodDeletion(
  stored: KubeObject,
  options: DeleteOptions,
  context: DeleteContext,
): DeleteDecision {
  const grace = gracePeriod(stored, options);
  const finalizers = policyFinalizers(stored, options, context);
  if (grace > 0) {
    const next = graceful(withFinalizers(stored, finalizers), grace, context.now);
    return { outcome: "keep", next, changed: true };
  }
  const next = marked(withFinalizers(stored, finalizers), context.now);
  return finalizers.length === 0
    ? { outcome: "remove", first: next }
    : { outcome: "keep", next, changed: true };
}

function graceful(object: KubeObject, seconds: number, now: Millis): KubeObject {
  const { generation } = object.metadata;
  return withMetadata(object, {
    deletionTimestamp: timestamp(now + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
    ...(generation !== undefined && generation > 0 ? { generation: generation + 1 } : {}),
  });
}

/** In seconds. Nothing waits for a Pod that no node runs: unscheduled or finished ones have none. */
function gracePeriod(pod: KubeObject, options: Pick<DeleteOptions, "gracePeriodSeconds">): number {
  const spec = isJsonObject(pod.spec) ? pod.spec : {};
  const status = isJsonObject(pod.status) ? pod.status : {};
  if (!spec.nodeName || status.phase === "Succeeded" || status.phase === "Failed") return 0;
  const asked = options.gracePeriodSeconds;
  // A negative period means "as soon as possible", which for a running Pod is one second.
  if (asked !== undefined) return asked < 0 ? 1 : asked;
  return typeof spec.terminationGracePeriodSeconds === "number"
    ? Math.max(0, spec.terminationGracePeriodSeconds)
    : 0;
}

function policyFinalizers(pod: KubeObject, options: DeleteOptions, context: DeleteContext): string[] {
  return gcFinalizersAfterDelete(pod.metadata.finalizers ?? [], options, context.kind, context.version);
}
