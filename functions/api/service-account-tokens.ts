import { GET_OBJECT, type ObjectRow } from "../../db/reads.ts";
import {
  AUDIENCE,
  accountRole,
  accountUser,
  type BoundObject,
  decideTokenRequest,
} from "../clusters/token-request.ts";
import { issueToken } from "../clusters/tokens.ts";
import { type Outcome, ok, refuse } from "../objects/failure.ts";
import { isJsonObject } from "../objects/json.ts";
import { resourceOf } from "../objects/kind.ts";
import { decodeObject } from "../objects/metadata/decode.ts";
import { decodeDryRun } from "../objects/metadata/delete-options.ts";
import { groupResource, type KubeObject, timestamp } from "../objects/object.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { readBody } from "./request-body.ts";

/**
 * `POST …/serviceaccounts/{name}/token`: a token that passes as the ServiceAccount, in this cluster, until it ends or the
 * account is gone. It is in the answer, and nowhere else in clear.
 * Source: kubernetes pkg/registry/core/serviceaccount/storage/token.go.
 */
export async function requestToken(request: ResourceRequest): Promise<Response> {
  const { context, path, kind } = request;
  const { name = "", namespace = "" } = path;
  const dryRun = decodeDryRun(request.query, "CreateOptions");
  if (!dryRun.ok) return refusal(dryRun.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const sent = decodeObject(body.value.text, body.value.mediaType, {
    group: "authentication.k8s.io",
    version: "v1",
    kind: "TokenRequest",
    custom: false,
  });
  if (!sent.ok) return refusal(sent.failure);
  const asked = decideTokenRequest(sent.value);
  if (!asked.ok) return refusal(asked.failure);
  const account = await stored(request, kind.storedAs, name);
  if (account === undefined) return refusal({ reason: "NotFound", resource: resourceOf(kind), name });
  const { expirationSeconds, boundTo } = asked.value;
  const bound = boundTo ? await boundUid(request, boundTo, name) : ok(undefined);
  if (!bound.ok) return refusal(bound.failure);

  const now = context.clock();
  const expiresAt = now + expirationSeconds * 1000;
  const token = dryRun.value
    ? ""
    : await issueToken(context.directory, {
        cluster: context.cluster,
        user: accountUser(namespace, name),
        role: accountRole(account),
        now,
        limits: { expiresAt, accountUid: account.metadata.uid, boundUid: bound.value },
      });
  const spec = isJsonObject(sent.value.spec) ? sent.value.spec : {};
  return jsonAnswer(
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name, namespace, creationTimestamp: timestamp(now) },
      spec: { ...spec, audiences: [AUDIENCE], expirationSeconds },
      status: { token, expirationTimestamp: timestamp(expiresAt) },
    },
    { code: 201 },
  );
}

async function stored(
  { context, path }: ResourceRequest,
  resource: string,
  name: string,
): Promise<KubeObject | undefined> {
  const row = await context.db
    .prepare(GET_OBJECT)
    .bind(context.cluster, resource, path.namespace ?? "", name)
    .first<ObjectRow>();
  return row === null ? undefined : (JSON.parse(row.body) as KubeObject);
}

/** The uid of what a token shall be bound to. Errors: NotFound, BadRequest, Conflict. */
async function boundUid(
  request: ResourceRequest,
  { kind, name, uid }: BoundObject,
  account: string,
): Promise<Outcome<string>> {
  const resource = groupResource("", kind === "Pod" ? "pods" : "secrets");
  const found = await stored(request, resource, name);
  if (found === undefined) return refuse({ reason: "NotFound", resource, name });
  const spec = isJsonObject(found.spec) ? found.spec : {};
  if (kind === "Pod" && (spec.serviceAccountName ?? "default") !== account) {
    const message = `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`;
    return refuse({ reason: "BadRequest", message });
  }
  if (uid !== undefined && uid !== found.metadata.uid) {
    return refuse({
      reason: "Conflict",
      subject: resource,
      name,
      message: `Operation cannot be fulfilled on ${resource} ${JSON.stringify(name)}: the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    });
  }
  return ok(found.metadata.uid);
}
