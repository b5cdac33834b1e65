import { jsonEqual } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { createdAt, fieldsOf, isTerminating, specOf, statusOf } from "./object-fields.ts";

const REVISION = "deployment.kubernetes.io/revision";
const HASH_LABEL = "pod-template-hash";

/**
 * The old ReplicaSets beyond the limit, the lowest revision first. Those that still have replicas, or whose controller
 * has not seen their last change, stay, and no other goes in their place. Nothing goes while a rollout is under way.
 */
export function replicaSetHistory(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
  limit: number,
): KubeObject[] {
  if (!isComplete(deployment) && specOf(deployment).paused !== true) return [];
  const current = currentOf(deployment, replicaSets);
  if (current === undefined) return [];
  const old = replicaSets.filter((set) => set !== current && !isTerminating(set)).sort(byRevision);
  return old.slice(0, Math.max(0, old.length - limit)).filter(isIdle);
}

/** Source: kubernetes `controller/deployment/util` (DeploymentComplete). */
function isComplete(deployment: KubeObject): boolean {
  const { replicas } = specOf(deployment);
  const { updatedReplicas = 0, replicas: all = 0, availableReplicas = 0 } = statusOf(deployment);
  const counts = [updatedReplicas, all, availableReplicas];
  return counts.every((count) => count === (replicas ?? 1)) && isObserved(deployment);
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

const isObserved = (object: KubeObject): boolean =>
  numberOf(statusOf(object).observedGeneration) >= (object.metadata.generation ?? 0);

const isIdle = (set: KubeObject): boolean =>
  numberOf(statusOf(set).replicas) === 0 && specOf(set).replicas === 0 && isObserved(set);

/** The oldest with the Deployment's template, but for the label that tells them apart (FindNewReplicaSet). */
function currentOf(deployment: KubeObject, sets: readonly KubeObject[]): KubeObject | undefined {
  const template = withoutHash(specOf(deployment).template);
  return [...sets].sort(byAge).find((set) => jsonEqual(withoutHash(specOf(set).template), template));
}

function withoutHash(template: unknown) {
  const { metadata, ...rest } = fieldsOf(template);
  const { labels, ...others } = fieldsOf(metadata);
  const { [HASH_LABEL]: _, ...kept } = fieldsOf(labels);
  return { ...rest, metadata: { ...others, labels: kept } };
}

/** One without a number is older than all that have one; then the older goes first. */
const byRevision = (a: KubeObject, b: KubeObject): number => revisionOf(a) - revisionOf(b) || byAge(a, b);

const byAge = (a: KubeObject, b: KubeObject): number =>
  (createdAt(a) ?? 0) - (createdAt(b) ?? 0) || (a.metadata.name < b.metadata.name ? -1 : 1);

function revisionOf({ metadata }: KubeObject): number {
  const text = metadata.annotations?.[REVISION] ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
