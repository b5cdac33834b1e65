import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../objects/json.ts";
import { type KubeObject, type Millis, timestamp } from "../../objects/object.ts";
import { specFinalizers } from "./delete-namespace.ts";

export interface RemainingContent {
  resources: readonly { resource: string; count: number }[];
  finalizers: readonly { finalizer: string; count: number }[];
}

/** Holds a Namespace, in its spec, until its content has gone. */
export const FINALIZER_KUBERNETES = "kubernetes";

/**
 * The next state of a terminating Namespace: without the finalizer `kubernetes` in its spec when nothing is left
 * in it, else with conditions that say what is. Undefined when nothing is to be written.
 *
 * Source: kubernetes status_condition_utils.go and namespaced_resources_deleter.go.
 */
export function namespaceProgress(
  namespace: KubeObject,
  remaining: RemainingContent,
  now: Millis,
): KubeObject | undefined {
  if (remaining.resources.length === 0) {
    const spec = isJsonObject(namespace.spec) ? namespace.spec : {};
    const before = specFinalizers(namespace);
    const finalizers = before.filter((name) => name !== FINALIZER_KUBERNETES);
    // With nothing to take off it is written only to go: when no other finalizer holds it.
    const held = before.length > 0 || (namespace.metadata.finalizers ?? []).length > 0;
    return finalizers.length === before.length && held
      ? undefined
      : { ...namespace, spec: { ...spec, finalizers: finalizers as Json[] } };
  }
  const status = isJsonObject(namespace.status) ? namespace.status : {};
  const before = Array.isArray(status.conditions) ? status.conditions.filter(isJsonObject) : [];
  const conditions = namespaceConditions(before, remaining, now);
  return jsonEqual(before, conditions)
    ? undefined
    : { ...namespace, status: { ...status, phase: "Terminating", conditions } };
}

/** `True` means a problem. The time of a condition changes only with its status. */
function namespaceConditions(
  before: readonly JsonObject[],
  { resources, finalizers }: RemainingContent,
  now: Millis,
): JsonObject[] {
  const condition = (type: string, status: "True" | "False", reason: string, message: string): JsonObject => {
    const old = before.find((item) => item.type === type);
    const since = old?.status === status ? old.lastTransitionTime : undefined;
    return { type, status, lastTransitionTime: since ?? timestamp(now), reason, message };
  };
  const left = resources.map(
    ({ resource, count }) => `${withGroup(resource)} has ${count} resource instances`,
  );
  const held = finalizers.map(({ finalizer, count }) => `${finalizer} in ${count} resource instances`);
  return [
    condition(
      "NamespaceDeletionDiscoveryFailure",
      "False",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ),
    condition(
      "NamespaceDeletionGroupVersionParsingFailure",
      "False",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    condition(
      "NamespaceDeletionContentFailure",
      "False",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ),
    condition(
      "NamespaceContentRemaining",
      "True",
      "SomeResourcesRemain",
      `Some resources are remaining: ${left.sort().join(", ")}`,
    ),
    held.length > 0
      ? condition(
          "NamespaceFinalizersRemaining",
          "True",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        )
      : condition(
          "NamespaceFinalizersRemaining",
          "False",
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        ),
  ];
}

/** Upstream prints `<resource>.<group>`, which leaves the core group a trailing dot. */
const withGroup = (resource: string): string => (resource.includes(".") ? resource : `${resource}.`);
