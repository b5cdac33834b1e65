import { GET_OBJECT, type ObjectRow } from "../../db/reads.ts";
import { disrupt, needsNoBudget, protects } from "../objects/disruption-budget.ts";
import type { Failure } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import type { KubeObject } from "../objects/object.ts";
import type { ResourceRequest } from "./context.ts";
import { listObjects } from "./list-objects.ts";
import { ask } from "./write.ts";

/** How long a client is told to wait before it tries an eviction again, in seconds. */
const EVICTION_RETRY = 10;
/** So often a budget that others use as well is read again. Source: as EvictionsRetry of the file below. */
const ATTEMPTS = 20;

const tooMany = (): Failure => ({
  reason: "TooManyRequests",
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  retryAfterSeconds: EVICTION_RETRY,
});

/**
 * Takes a disruption from each budget that is about the pod, each compared by its resourceVersion, so that of two evictions
 * at the same time only one has the last. Returns why the pod may not be evicted; undefined when it may.
 *
 * Upstream refuses a pod with several budgets. Here each of them has to allow it.
 *
 * Source: kubernetes registry/core/pod/storage/eviction.go.
 */
export async function useBudgets(
  request: ResourceRequest,
  name: string,
  dryRun: boolean,
): Promise<Failure | undefined> {
  const { context } = request;
  const kind = kindRegistry([]).served("policy", "v1", "poddisruptionbudgets");
  const pod = await readPod(request, name);
  if (kind === undefined || pod === undefined || needsNoBudget(pod)) return undefined;
  const used = new Set<string>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const budgets = await budgetsOf(pod, kind, request);
    if (budgets === undefined) return tooMany();
    const due = budgets.filter(({ metadata }) => !used.has(metadata.uid));
    const decided = due.map((budget) => ({
      budget,
      disruption: disrupt(budget as unknown as JsonObject, name, context.clock()),
    }));
    if (decided.some(({ disruption }) => !disruption.allowed)) return tooMany();
    const conflict = await writeAll(decided, kind, request, dryRun, used);
    if (conflict === undefined) return undefined;
    if (conflict.reason !== "Conflict" && conflict.reason !== "NotFound") return conflict;
  }
  return tooMany();
}

/** Writes the budgets one after another, and says why it stopped. Those that were written are noted in `used`. */
async function writeAll(
  decided: readonly { budget: KubeObject; disruption: ReturnType<typeof disrupt> }[],
  kind: Kind,
  request: ResourceRequest,
  dryRun: boolean,
  used: Set<string>,
): Promise<Failure | undefined> {
  const { namespace = "" } = request.path;
  const path = { ...request.path, group: kind.group, version: "v1", resource: kind.resource };
  for (const { budget, disruption } of decided) {
    if (!disruption.allowed) continue;
    const { name, uid, resourceVersion } = budget.metadata;
    const text = JSON.stringify({ metadata: { uid, resourceVersion }, status: disruption.status });
    const [reply] = await ask({ ...request, kind, path }, namespace, dryRun, [
      { verb: "patch", name, subresource: "status", type: "merge", text },
    ]);
    if (reply === undefined) throw new Error("a graph object answered nothing");
    if (!reply.ok) return reply.failure;
    used.add(uid);
  }
  return undefined;
}

async function readPod(
  { context, kind, path }: ResourceRequest,
  name: string,
): Promise<KubeObject | undefined> {
  const row = await context.db
    .prepare(GET_OBJECT)
    .bind(context.cluster, kind.storedAs, path.namespace ?? "", name)
    .first<ObjectRow>();
  return row === null ? undefined : (JSON.parse(row.body) as KubeObject);
}

/** Undefined when they cannot be read: any of them might protect the pod. */
async function budgetsOf(
  pod: KubeObject,
  kind: Kind,
  { context, path }: ResourceRequest,
): Promise<KubeObject[] | undefined> {
  const listed = await listObjects(context.db, {
    cluster: context.cluster,
    kind,
    version: "v1",
    namespace: path.namespace ?? "",
    labels: [],
    fields: [],
    limit: 0,
    after: undefined,
  });
  if (!listed.ok) return undefined;
  return listed.value.items
    .map((item) => JSON.parse(item) as KubeObject)
    .filter((budget) => protects(budget as unknown as JsonObject, pod));
}
