import { graphName } from "../graph/graph-name.ts";
import type { Mutation, MutationReply, MutationRequest, SubresourceName } from "../graph/request.ts";
import { DELETION_GUARDS } from "../guard/settings.ts";
import { isApply } from "../objects/apply/configuration.ts";
import type { Failure, Outcome } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import { decodeDeleteOptions } from "../objects/metadata/delete-options.ts";
import { fieldValidationOf } from "../objects/metadata/field-validation.ts";
import { decodeWriteOptions, managerOf } from "../objects/metadata/write-options.ts";
import type { KubeObject } from "../objects/object.ts";
import { patchTypeOf, UNSUPPORTED_PATCH_TYPE } from "../objects/patch/patch.ts";
import { collectionRefusal, deletionRefusal } from "./admit-deletion.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { previewWarnings } from "./delete-preview.ts";
import { isSuperseded } from "./faults.ts";
import { forgetGuards } from "./guard.ts";
import { type Key, type Listed, listObjects } from "./list-objects.ts";
import { type Selection, selection } from "./read.ts";
import { listAnswer, objectAnswer } from "./represent.ts";
import { readBody } from "./request-body.ts";
import { removedStatus } from "./status.ts";

export async function createObject(request: ResourceRequest): Promise<Response> {
  const options = decodeWriteOptions(request.query, "CreateOptions");
  if (!options.ok) return refusal(options.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  return mutate(request, options.value.dryRun, { verb: "create", ...body.value });
}

export async function updateObject(request: ResourceRequest, name: string): Promise<Response> {
  const options = decodeWriteOptions(request.query, "UpdateOptions");
  if (!options.ok) return refusal(options.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  return mutate(request, options.value.dryRun, {
    verb: "update",
    name,
    subresource: subresourceOf(request),
    ...body.value,
  });
}

export async function patchObject(request: ResourceRequest, name: string): Promise<Response> {
  const contentType = request.request.headers.get("content-type") ?? "";
  if (isApply(contentType)) return applyObject(request, name);
  const type = patchTypeOf(contentType);
  if (type === undefined) return refusal({ reason: "UnsupportedMediaType", message: UNSUPPORTED_PATCH_TYPE });
  const options = decodeWriteOptions(request.query, "PatchOptions");
  if (!options.ok) return refusal(options.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  return mutate(request, options.value.dryRun, {
    verb: "patch",
    name,
    subresource: subresourceOf(request),
    type,
    text: body.value.text,
  });
}

async function applyObject(request: ResourceRequest, name: string): Promise<Response> {
  const options = decodeWriteOptions(request.query, "ApplyOptions");
  if (!options.ok) return refusal(options.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const { dryRun, force } = options.value;
  return mutate(request, dryRun, {
    verb: "apply",
    name,
    subresource: subresourceOf(request),
    text: body.value.text,
    force,
  });
}

export async function deleteObject(request: ResourceRequest, name: string): Promise<Response> {
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const options = decodeDeleteOptions(body.value.text, body.value.mediaType, request.query);
  if (!options.ok) return refusal(options.failure);
  const refused = await deletionRefusal(request, name, options.value);
  if (refused) return refusal(refused);
  const mutation: Mutation = { verb: "delete", name, options: options.value };
  if (!options.value.dryRun) return mutate(request, false, mutation);
  const [warnings, reply] = await Promise.all([
    previewWarnings(request, name, options.value),
    askOne(request, true, mutation),
  ]);
  return answerTo(request, reply, warnings.ok ? warnings.value : []);
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

  const pages = () => collectionPages(request, selected.value);
  const guarded = await collectionRefusal(request, options.value, async function* () {
    for await (const page of pages()) if (page.ok) yield page.value.keys;
  });
  if (guarded) return refusal(guarded);
  const items: string[] = [];
  let resourceVersion = 0;
  for await (const page of pages()) {
    if (!page.ok) return refusal(page.failure);
    resourceVersion ||= page.value.resourceVersion;
    const failure = await deleteListed(request, page.value, options.value);
    if (failure) return refusal(failure);
    items.push(...page.value.items);
  }
  return listAnswer(request, items, { resourceVersion: String(resourceVersion) });
}

async function* collectionPages(
  { context, kind, path }: ResourceRequest,
  selected: Selection,
): AsyncGenerator<Outcome<Listed>> {
  let after: Key | undefined;
  do {
    const listed = await listObjects(context.db, {
      cluster: context.cluster,
      kind,
      version: path.version,
      namespace: path.namespace,
      ...selected,
      limit: COLLECTION_PAGE,
      after,
    });
    yield listed;
    if (!listed.ok) return;
    after = listed.value.next;
  } while (after !== undefined);
}

/** Each by its uid: what has taken the name of an object that was listed was not. */
async function deleteListed(
  request: ResourceRequest,
  { items, keys }: Pick<Listed, "items" | "keys">,
  options: (Mutation & { verb: "delete" })["options"],
): Promise<Failure | undefined> {
  const conditional = options.uid !== undefined || options.resourceVersion !== undefined;
  const listed = keys.map((key, i) => {
    const { metadata } = JSON.parse(items[i] ?? "") as KubeObject;
    return { ...key, options: { ...options, uid: options.uid ?? metadata.uid } };
  });
  for (const [namespace, group] of Map.groupBy(listed, (key) => key.namespace)) {
    const mutations = group.map(({ name, options }): Mutation => ({ verb: "delete", name, options }));
    for (const reply of await ask(request, namespace, options.dryRun, mutations)) {
      if (reply.ok || reply.failure.reason === "NotFound") continue;
      if (reply.failure.reason === "Conflict" && !conditional) continue;
      return reply.failure;
    }
  }
  return undefined;
}

async function mutate(request: ResourceRequest, dryRun: boolean, mutation: Mutation): Promise<Response> {
  return answerTo(request, await askOne(request, dryRun, mutation));
}

async function askOne(request: ResourceRequest, dryRun: boolean, mutation: Mutation): Promise<MutationReply> {
  const [reply] = await ask(request, request.path.namespace ?? "", dryRun, [mutation]);
  if (request.kind.storedAs === DELETION_GUARDS) forgetGuards(request.context);
  if (reply === undefined) throw new Error("a graph object answered nothing");
  return reply;
}

function answerTo(request: ResourceRequest, reply: MutationReply, more: readonly string[] = []): Response {
  if (!reply.ok) return refusal(reply.failure);
  const { code, result } = reply;
  const warnings = [...reply.warnings, ...more];
  if (result.as === "object") return objectAnswer(request, result.body, { code, warnings });
  const { group, resource } = request.kind;
  const status: JsonObject = removedStatus(result.name, group, resource, result.uid);
  return jsonAnswer(status, { code, warnings, mediaType: request.negotiated.mediaType });
}

/** Asks the graph object of a namespace. A stub is taken anew each time: one that threw may stay broken. */
export function ask(
  { context, kind, path, query, request }: ResourceRequest,
  namespace: string,
  dryRun: boolean,
  mutations: readonly Mutation[],
): Promise<MutationReply[]> {
  const manager = managerOf(query, request.headers.get("user-agent"));
  const requests = mutations.map(
    (mutation): MutationRequest => ({
      kind,
      version: path.version,
      principal: context.principal,
      manager,
      dryRun,
      fieldValidation: fieldValidationOf(query),
      mutation,
    }),
  );
  const attempt = () => context.graphs.getByName(graphName(context.cluster, namespace)).mutate(requests);
  return attempt().catch((fault: unknown) => {
    if (isSuperseded(fault)) return attempt();
    throw fault;
  });
}

function subresourceOf({ path, kind }: ResourceRequest): SubresourceName | undefined {
  return kind.subresources.find(({ name }) => name === path.subresource)?.name;
}
