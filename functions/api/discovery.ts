import type { JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind, type Subresource } from "../objects/kind.ts";
import type { GroupVersions, KindRegistry } from "../objects/kinds/registry.ts";

/**
 * The discovery documents: what a cluster serves. Plain ones are a document for each group version; an aggregated
 * one says it all at once for `/api` or `/apis`.
 * Source: Kubernetes, "API discovery"; the types of `meta/v1` and `apidiscovery.k8s.io`.
 */
export type DiscoveryForm = "plain" | "v2" | "v2beta1";

/** Which form of `/api` or `/apis` an Accept header asks for: the first it lists that there is, else the plain one. */
export function discoveryForm(accept: string | null): DiscoveryForm {
  for (const range of (accept ?? "").split(",")) {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    const given = new Map(parameters.map((parameter) => splitOnce(parameter, "=")));
    if (type !== "application/json" || given.get("q") === "0") continue;
    if (given.get("as") === undefined) return "plain";
    const version = given.get("v");
    if (given.get("g") !== "apidiscovery.k8s.io" || given.get("as") !== "APIGroupDiscoveryList") continue;
    if (version === "v2" || version === "v2beta1") return version;
  }
  return "plain";
}

/** The Content-Type that goes with a form. */
export function discoveryContentType(form: DiscoveryForm): string {
  return form === "plain"
    ? "application/json"
    : `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** `/api`. `serverAddress`: host and port, as clients outside reach it. */
export function apiVersions(registry: KindRegistry, serverAddress: string): JsonObject {
  const core = registry.groups().find(({ group }) => group === "");
  return {
    kind: "APIVersions",
    versions: [...(core?.versions ?? [])],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis`. */
export function apiGroupList(registry: KindRegistry): JsonObject {
  return { kind: "APIGroupList", apiVersion: "v1", groups: namedGroups(registry).map(groupDocument) };
}

/** `/apis/{group}`; undefined when nothing of that group is served. */
export function apiGroup(registry: KindRegistry, group: string): JsonObject | undefined {
  const found = namedGroups(registry).find((candidate) => candidate.group === group);
  return found && { kind: "APIGroup", apiVersion: "v1", ...groupDocument(found) };
}

const namedGroups = (registry: KindRegistry) => registry.groups().filter(({ group }) => group !== "");

function groupDocument({ group, versions }: GroupVersions): JsonObject {
  const documents = versions.map((version) => ({ groupVersion: apiVersion(group, version), version }));
  return { name: group, versions: documents, preferredVersion: documents[0] ?? null };
}

/** `/api/v1` and `/apis/{group}/{version}`; undefined when nothing of that version is served. */
export function apiResourceList(
  registry: KindRegistry,
  group: string,
  version: string,
): JsonObject | undefined {
  const kinds = registry.inVersion(group, version);
  if (kinds.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersion(group, version),
    resources: kinds.flatMap((kind) => [
      resourceDocument(kind),
      ...kind.subresources.map((subresource) => subresourceDocument(kind, subresource)),
    ]),
  };
}

function resourceDocument(kind: Kind): JsonObject {
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: [...kind.verbs],
    ...names(kind),
  };
}

function subresourceDocument(kind: Kind, subresource: Subresource): JsonObject {
  return {
    name: `${kind.resource}/${subresource.name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...subresource.groupVersion,
    kind: subresource.kind,
    verbs: [...subresource.verbs],
  };
}

function names(kind: Kind): JsonObject {
  return {
    ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
    ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
  };
}

/** `/api` or `/apis` in the aggregated form of that version. */
export function aggregatedDiscovery(
  registry: KindRegistry,
  root: "api" | "apis",
  version: "v2" | "v2beta1",
): JsonObject {
  const groups = registry.groups().filter(({ group }) => (group === "") === (root === "api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === "" ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: versions.map((served) => ({
        version: served,
        freshness: "Current",
        resources: registry.inVersion(group, served).map((kind) => aggregatedResource(kind, served)),
      })),
    })),
  };
}

function aggregatedResource(kind: Kind, version: string): JsonObject {
  const subresources = kind.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: {
      ...(subresource.groupVersion ?? { group: kind.group, version }),
      kind: subresource.kind,
    },
    verbs: [...subresource.verbs],
  }));
  return {
    resource: kind.resource,
    responseKind: { group: kind.group, version, kind: kind.kind },
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: [...kind.verbs],
    ...names(kind),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** `/version`: the API level this server follows. Clients read `gitVersion` as a semantic version. */
export function versionDocument(): JsonObject {
  return {
    major: "1",
    minor: "34",
    gitVersion: "v1.34.0+kubegc",
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "workerd",
    platform: "cloudflare/workers",
  };
}
