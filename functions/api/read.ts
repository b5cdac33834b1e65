import { type ClusterVersionRow, READ_CLUSTER_VERSION } from "../../db/lists.ts";
import { GET_OBJECT, type ObjectRow } from "../../db/reads.ts";
import { graphName } from "../graph/graph-name.ts";
import { type Outcome, ok } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import { apiVersion, resourceOf } from "../objects/kind.ts";
import { scaleOf } from "../objects/kinds/scale.ts";
import { type FieldRequirement, parseFieldSelector } from "../objects/selectors/field-selector.ts";
import { type LabelRequirement, parseLabelSelector } from "../objects/selectors/label-selector.ts";
import { servedBody } from "../objects/stored-body.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ApiContext, ResourceRequest } from "./context.ts";
import { type Continuation, encodeContinue, type Place } from "./continue-token.ts";
import { type ListQuery, listObjects, streamObjects, tooLargeVersion } from "./list-objects.ts";
import { decodeListOptions, decodeVersion } from "./list-options.ts";
import { isStreamed, listAnswer, objectAnswer, streamedAnswer } from "./represent.ts";
import { failureStatus } from "./status.ts";

/**
 * One query, or none: an object that is asked for again is asked of the graph object that writes it, which has it in
 * memory. The first time the store is nearer. One query more when it must be no older than a resourceVersion.
 */
export async function getObject(request: ResourceRequest, name: string): Promise<Response> {
  const { context, kind, path, query } = request;
  const wanted = decodeVersion(query.get("resourceVersion") ?? "");
  if (!wanted.ok) return refusal(wanted.failure);
  if (wanted.value > 0) {
    const newest = await newestVersion(context);
    if (wanted.value > newest) return refusal(tooLargeVersion(wanted.value, newest));
  }
  const found = await findObject(request, name);
  if (found === null) return refusal({ reason: "NotFound", resource: resourceOf(kind), name });
  const head = {
    apiVersion: apiVersion(kind.group, path.version),
    kind: kind.kind,
    resourceVersion: found.resourceVersion,
  };
  const body = servedBody(found.body, head);
  if (path.subresource !== "scale") return objectAnswer(request, body);
  return objectAnswer(request, JSON.stringify(scaleOf(JSON.parse(body) as JsonObject, kind)));
}

async function findObject(
  { context, kind, path }: ResourceRequest,
  name: string,
): Promise<{ resourceVersion: number; body: string } | null> {
  const { cluster, asked, db, graphs } = context;
  const namespace = path.namespace ?? "";
  if (asked.again(`${cluster} ${kind.storedAs} ${namespace} ${name}`)) {
    // A graph object that was reset, or has too much to do, knows no more than the store.
    const found = await graphs
      .getByName(graphName(cluster, namespace))
      .get(kind.storedAs, name)
      .catch((fault: unknown) => {
        const message = "a graph object did not answer, the store is asked";
        console.error(JSON.stringify({ level: "warn", message, fault: String(fault) }));
      });
    if (found !== undefined) return found;
  }
  const row = await db.prepare(GET_OBJECT).bind(cluster, kind.storedAs, namespace, name).first<ObjectRow>();
  return row && { resourceVersion: row.resource_version, body: row.body };
}

/** The resourceVersion that the cluster has come to. */
export async function newestVersion({ db, cluster }: ApiContext): Promise<number> {
  const row = await db.prepare(READ_CLUSTER_VERSION).bind(cluster).first<ClusterVersionRow>();
  return row?.resource_version ?? 0;
}

export interface Selection {
  labels: readonly LabelRequirement[];
  fields: readonly FieldRequirement[];
}

/** Error: BadRequest for a selector that cannot be read or names an unknown field. */
export function selection({ query, kind }: Pick<ResourceRequest, "query" | "kind">): Outcome<Selection> {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  if (!labels.ok) return labels;
  const fields = parseFieldSelector(query.get("fieldSelector") ?? "", kind);
  return fields.ok ? ok({ labels: labels.value, fields: fields.value }) : fields;
}

/**
 * One page of a list, or all of it. Every page shows the state at one resourceVersion, that of the first; a token too
 * old for that is refused together with one that goes on from the same place in the newest state.
 */
export async function listCollection(request: ResourceRequest): Promise<Response> {
  const { context, kind, path, query } = request;
  const place: Place = { namespaced: kind.namespaced, namespace: path.namespace };
  const options = decodeListOptions(query, place);
  if (!options.ok) return refusal(options.failure);
  const selected = selection(request);
  if (!selected.ok) return refusal(selected.failure);

  const { limit, moment } = options.value;
  const listQuery: ListQuery = {
    cluster: context.cluster,
    kind,
    version: path.version,
    namespace: path.namespace,
    ...selected.value,
    limit,
    after: moment.kind === "continued" ? moment.after : undefined,
    at: moment.kind === "newest" ? undefined : moment.resourceVersion,
    atLeast: moment.kind === "newest" ? moment.atLeast : undefined,
  };
  const listed = isStreamed(request, limit)
    ? await streamObjects(context.db, listQuery)
    : await listObjects(context.db, listQuery);
  if (!listed.ok) {
    return moment.kind === "continued" && listed.failure.reason === "Expired"
      ? expiredContinue(moment, place)
      : refusal(listed.failure);
  }
  if ("pages" in listed.value) return streamedAnswer(request, listed.value);
  const { resourceVersion, items, next } = listed.value;
  const remaining =
    moment.kind === "continued" && moment.remaining !== undefined
      ? moment.remaining - items.length
      : listed.value.remaining;
  return listAnswer(request, items, {
    resourceVersion: String(resourceVersion),
    ...(next ? { continue: encodeContinue({ resourceVersion, after: next, remaining }, place) } : {}),
    ...(next && remaining !== undefined && remaining > 0 ? { remainingItemCount: remaining } : {}),
  });
}

/** Source: k8s.io/apiserver storage/etcd3/errors.go, handleCompactedErrorForPaging. */
const CONTINUE_EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
  "deleted between the time the first chunk was returned and now may show up in the list.";

function expiredContinue({ after }: Continuation, place: Place): Response {
  const { code, status } = failureStatus({ reason: "Expired", message: CONTINUE_EXPIRED });
  const token = encodeContinue({ resourceVersion: undefined, after }, place);
  return jsonAnswer({ ...status, metadata: { continue: token } }, { code });
}
