import { graphName } from "../graph/graph-name.ts";
import type { Mutation, MutationReply, MutationRequest, SubresourceName } from "../graph/request.ts";
import type { Failure } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import { decodeDeleteOptions, decodeDryRun } from "../objects/metadata/delete-options.ts";
import { patchTypeOf, UNSUPPORTED_PATCH_TYPE } from "../objects/patch/patch.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { type Key, listObjects } from "./list-objects.ts";
import { selection } from "./read.ts";
import { listAnswer, objectAnswer } from "./represent.ts";
import { readBody } from "./request-body.ts";
import { removedStatus } from "./status.ts";

export async function createObject(request: ResourceRequest): Promise<Response> {
  const dryRun = decodeDryRun(request.query, "CreateOptions");
  if (!dryRun.ok) return refusal(dryRun.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  return mutate(request, dryRun.value, { verb: "create", ...body.value });
}

export async function updateObject(request: ResourceRequest, name: string): Promise<Response> {
  const dryRun = decodeDryRun(request.query, "UpdateOptions");
  if (!dryRun.ok) return refusal(dryRun.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  return mutate(request, dryRun.value, {
    verb: "update",
    name,
    subresource: subresourceOf(request),
    ...body.value,
  });
}

export async function patchObject(request: ResourceRequest, name: string): Promise<Response> {
  const type = patchTypeOf(request.request.headers.get("content-type") ?? "");
  if (type === undefined) return refusal({ reason: "UnsupportedMediaType", message: UNSUPPORTED_PATCH_TYPE });
  const dryRun = decodeDryRun(request.query, "PatchOptions");
  if (!dryRun.ok) return refusal(dryRun.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  return mutate(request, dryRun.value, {
    verb: "patch",
    name,
    subresource: subresourceOf(request),
    type,
    text: body.value.text,
  });
}

export async function deleteObject(request: ResourceRequest, name: string): Promise<Response> {
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const options = decodeDeleteOptions(body.value.text, body.value.mediaType, request.query);
  if (!options.ok) return refusal(options.failure);
  return mutate(request, options.value.dryRun, { verb: "delete", name, options: options.value });
}

/** So many objects are listed, and deleted by their graph object, at a time. */
const COLLECTION_PAGE = 500;

/**
 * Lists, then deletes one by one with the same options; not atomic. What has gone meanwhile is passed over, the
 * first other refusal becomes the answer. The answer lists the objects as they were before.
 *
 * Source: kubernetes registry/generic/registry/store.go, DeleteCollection.
 */
export async function deleteCollection(request: ResourceRequest): Promise<Response> {
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const options = decodeDeleteOptions(body.value.text, body.value.mediaType, request.query);
  if (!options.ok) return refusal(options.failure);
  const selected = selection(request);
  if (!selected.ok) return refusal(selected.failure);

  const { context, kind, path } = request;
  const items: string[] = [];
  let resourceVersion = 0;
  let after: Key | undefined;
  do {
    const listed = await listObjects(context.db, {
      cluster: context.cluster,
      kind,
      version: path.version,
      namespace: path.namespace,
      ...selected.value,
      limit: COLLECTION_PAGE,
      after,
    });
    resourceVersion ||= listed.resourceVersion;
    const failure = await deleteKeys(request, listed.keys, options.value);
    if (failure) return refusal(failure);
    items.push(...listed.items);
    after = listed.next;
  } while (after !== undefined);
  return listAnswer(request, items, { resourceVersion: String(resourceVersion) });
}

async function deleteKeys(
  request: ResourceRequest,
  keys: readonly Key[],
  options: (Mutation & { verb: "delete" })["options"],
): Promise<Failure | undefined> {
  const byNamespace = Map.groupBy(keys, (key) => key.namespace);
  for (const [namespace, group] of byNamespace) {
    const mutations = group.map(({ name }): Mutation => ({ verb: "delete", name, options }));
    for (const reply of await ask(request, namespace, options.dryRun, mutations)) {
      if (!reply.ok && reply.failure.reason !== "NotFound") return reply.failure;
    }
  }
  return undefined;
}

async function mutate(request: ResourceRequest, dryRun: boolean, mutation: Mutation): Promise<Response> {
  const [reply] = await ask(request, request.path.namespace ?? "", dryRun, [mutation]);
  if (reply === undefined) throw new Error("a graph object answered nothing");
  if (!reply.ok) return refusal(reply.failure);
  const { code, result, warnings } = reply;
  if (result.as === "object") return objectAnswer(request, result.body, { code, warnings });
  const { group, resource } = request.kind;
  const status: JsonObject = removedStatus(result.name, group, resource, result.uid);
  return jsonAnswer(status, { code, warnings, mediaType: request.negotiated.mediaType });
}

/** Asks the graph object of a namespace. A stub is taken anew each time: one that threw may stay broken. */
export function ask(
  { context, kind, path }: ResourceRequest,
  namespace: string,
  dryRun: boolean,
  mutations: readonly Mutation[],
): Promise<MutationReply[]> {
  const requests = mutations.map(
    (mutation): MutationRequest => ({
      kind,
      version: path.version,
      principal: context.principal,
      dryRun,
      mutation,
    }),
  );
  return context.graphs.getByName(graphName(context.cluster, namespace)).mutate(requests);
}

function subresourceOf({ path, kind }: ResourceRequest): SubresourceName | undefined {
  return kind.subresources.find(({ name }) => name === path.subresource)?.name;
}
