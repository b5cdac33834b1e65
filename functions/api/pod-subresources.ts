import { GET_OBJECT, type ObjectRow } from "../../db/reads.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import type { resourceOf } from "../objects/kind.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import { decodeObject } from "../objects/metadata/decode.ts";
import { decodeDeleteOptions, decodeDryRun } from "../objects/metadata/delete-options.ts";
import type { KubeObject } from "../objects/object.ts";
import { matchesLabels } from "../objects/selectors/label-selector.ts";
import { labelSelectorOf } from "../objects/selectors/structured-selector.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { listObjects } from "./list-objects.ts";
import { readBody } from "./request-body.ts";
import { ask } from "./write.ts";

const SUCCESS: JsonObject = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** How long a client is told to wait before it tries an eviction again, in seconds. */
const EVICTION_RETRY = 10;

/**
 * `POST …/pods/{name}/eviction`: a DELETE that a PodDisruptionBudget may hold up. A budget allows what its status
 * says; nothing here counts for it.
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
  const options = decodeDeleteOptions(sent, "application/json", request.query);
  if (!options.ok) return refusal(options.failure);
  const { name = "" } = request.path;
  if (await isProtected(request, name)) {
    return refusal({
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      retryAfterSeconds: EVICTION_RETRY,
    });
  }
  const mutation = { verb: "delete", name, options: options.value } as const;
  const [reply] = await ask(request, request.path.namespace ?? "", options.value.dryRun, [mutation]);
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

/** Whether a budget that selects the pod allows no disruption now. Finished and unscheduled pods need no budget. */
async function isProtected({ context, kind, path }: ResourceRequest, name: string): Promise<boolean> {
  const { namespace = "" } = path;
  const row = await context.db
    .prepare(GET_OBJECT)
    .bind(context.cluster, kind.storedAs, namespace, name)
    .first<ObjectRow>();
  if (row === null) return false;
  const pod = JSON.parse(row.body) as KubeObject;
  const status = isJsonObject(pod.status) ? pod.status : {};
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (["Pending", "Succeeded", "Failed"].includes(String(status.phase))) return false;
  const budgets = kindRegistry([]).served("policy", "v1", "poddisruptionbudgets");
  if (budgets === undefined) return false;
  const listed = await listObjects(context.db, {
    cluster: context.cluster,
    kind: budgets,
    version: "v1",
    namespace,
    labels: [],
    fields: [],
    limit: 0,
    after: undefined,
  });
  // What cannot be read might protect it.
  if (!listed.ok) return true;
  return listed.value.items
    .map((item) => JSON.parse(item) as JsonObject)
    .some(({ spec, status: budget }) => {
      const selector =
        isJsonObject(spec) && isJsonObject(spec.selector) ? labelSelectorOf(spec.selector) : undefined;
      const allowed = isJsonObject(budget) ? budget.disruptionsAllowed : 0;
      return selector !== undefined && matchesLabels(selector, pod.metadata.labels) && !(Number(allowed) > 0);
    });
}
