import { GET_OBJECT, type ObjectRow } from "../../db/reads.ts";
import { graphName } from "../graph/graph-name.ts";
import { type Failure, type Outcome, ok, refuse } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import { apiVersion, resourceOf } from "../objects/kind.ts";
import { scaleOf } from "../objects/kinds/scale.ts";
import { type FieldRequirement, parseFieldSelector } from "../objects/selectors/field-selector.ts";
import { type LabelRequirement, parseLabelSelector } from "../objects/selectors/label-selector.ts";
import { servedBody } from "../objects/stored-body.ts";
import { refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import { listObjects } from "./list-objects.ts";
import { listAnswer, objectAnswer } from "./represent.ts";

/**
 * One query, or none: an object that is asked for again is asked of the graph object that writes it, which has it in
 * memory. The first time the store is nearer.
 */
export async function getObject(request: ResourceRequest, name: string): Promise<Response> {
  const { kind, path } = request;
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
    return graphs.getByName(graphName(cluster, namespace)).get(kind.storedAs, name);
  }
  const row = await db.prepare(GET_OBJECT).bind(cluster, kind.storedAs, namespace, name).first<ObjectRow>();
  return row && { resourceVersion: row.resource_version, body: row.body };
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

export async function listCollection(request: ResourceRequest): Promise<Response> {
  const { context, kind, path, query } = request;
  const selected = selection(request);
  if (!selected.ok) return refusal(selected.failure);
  const limit = integerParameter(query, "limit");
  if (!limit.ok) return refusal(limit.failure);
  const token = query.get("continue") ?? "";
  const from = token === "" ? undefined : decodeContinue(token);
  if (from && !from.ok) return refusal(from.failure);

  const listed = await listObjects(context.db, {
    cluster: context.cluster,
    kind,
    version: path.version,
    namespace: path.namespace,
    ...selected.value,
    limit: limit.value ?? 0,
    after: from?.value.after,
  });
  const wanted = integerParameter(query, "resourceVersion");
  if (wanted.ok && wanted.value !== undefined && wanted.value > listed.resourceVersion) {
    return refusal(tooLargeVersion(wanted.value, listed.resourceVersion));
  }
  // All pages of a list say the version of the first: what came later is in the events after it.
  const resourceVersion = from?.value.resourceVersion ?? listed.resourceVersion;
  return listAnswer(request, listed.items, {
    resourceVersion: String(resourceVersion),
    ...(listed.next ? { continue: encodeContinue({ resourceVersion, after: listed.next }) } : {}),
  });
}

const tooLargeVersion = (wanted: number, current: number): Failure => ({
  reason: "Timeout",
  message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
  causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
  retryAfterSeconds: 1,
});

/** Error: BadRequest in the words of Go's parser. */
export function integerParameter(query: URLSearchParams, name: string): Outcome<number | undefined> {
  const text = query.get(name) ?? "";
  if (text === "") return ok(undefined);
  if (!/^[+-]?\d{1,18}$/.test(text)) {
    return refuse({
      reason: "BadRequest",
      message: `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
    });
  }
  return ok(Number(text));
}
