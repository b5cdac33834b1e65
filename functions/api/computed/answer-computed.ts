import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import { resourceOf, type Verb } from "../../objects/kind.ts";
import { decodeObject } from "../../objects/metadata/decode.ts";
import { decodeDeleteOptions } from "../../objects/metadata/delete-options.ts";
import { decodeWriteOptions } from "../../objects/metadata/write-options.ts";
import { asJson, type KubeObject } from "../../objects/object.ts";
import { matchesFields } from "../../objects/selectors/field-selector.ts";
import { matchesLabels } from "../../objects/selectors/label-selector.ts";
import { jsonAnswer, refusal } from "../answer.ts";
import type { ResourceRequest } from "../context.ts";
import { encodeContinue, type Place } from "../continue-token.ts";
import { decodeListOptions } from "../list-options.ts";
import { newestVersion, type Selection, selection } from "../read.ts";
import { listAnswer, objectAnswer } from "../represent.ts";
import { readBody } from "../request-body.ts";
import { removedStatus } from "../status.ts";
import type { ComputedKind } from "./computed-kind.ts";

/** Rows that are asked for at a time when a list has no limit, or a selector that may leave most of them out. */
const PAGE = 500;

/** Answers a verb on a kind whose objects are worked out. */
export function answerComputed(
  verb: Verb,
  computed: ComputedKind,
  request: ResourceRequest,
): Promise<Response> | Response {
  switch (verb) {
    case "create":
      return create(computed, request);
    case "get":
      return get(computed, request);
    case "list":
      return list(computed, request);
    case "delete":
      return remove(computed, request);
    default:
      return refusal({ reason: "MethodNotAllowed" });
  }
}

async function get({ get: read }: ComputedKind, request: ResourceRequest): Promise<Response> {
  const { kind, context, path } = request;
  const { name = "" } = path;
  const found = await read?.(context, name);
  if (found?.ok === false) return refusal(found.failure);
  if (found?.value === undefined) return refusal({ reason: "NotFound", resource: resourceOf(kind), name });
  return objectAnswer(request, JSON.stringify(found.value));
}

async function create({ create: make }: ComputedKind, request: ResourceRequest): Promise<Response> {
  const { kind, path, context, query } = request;
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const options = decodeWriteOptions(query, "CreateOptions");
  if (!options.ok) return refusal(options.failure);
  const { text, mediaType } = body.value;
  const sent = decodeObject(text, mediaType, {
    group: kind.group,
    version: path.version,
    kind: kind.kind,
    custom: false,
  });
  if (!sent.ok) return refusal(sent.failure);
  const made = await make?.({ context, sent: sent.value, dryRun: options.value.dryRun });
  if (made === undefined) return refusal({ reason: "MethodNotAllowed" });
  if (!made.ok) return refusal(made.failure);
  const { object, warnings = [] } = made.value;
  return objectAnswer(request, JSON.stringify(object), { code: 201, warnings });
}

async function remove({ remove: forget }: ComputedKind, request: ResourceRequest): Promise<Response> {
  const { kind, path, context, query } = request;
  const { name = "" } = path;
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const options = decodeDeleteOptions(body.value.text, body.value.mediaType, query);
  if (!options.ok) return refusal(options.failure);
  const { uid, resourceVersion, dryRun } = options.value;
  if (uid !== undefined || resourceVersion !== undefined) {
    const message = "Precondition failed: what is worked out has neither a uid nor a resourceVersion";
    return refusal({ reason: "Conflict", subject: resourceOf(kind), name, message });
  }
  const removed = await forget?.({ context, name, dryRun });
  if (removed === undefined) return refusal({ reason: "MethodNotAllowed" });
  if (!removed.ok) return refusal(removed.failure);
  if (!removed.value) return refusal({ reason: "NotFound", resource: resourceOf(kind), name });
  return jsonAnswer(removedStatus(name, kind.group, kind.resource, ""));
}

/** Each page is what there is when it is asked for: these lists have no state that could be gone back to. */
async function list(computed: ComputedKind, request: ResourceRequest): Promise<Response> {
  const { query, context, kind } = request;
  const place: Place = { namespaced: kind.namespaced, namespace: undefined };
  const options = decodeListOptions(query, place);
  if (!options.ok) return refusal(options.failure);
  const selected = selection(request);
  if (!selected.ok) return refusal(selected.failure);
  const { limit, moment } = options.value;
  const after = moment.kind === "continued" ? moment.after.name : "";
  const found = await page(computed, request, selected.value, limit, after);
  if (!found.ok) return refusal(found.failure);
  const { items, next } = found.value;
  return listAnswer(
    request,
    items.map((item) => JSON.stringify(asJson(item))),
    {
      resourceVersion: String(await newestVersion(context)),
      ...(next === undefined
        ? {}
        : {
            continue: encodeContinue(
              { resourceVersion: undefined, after: { namespace: "", name: next } },
              place,
            ),
          }),
    },
  );
}

async function page(
  { list: read }: ComputedKind,
  { context, kind }: ResourceRequest,
  { labels, fields }: Selection,
  limit: number,
  start: string,
): Promise<Outcome<{ items: KubeObject[]; next: string | undefined }>> {
  const items: KubeObject[] = [];
  for (let after = start; ; ) {
    const wanted = limit > 0 && labels.length === 0 && fields.length === 0 ? limit - items.length : PAGE;
    const found = await read?.({ context, fields, limit: wanted, after });
    if (found === undefined) return refuse({ reason: "MethodNotAllowed" });
    if (!found.ok) return found;
    for (const [i, item] of found.value.items.entries()) {
      after = item.metadata.name;
      if (!matchesLabels(labels, item.metadata.labels) || !matchesFields(fields, item, kind)) continue;
      items.push(item);
      const rest = found.value.more || i + 1 < found.value.items.length;
      if (items.length === limit) return ok({ items, next: rest ? after : undefined });
    }
    if (!found.value.more) return ok({ items, next: undefined });
  }
}
