import { isJsonObject, type JsonObject } from "./json.ts";
import { type KubeObject, type Millis, timestamp } from "./object.ts";
import { matchesLabels } from "./selectors/label-selector.ts";
import { labelSelectorOf } from "./selectors/structured-selector.ts";

/** Beyond so many evicted pods that the budget's controller has not confirmed, none is evicted. */
const MAX_DISRUPTED_PODS = 2000;

/** What one eviction makes of a budget's status, or why there is none. */
export type Disruption = { allowed: true; status: JsonObject } | { allowed: false; cause: string };

/**
 * Whether a pod is evicted without a look at budgets: it has finished, was never started, or is going already.
 *
 * Source: kubernetes registry/core/pod/storage/eviction.go, canIgnorePDB.
 */
export function needsNoBudget({ metadata, status }: KubeObject): boolean {
  const phase = isJsonObject(status as JsonObject) ? (status as JsonObject).phase : undefined;
  return (
    metadata.deletionTimestamp !== undefined || ["Pending", "Succeeded", "Failed"].includes(String(phase))
  );
}

/** Whether a budget is about the pod. One without a selector is about none. */
export function protects({ spec }: JsonObject, pod: KubeObject): boolean {
  if (!isJsonObject(spec) || !isJsonObject(spec.selector)) return false;
  return matchesLabels(labelSelectorOf(spec.selector), pod.metadata.labels);
}

/**
 * Takes one disruption from a budget, and notes which pod it is for, until the budget's controller has seen it go. A budget
 * allows what its status says; nothing here counts for it.
 *
 * Source: kubernetes registry/core/pod/storage/eviction.go, checkAndDecrement.
 */
export function disrupt(budget: JsonObject, pod: string, now: Millis): Disruption {
  const status = isJsonObject(budget.status) ? budget.status : {};
  const left = Number(status.disruptionsAllowed ?? 0);
  const disruptedPods = isJsonObject(status.disruptedPods) ? status.disruptedPods : {};
  const name = isJsonObject(budget.metadata) ? String(budget.metadata.name) : "";
  if (!(left > 0)) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    return {
      allowed: false,
      cause: `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    };
  }
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    return {
      allowed: false,
      cause: "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    };
  }
  return {
    allowed: true,
    status: { disruptionsAllowed: left - 1, disruptedPods: { ...disruptedPods, [pod]: timestamp(now) } },
  };
}
