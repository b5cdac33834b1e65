import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import type { resourceOf } from "../objects/kind.ts";
import { decodeObject } from "../objects/metadata/decode.ts";
import { decodeDeleteOptions, decodeDryRun } from "../objects/metadata/delete-options.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { useBudgets } from "./disruption-budgets.ts";
import { readBody } from "./request-body.ts";
import { ask } from "./write.ts";

const SUCCESS: JsonObject = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/**
 * `POST …/pods/{name}/eviction`: a DELETE that a PodDisruptionBudget may hold up. What it takes from a
 * budget is taken before the pod goes.
 * Source: kubernetes registry/core/pod/storage/eviction.go.
 */
export async function evictPod(request: ResourceRequest): Promise<Response> {
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const version = /policy\/v1beta1/.test(body.value.text) ? "v1beta1" : "v1";
  const eviction = decodeObject(body.value.text, body.value.mediaType, {
    group: "policy",
    version,
    kind: "Eviction",
    custom: false,
  });
  if (!eviction.ok) return refusal(eviction.failure);
  const sent = isJsonObject(eviction.value.deleteOptions) ? JSON.stringify(eviction.value.deleteOptions) : "";
  const decoded = decodeDeleteOptions(sent, "application/json", request.query);
  if (!decoded.ok) return refusal(decoded.failure);
  // Whichever of the two says so.
  const asked = decodeDryRun(request.query, "CreateOptions");
  if (!asked.ok) return refusal(asked.failure);
  const options = { ...decoded.value, dryRun: decoded.value.dryRun || asked.value };
  const { name = "" } = request.path;
  const refused = await useBudgets(request, name, options.dryRun);
  if (refused) return refusal(refused);
  const mutation = { verb: "delete", name, options } as const;
  const [reply] = await ask(request, request.path.namespace ?? "", options.dryRun, [mutation]);
  if (reply === undefined) throw new Error("a graph object answered nothing");
  return reply.ok ? jsonAnswer(SUCCESS, { code: 201 }) : refusal(reply.failure);
}

/** `POST …/pods/{name}/binding`: gives an unscheduled pod its node. */
export async function bindPod(request: ResourceRequest): Promise<Response> {
  const dryRun = decodeDryRun(request.query, "CreateOptions");
  if (!dryRun.ok) return refusal(dryRun.failure);
  const body = await readBody(request.request);
  if (!body.ok) return refusal(body.failure);
  const { text, mediaType } = body.value;
  const binding = decodeObject(text, mediaType, { group: "", version: "v1", kind: "Binding", custom: false });
  if (!binding.ok) return refusal(binding.failure);
  const target = isJsonObject(binding.value.target) ? binding.value.target : {};
  const node = typeof target.name === "string" ? target.name : "";
  const { name = "", namespace = "" } = request.path;
  if (node === "") return refusal({ reason: "BadRequest", message: "target.name: Required value" });

  const patch: Json = [
    // Fails when the pod has a node already.
    { op: "test", path: "/spec/nodeName", value: null },
    { op: "add", path: "/spec/nodeName", value: node },
  ];
  const [reply] = await ask(request, namespace, dryRun.value, [
    { verb: "patch", name, subresource: undefined, type: "json", text: JSON.stringify(patch) },
  ]);
  if (reply === undefined) throw new Error("a graph object answered nothing");
  if (reply.ok) return jsonAnswer(SUCCESS, { code: 201 });
  if (reply.failure.reason !== "UnprocessablePatch") return refusal(reply.failure);
  return refusal({
    reason: "Conflict",
    subject: "pods/binding" as ReturnType<typeof resourceOf>,
    name,
    message: `Operation cannot be fulfilled on pods/binding ${JSON.stringify(name)}: pod ${name} is already assigned to a node`,
  });
}
