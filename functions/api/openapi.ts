import type { Json, JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind, type Subresource } from "../objects/kind.ts";
import type { KindRegistry } from "../objects/kinds/registry.ts";
import { groupVersionKind, kindSchemas, type SchemaLookup, schemaName } from "./openapi-schemas.ts";

/**
 * OpenAPI, enough of it for clients that ask what a server offers: kubectl looks for `fieldValidation` on the PATCH
 * of a kind before it applies, and `kubectl explain` reads the schemas.
 */
export interface OpenapiDocument {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

export const TITLE = "kubegc";
export const API_LEVEL = "v1.34.0";

export const noSchemas: SchemaLookup = () => undefined;
const json = (document: JsonObject): OpenapiDocument => ({
  body: JSON.stringify(document),
  contentType: "application/json",
});

/**
 * `/openapi/v3`: where the document of each group version is. The URL carries a hash of its content, so an answer to
 * it never changes. Clients put their own prefix before URLs that begin with `/openapi/v3/`.
 */
export function openapiV3Index(registry: KindRegistry, schemaOf: SchemaLookup = noSchemas): OpenapiDocument {
  const paths: JsonObject = {};
  for (const { group, versions } of registry.groups()) {
    for (const version of versions) {
      const root = rootOf(group, version);
      const hash = contentHash(groupVersionText(registry, group, version, schemaOf) ?? "");
      paths[root] = { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` };
    }
  }
  return json({ paths });
}

/** `/openapi/v3/api/v1` and `/openapi/v3/apis/{group}/{version}`; undefined when nothing of it is served. */
export function openapiV3(
  registry: KindRegistry,
  group: string,
  version: string,
  schemaOf: SchemaLookup = noSchemas,
): OpenapiDocument | undefined {
  const body = groupVersionText(registry, group, version, schemaOf);
  return body === undefined ? undefined : { body, contentType: "application/json" };
}

const rootOf = (group: string, version: string) =>
  `${group === "" ? "api" : "apis"}/${apiVersion(group, version)}`;

/** Documents of built-in kinds alone, which are the same in every cluster. */
const builtInTexts = new Map<string, string>();

function groupVersionText(
  registry: KindRegistry,
  group: string,
  version: string,
  schemaOf: SchemaLookup,
): string | undefined {
  const kinds = registry.inVersion(group, version);
  if (kinds.length === 0) return undefined;
  const root = rootOf(group, version);
  const isBuiltIn = !kinds.some((kind) => kind.traits.custom);
  const known = isBuiltIn ? builtInTexts.get(root) : undefined;
  if (known !== undefined) return known;
  const made = JSON.stringify(groupVersionDocument(kinds, root, version, schemaOf));
  if (isBuiltIn) builtInTexts.set(root, made);
  return made;
}

function groupVersionDocument(
  kinds: readonly Kind[],
  root: string,
  version: string,
  schemaOf: SchemaLookup,
): JsonObject {
  const paths: JsonObject = {};
  for (const kind of kinds) Object.assign(paths, pathsOf(kind, root, version));
  const schemas = kindSchemas(
    kinds.map((kind) => [kind, version]),
    schemaOf,
  );
  return {
    openapi: "3.0.0",
    info: { title: TITLE, version: API_LEVEL },
    paths,
    components: { schemas: Object.fromEntries(schemas) },
  };
}

/** HTTP method and `x-kubernetes-action` of a verb. */
const COLLECTION_OPERATIONS = [
  ["get", "list", "list"],
  ["post", "post", "create"],
  ["delete", "deletecollection", "deletecollection"],
] as const;
const ITEM_OPERATIONS = [
  ["get", "get", "get"],
  ["put", "put", "update"],
  ["patch", "patch", "patch"],
  ["delete", "delete", "delete"],
] as const;
const SUBRESOURCE_OPERATIONS = [
  ["get", "get", "get"],
  ["post", "post", "create"],
  ["put", "put", "update"],
  ["patch", "patch", "patch"],
] as const;
type Operations = readonly (readonly [method: string, action: string, verb: string])[];

function pathsOf(kind: Kind, root: string, version: string): JsonObject {
  const scope = kind.namespaced ? `/${root}/namespaces/{namespace}` : `/${root}`;
  const placed = kind.namespaced ? [pathParameter("namespace")] : [];
  const named = [pathParameter("name"), ...placed];
  const schema = { $ref: `#/components/schemas/${schemaName(kind, version)}` };
  const item = `${scope}/${kind.resource}/{name}`;
  const described = (operations: Operations, verbs: readonly string[], parameters: Json[]) =>
    operationsOf(operations, verbs, parameters, groupVersionKind(kind, version), schema);

  const paths: JsonObject = {
    [`${scope}/${kind.resource}`]: described(COLLECTION_OPERATIONS, kind.verbs, placed),
    [item]: described(ITEM_OPERATIONS, kind.verbs, named),
  };
  if (kind.namespaced) {
    const lists = kind.verbs.filter((verb) => verb === "list");
    paths[`/${root}/${kind.resource}`] = described(COLLECTION_OPERATIONS, lists, []);
  }
  for (const subresource of kind.subresources) {
    paths[`${item}/${subresource.name}`] = operationsOf(
      SUBRESOURCE_OPERATIONS,
      subresource.verbs,
      named,
      subresourceKind(kind, version, subresource),
      subresource.kind === kind.kind ? schema : { type: "object" },
    );
  }
  return paths;
}

const subresourceKind = (
  kind: Kind,
  version: string,
  { kind: name, groupVersion }: Subresource,
): JsonObject => ({
  group: groupVersion?.group ?? kind.group,
  kind: name,
  version: groupVersion?.version ?? version,
});

function operationsOf(
  operations: Operations,
  verbs: readonly string[],
  parameters: Json[],
  gvk: JsonObject,
  schema: JsonObject,
): JsonObject {
  const offered: JsonObject = {};
  for (const [method, action, verb] of operations) {
    if (verbs.includes(verb)) offered[method] = operation(action, gvk, schema);
  }
  return parameters.length > 0 ? { ...offered, parameters } : offered;
}

function operation(action: string, gvk: JsonObject, schema: JsonObject): JsonObject {
  const content = { "application/json": { schema } };
  const body = REQUEST_BODIES[action];
  return {
    parameters: PARAMETERS[action] ?? [],
    ...(body === undefined ? {} : { requestBody: { required: action !== "delete", content: body(schema) } }),
    responses: { "200": { description: "OK", ...(action === "list" ? {} : { content }) } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  };
}

const anyObject: JsonObject = { schema: { type: "object" } };

/**
 * Strategic merge is served for built-in kinds but not listed here: clients that find it compute their patch from
 * these schemas, which do not know the lists inside a spec. Unlisted, they use the types they were built with.
 */
const REQUEST_BODIES: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  post: (schema) => ({ "application/json": { schema }, "application/yaml": { schema } }),
  put: (schema) => ({ "application/json": { schema }, "application/yaml": { schema } }),
  patch: () => ({
    "application/apply-patch+yaml": anyObject,
    "application/json-patch+json": anyObject,
    "application/merge-patch+json": anyObject,
  }),
  delete: () => ({ "application/json": anyObject }),
  deletecollection: () => ({ "application/json": anyObject }),
};

const query = (name: string, type: string, description: string): JsonObject => ({
  name,
  in: "query",
  description,
  schema: { type, uniqueItems: true },
});

const pathParameter = (name: string): JsonObject => ({
  name,
  in: "path",
  required: true,
  description: `${name} of the object`,
  schema: { type: "string", uniqueItems: true },
});

const DRY_RUN = query("dryRun", "string", "All: process the request, but persist nothing.");
const WRITE = [
  DRY_RUN,
  query("fieldManager", "string", "Name of the actor that makes the change."),
  query("fieldValidation", "string", "What to do about unknown or duplicate fields: Ignore, Warn or Strict."),
];
const SELECT = [
  query("continue", "string", "Where an earlier list stopped."),
  query("fieldSelector", "string", "Restricts the list by fields."),
  query("labelSelector", "string", "Restricts the list by labels."),
  query("limit", "integer", "Most items to return."),
  query("resourceVersion", "string", "Which versions may be served."),
  query("resourceVersionMatch", "string", "How resourceVersion is applied."),
  query("timeoutSeconds", "integer", "Limits the duration of the call."),
];
const DELETE = [
  DRY_RUN,
  query("gracePeriodSeconds", "integer", "Seconds before the object is removed."),
  query("orphanDependents", "boolean", "Deprecated, use propagationPolicy."),
  query("propagationPolicy", "string", "Orphan, Background or Foreground."),
];
const PARAMETERS: Readonly<Record<string, JsonObject[]>> = {
  list: [
    ...SELECT,
    query("allowWatchBookmarks", "boolean", "Asks a watch for bookmarks."),
    query("sendInitialEvents", "boolean", "Begins a watch with the objects there are."),
    query("watch", "boolean", "Watches instead of listing."),
  ],
  post: WRITE,
  put: WRITE,
  patch: [...WRITE, query("force", "boolean", "Takes over fields of others when applying.")],
  delete: DELETE,
  deletecollection: [...SELECT, ...DELETE],
};

/** FNV-1a over UTF-16 units, or bytes, in two lanes, 16 hex digits: tells documents apart, guards against nothing. */
export function contentHash(content: string | Uint8Array): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let i = 0; i < content.length; i++) {
    const unit = typeof content === "string" ? content.charCodeAt(i) : (content[i] ?? 0);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x01000193);
  }
  return [high, low].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}
