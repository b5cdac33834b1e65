import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind, Subresource } from "../kind.ts";
import { groupResource, type Millis, timestamp } from "../object.ts";
import { ALL_VERBS, SCALE, statusOf } from "./built-in-kind.ts";
import { list, object, readDefinition, texts } from "./definition.ts";
import type { ScalePaths } from "./scale.ts";
import { compareVersions } from "./version-priority.ts";

export { validateCustomResourceDefinition } from "./custom-resource-validation.ts";

/** Holds a definition until its instances are gone. */
export const CRD_CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/**
 * The kind that a valid definition serves, its versions by priority. A subresource is offered in all versions as
 * soon as one of them declares it. Objects are kept without a version, so the storage version has no say here.
 */
export function customKind(crd: JsonObject): Kind {
  const { group, scope, names, versions } = readDefinition(crd);
  const served = versions.filter((version) => version.served);
  const declares = (name: string) => served.some((version) => isJsonObject(version.subresources[name]));
  const subresources: Subresource[] = [];
  const scale = served.map(({ subresources: declared }) => declared.scale).find(isJsonObject);
  if (scale) subresources.push({ ...SCALE, paths: scalePaths(scale) });
  if (declares("status")) subresources.push(statusOf(names.kind));
  return {
    group,
    versions: served.map((version) => version.name).sort(compareVersions),
    kind: names.kind,
    resource: names.plural,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced: scope === "Namespaced",
    // While its objects are being removed it takes no new ones.
    verbs: isTerminating(crd) ? ALL_VERBS.filter((verb) => verb !== "create") : ALL_VERBS,
    subresources,
    storedAs: groupResource(group, names.plural),
    traits: {
      returnsDeletedObject: false,
      deletion: "ordinary",
      orphansByDefaultIn: [],
      countsGenerations: true,
      nameSyntax: "subdomain",
      custom: true,
    },
  };
}

const isTerminating = (crd: JsonObject): boolean => object(crd.metadata).deletionTimestamp !== undefined;

function scalePaths({ specReplicasPath, statusReplicasPath, labelSelectorPath }: JsonObject): ScalePaths {
  return {
    replicas: typeof specReplicasPath === "string" ? specReplicasPath : ".spec.replicas",
    statusReplicas: typeof statusReplicasPath === "string" ? statusReplicasPath : ".status.replicas",
    ...(typeof labelSelectorPath === "string" ? { selector: labelSelectorPath } : {}),
  };
}

/** The schema that a definition gives a version, if it has that version. */
export function customSchema(crd: JsonObject, version: string): JsonObject | undefined {
  return readDefinition(crd).versions.find(({ name }) => name === version)?.schema;
}

/**
 * The definition as it looks once its names are accepted and it is served. For a create and for each later update of
 * the spec: names and conversion are defaulted, a new storage version is remembered in `status.storedVersions`, and
 * conditions that already hold keep their time. A terminating definition gets no finalizer back.
 * Unlike upstream, which adds the cleanup finalizer with the first DELETE, a definition carries it from the start,
 * so that a DELETE of one is like any other.
 */
export function establish(crd: JsonObject, now: Millis): JsonObject {
  const definition = readDefinition(crd);
  const spec = object(crd.spec);
  const metadata = object(crd.metadata);
  const status = object(crd.status);
  const names = {
    ...object(spec.names),
    singular: definition.names.singular,
    listKind: definition.names.listKind,
  };
  const storage = definition.versions.filter((version) => version.storage).map((version) => version.name);
  return {
    ...crd,
    metadata: metadata.deletionTimestamp === undefined ? withCleanup(metadata) : metadata,
    spec: { conversion: { strategy: "None" }, ...spec, names },
    status: {
      ...status,
      conditions: [
        {
          type: "NamesAccepted",
          status: "True",
          reason: "NoConflicts",
          message: "no conflicts found",
        },
        {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ].reduce((conditions, condition) => withCondition(conditions, condition, now), list(status.conditions)),
      acceptedNames: names,
      storedVersions: [...new Set([...texts(status.storedVersions), ...storage])],
    },
  };
}

/** Whether its kind is served: from the moment it is established until it is gone, also while it terminates. */
export function isEstablished(crd: JsonObject): boolean {
  const conditions = list(object(crd.status).conditions).map(object);
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}

function withCleanup(metadata: JsonObject): JsonObject {
  const finalizers = list(metadata.finalizers);
  if (finalizers.includes(CRD_CLEANUP_FINALIZER)) return metadata;
  return { ...metadata, finalizers: [...finalizers, CRD_CLEANUP_FINALIZER] };
}

function withCondition(
  conditions: readonly Json[],
  condition: { type: string; status: string; reason: string; message: string },
  now: Millis,
): Json[] {
  const { type, status, reason, message } = condition;
  const known = conditions.map(object).find((other) => other.type === type);
  const since = known?.status === status ? known.lastTransitionTime : undefined;
  const next = { lastTransitionTime: since ?? timestamp(now), message, reason, status, type };
  return known === undefined
    ? [...conditions, next]
    : conditions.map((other) => (object(other).type === type ? next : other));
}
