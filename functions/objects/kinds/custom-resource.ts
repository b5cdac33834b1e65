import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind, Subresource } from "../kind.ts";
import { groupResource, type Millis, timestamp } from "../object.ts";
import { hasValidationRules } from "../schema/definition/schema-of-version.ts";
import { ALL_VERBS, SCALE, statusOf } from "./built-in-kind.ts";
import {
  acceptedNames,
  type DefinitionNames,
  isEstablished,
  list,
  object,
  readDefinition,
  texts,
} from "./definition.ts";
import { grantNames, type NameClaim } from "./names-conflict.ts";
import type { ScalePaths } from "./scale.ts";
import { compareVersions } from "./version-priority.ts";

export { validateCustomResourceDefinition } from "./custom-resource-validation.ts";
export { isEstablished } from "./definition.ts";

export const CUSTOM_RESOURCE_DEFINITIONS = groupResource("apiextensions.k8s.io", "customresourcedefinitions");

/** Holds a definition until its instances are gone. */
export const CRD_CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/**
 * The kind that a valid definition serves, under the names it was granted, its versions by priority. A subresource is
 * offered in all versions as soon as one of them declares it. Objects are kept without a version, so the storage version
 * has no say here.
 */
export function customKind(crd: JsonObject): Kind {
  const { group, scope, names: asked, versions } = readDefinition(crd);
  const granted = acceptedNames(crd);
  const names = granted.plural === "" ? asked : granted;
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

/** What whoever writes a definition should know of what is not done with it. */
export function definitionWarnings(crd: JsonObject): string[] {
  const { versions } = readDefinition(crd);
  const ruled = versions.filter(({ schema }) => schema && hasValidationRules(schema)).map(({ name }) => name);
  const { strategy } = object(object(crd.spec).conversion);
  return [
    ...(ruled.length > 0
      ? [`x-kubernetes-validations of ${ruled.join(", ")} are kept but not evaluated by this server`]
      : []),
    ...(strategy === "Webhook"
      ? ["spec.conversion: webhooks are not called by this server; versions differ in apiVersion only"]
      : []),
  ];
}

/** The schema that a definition gives a version, if it has that version. */
export function customSchema(crd: JsonObject, version: string): JsonObject | undefined {
  return readDefinition(crd).versions.find(({ name }) => name === version)?.schema;
}

/**
 * The definition as it looks once its names were looked at; it is served when all of them were granted. For a create and
 * for each later update of the spec: names and conversion are defaulted, a new storage version is remembered in
 * `status.storedVersions`, and conditions that already hold keep their time. One that was established stays so whatever
 * it asks for later. A terminating definition gets no finalizer back.
 * Unlike upstream, which adds the cleanup finalizer with the first DELETE, a definition carries it from the start,
 * so that a DELETE of one is like any other.
 *
 * @param claims what other definitions hold; its own, and those of other groups, do not count
 */
export function establish(crd: JsonObject, now: Millis, claims: readonly NameClaim[] = []): JsonObject {
  const definition = readDefinition(crd);
  const spec = object(crd.spec);
  const metadata = object(crd.metadata);
  const status = object(crd.status);
  const others = claims.filter((claim) => claim.group === definition.group && claim.name !== definition.name);
  const { names, conflict } = grantNames(definition.names, acceptedNames(crd), others);
  const storage = definition.versions.filter((version) => version.storage).map((version) => version.name);
  const conditions = [namesCondition(conflict), ...establishedCondition(crd, conflict === undefined)];
  return {
    ...crd,
    metadata: metadata.deletionTimestamp === undefined ? withCleanup(metadata) : metadata,
    spec: {
      conversion: { strategy: "None" },
      ...spec,
      names: {
        ...object(spec.names),
        singular: definition.names.singular,
        listKind: definition.names.listKind,
      },
    },
    status: {
      ...status,
      conditions: conditions.reduce(
        (list, condition) => withCondition(list, condition, now),
        list(status.conditions),
      ),
      acceptedNames: printedNames(names),
      storedVersions: [...new Set([...texts(status.storedVersions), ...storage])],
    },
  };
}

interface Condition {
  type: string;
  status: "True" | "False";
  reason: string;
  message: string;
}

const namesCondition = (conflict: { reason: string; message: string } | undefined): Condition =>
  conflict
    ? { type: "NamesAccepted", status: "False", ...conflict }
    : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };

function establishedCondition(crd: JsonObject, accepted: boolean): Condition[] {
  if (isEstablished(crd)) return [];
  const reason = accepted ? "InitialNamesAccepted" : "NotAccepted";
  const message = accepted ? "the initial names have been accepted" : "not all names are accepted";
  return [{ type: "Established", status: accepted ? "True" : "False", reason, message }];
}

const printedNames = ({
  plural,
  singular,
  kind,
  listKind,
  shortNames,
  categories,
}: DefinitionNames): JsonObject => ({
  plural,
  ...(singular === "" ? {} : { singular }),
  ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
  kind,
  ...(listKind === "" ? {} : { listKind }),
  ...(categories.length === 0 ? {} : { categories: [...categories] }),
});

/** The definition while its objects are being removed, which may take a while. */
export function terminating(crd: JsonObject, now: Millis): JsonObject {
  const status = object(crd.status);
  const condition: Condition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  };
  return {
    ...crd,
    status: { ...status, conditions: withCondition(list(status.conditions), condition, now) },
  };
}

/** Whether a definition lets more owner references be resolved than it did before: a kind, or a version of it. */
export function servesMore(before: JsonObject | undefined, after: JsonObject): boolean {
  if (!isEstablished(after)) return false;
  if (before === undefined || !isEstablished(before)) return true;
  const known = customKind(before).versions;
  return customKind(after).versions.some((version) => !known.includes(version));
}

function withCleanup(metadata: JsonObject): JsonObject {
  const finalizers = list(metadata.finalizers);
  if (finalizers.includes(CRD_CLEANUP_FINALIZER)) return metadata;
  return { ...metadata, finalizers: [...finalizers, CRD_CLEANUP_FINALIZER] };
}

function withCondition(conditions: readonly Json[], condition: Condition, now: Millis): Json[] {
  const { type, status, reason, message } = condition;
  const known = conditions.map(object).find((other) => other.type === type);
  const since = known?.status === status ? known.lastTransitionTime : undefined;
  const next = { lastTransitionTime: since ?? timestamp(now), message, reason, status, type };
  return known === undefined
    ? [...conditions, next]
    : conditions.map((other) => (object(other).type === type ? next : other));
}
