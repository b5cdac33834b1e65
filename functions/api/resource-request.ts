import type { Failure } from "../objects/failure.ts";
import type { Kind, Verb } from "../objects/kind.ts";
import { resourceOf } from "../objects/kind.ts";
import { groupResource } from "../objects/object.ts";
import { allows } from "../objects/roles.ts";
import { plainText, refusal } from "./answer.ts";
import { answerComputed } from "./computed/answer-computed.ts";
import { computedKinds } from "./computed/computed-kinds.ts";
import type { ApiContext, ResourceRequest } from "./context.ts";
import { bindPod, evictPod } from "./pod-subresources.ts";
import { getObject, listCollection } from "./read.ts";
import type { ResourcePath } from "./resource-path.ts";
import { answerReview, isReview } from "./reviews.ts";
import { requestToken } from "./service-account-tokens.ts";
import { negotiate } from "./table/negotiate.ts";
import { isWatch, watchCollection } from "./watch.ts";
import { createObject, deleteCollection, deleteObject, patchObject, updateObject } from "./write.ts";

/**
 * Answers a request on a resource: which kind the path names, what the method means on it, whether the user may,
 * in which form the answer is wanted, and then the verb itself.
 */
export async function answerResource(
  context: ApiContext,
  path: ResourcePath,
  request: Request,
  query: URLSearchParams,
): Promise<Response> {
  const found = await context.servedKinds.lookUp(context.db, context.cluster, path);
  const verb = verbOf(request.method, path, query);
  if (found === undefined) {
    const denied = forbidden(context, path, verb ?? "get");
    return denied ? refusal(denied) : await absent(context, path);
  }
  const { kind, served } = found;
  if (!isPlaced(path, kind)) return refusal({ reason: "NoSuchResource" });
  const allowed =
    verb === undefined ? false : reachesAll(path, kind, verb) && offers(kind, path.subresource, verb);
  if (allowed === undefined) return refusal({ reason: "NoSuchResource" });
  const denied = forbidden(context, path, verb ?? request.method.toLowerCase(), kind);
  if (denied) return refusal(denied);
  if (verb === undefined || !allowed) return refusal({ reason: "MethodNotAllowed" });
  const nowhere = inNoNamespace(path, kind, verb);
  if (nowhere) return refusal(nowhere);
  const negotiated = negotiate(request.headers.get("accept") ?? undefined);
  if (!negotiated.ok) return refusal(negotiated.failure);
  return perform(verb, { context, path, kind, served, query, request, negotiated: negotiated.value });
}

function perform(verb: Verb, request: ResourceRequest): Promise<Response> | Response {
  const { name = "" } = request.path;
  const computed = computedKinds.get(request.kind.storedAs);
  if (computed) return answerComputed(verb, computed, request);
  switch (verb) {
    case "create":
      return createSomething(request);
    case "get":
      return getObject(request, name);
    case "list":
      return listCollection(request);
    case "watch":
      return watchCollection(request);
    case "update":
      return updateObject(request, name);
    case "patch":
      return patchObject(request, name);
    case "delete":
      return deleteObject(request, name);
    case "deletecollection":
      return deleteCollection(request);
  }
}

function createSomething(request: ResourceRequest): Promise<Response> {
  switch (request.path.subresource) {
    case undefined:
      return isReview(request.kind) ? answerReview(request) : createObject(request);
    case "eviction":
      return evictPod(request);
    case "token":
      return requestToken(request);
    default:
      return bindPod(request);
  }
}

/** What a method means on a path; undefined when nothing. */
function verbOf(
  method: string,
  { name, subresource, watch }: ResourcePath,
  query: URLSearchParams,
): Verb | undefined {
  const single = name !== undefined;
  if (watch && method !== "GET" && method !== "HEAD") return undefined;
  switch (method) {
    case "GET":
    case "HEAD":
      if (watch || (isWatch(query) && subresource === undefined)) return "watch";
      return single ? "get" : "list";
    case "POST":
      return single && subresource === undefined ? undefined : "create";
    case "PUT":
      return single ? "update" : undefined;
    case "PATCH":
      return single ? "patch" : undefined;
    case "DELETE":
      return single ? "delete" : "deletecollection";
    default:
      return undefined;
  }
}

/** Undefined when the kind has no such subresource. */
function offers(kind: Kind, subresource: string | undefined, verb: Verb): boolean | undefined {
  if (subresource === undefined) return kind.verbs.includes(verb);
  const found = kind.subresources.find(({ name }) => name === subresource);
  if (found === undefined) return undefined;
  return found.verbs.some((offered) => offered === verb);
}

/** Across namespaces one can look, and nothing else: what writes names the one namespace that it writes. */
function reachesAll({ namespace }: ResourcePath, kind: Kind, verb: Verb): boolean {
  return !kind.namespaced || namespace !== undefined || verb === "list" || verb === "watch";
}

/** A namespaced resource without a namespace has no name; a cluster-scoped one has no namespace. */
function isPlaced({ namespace, name }: ResourcePath, kind: Kind): boolean {
  if (!kind.namespaced) return namespace === undefined;
  return namespace !== undefined || name === undefined;
}

/** The most characters of a Namespace's name: it is a DNS label. */
const NAMESPACE_NAME = 63;

/**
 * What is refused in a namespace whose name is too long for any. No graph object is asked: the namespace is part of its own
 * name, which has a limit.
 */
function inNoNamespace({ namespace = "", name }: ResourcePath, kind: Kind, verb: Verb): Failure | undefined {
  if (namespace.length <= NAMESPACE_NAME) return undefined;
  if (verb === "create" && name === undefined) {
    return { reason: "NotFound", resource: groupResource("", "namespaces"), name: namespace };
  }
  return name === undefined ? undefined : { reason: "NotFound", resource: resourceOf(kind), name };
}

/** Nothing is served here. A group that is served answers in JSON, another one as the path of no API at all. */
async function absent({ servedKinds, db, cluster }: ApiContext, path: ResourcePath): Promise<Response> {
  const { kinds } = await servedKinds.current(db, cluster);
  const known = kinds.inVersion(path.group, path.version).length > 0;
  return known ? refusal({ reason: "NoSuchResource" }) : plainText("404 page not found\n", 404);
}

function forbidden(context: ApiContext, path: ResourcePath, verb: string, kind?: Kind): Failure | undefined {
  const { principal } = context;
  const { group, resource, subresource, name = "" } = path;
  // A Namespace is in itself, as upstream sees it.
  const namespace = path.namespace ?? (group === "" && resource === "namespaces" ? name : "");
  if (allows(principal, { verb, group, resource, subresource, namespace, name })) return undefined;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return {
    reason: "Forbidden",
    resource: kind ? resourceOf(kind) : (resource as ReturnType<typeof resourceOf>),
    name,
    message: `User ${JSON.stringify(principal.user)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`,
  };
}
