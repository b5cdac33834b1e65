import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { decodeObject } from "../objects/metadata/decode.ts";
import { allows, type Principal } from "../objects/roles.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { readBody } from "./request-body.ts";

type Review = (sent: JsonObject, principal: Principal) => JsonObject;

const REVIEWS: Readonly<Record<string, Review>> = {
  "selfsubjectreviews.authentication.k8s.io": (_, principal) => ({
    userInfo: { username: principal.user, groups: groupsOf(principal) },
  }),
  "selfsubjectaccessreviews.authorization.k8s.io": accessReview,
  "selfsubjectrulesreviews.authorization.k8s.io": rulesReview,
};

export const isReview = (kind: Kind): boolean => kind.storedAs in REVIEWS;

/** Answers a review with what was asked and a status; nothing is stored. */
export async function answerReview(request: ResourceRequest): Promise<Response> {
  const { kind, path, context } = request;
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const { text, mediaType } = body.value;
  const sent = decodeObject(text, mediaType, {
    group: kind.group,
    version: path.version,
    kind: kind.kind,
    custom: false,
  });
  if (!sent.ok) return refusal(sent.failure);
  const status = REVIEWS[kind.storedAs]?.(sent.value, context.principal) ?? {};
  return jsonAnswer({ ...sent.value, metadata: {}, status }, { code: 201 });
}

function groupsOf({ user, role }: Principal): string[] {
  const groups = { admin: ["system:masters"], view: [], node: ["system:nodes"] };
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  const account =
    namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return [...groups[role], ...account, "system:authenticated"];
}

/** `kubectl auth can-i`. */
function accessReview({ spec }: JsonObject, principal: Principal): JsonObject {
  const asked = isJsonObject(spec) ? spec : {};
  const resource = isJsonObject(asked.resourceAttributes) ? asked.resourceAttributes : undefined;
  if (resource === undefined) return { allowed: principal.role === "admin" };
  const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
  const allowed = allows(principal, {
    verb: text(resource.verb),
    group: text(resource.group),
    resource: text(resource.resource),
    subresource: text(resource.subresource) || undefined,
    namespace: text(resource.namespace),
    name: text(resource.name),
  });
  return allowed ? { allowed, reason: `role ${principal.role}` } : { allowed };
}

/** `kubectl auth can-i --list`. */
function rulesReview(_: JsonObject, principal: Principal): JsonObject {
  const all = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
  const reads = { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] };
  return {
    resourceRules: [principal.role === "admin" ? all : reads],
    nonResourceRules: [
      principal.role === "admin"
        ? { verbs: ["*"], nonResourceURLs: ["*"] }
        : { verbs: ["get"], nonResourceURLs: ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/version"] },
    ],
    // The rules of `view` and `node` have exceptions that this list cannot express.
    incomplete: principal.role !== "admin",
  };
}
