import { z } from "zod";
import { ADD_INTERVENTION, DROP_INTERVENTION } from "../../../db/deletions.ts";
import { GET_OBJECT, type ObjectRow } from "../../../db/reads.ts";
import { graphName } from "../../graph/graph-name.ts";
import type { MutationReply, MutationRequest } from "../../graph/request.ts";
import { storedObject } from "../../graph/stored-object.ts";
import { type Failure, invalidValue, ok, refuse } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import { resourceOf } from "../../objects/kind.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import { asObject, type KubeObject, timestamp } from "../../objects/object.ts";
import { allows } from "../../objects/roles.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { invalidSpec } from "./computed-spec.ts";
import { type DeletionTarget, deletionTarget, TARGET } from "./deletion-target.ts";

const KIND = "Unblock";

const SPEC = z.strictObject({
  target: TARGET,
  finalizer: z.string().min(1).describe("The one that is taken off."),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .describe("Why it is known that what the finalizer stands for is done, or will never be."),
});

/**
 * Unblock: takes one named finalizer off a terminating object, with a reason that its DeletionRecord keeps. It is what people
 * do with `kubectl patch`, without the risk of taking off another one, or off an object that changed meanwhile.
 */
export const unblocks: ComputedKind = {
  spec: SPEC,

  async create({ context, sent, dryRun }) {
    const read = SPEC.safeParse(sent.spec ?? {}, { reportInput: true });
    if (!read.success) return refuse(invalidSpec(KIND, sent, read.error));
    const { finalizer, reason } = read.data;
    const { db, cluster, clock, principal } = context;
    const { kinds } = await context.servedKinds.current(db, cluster);
    const target = deletionTarget(read.data.target, KIND, kinds);
    if (!target.ok) return target;
    const { kind, version, namespace, name, uid } = target.value;
    const { group, resource } = kind;
    if (!allows(principal, { verb: "patch", group, resource, subresource: undefined, namespace, name })) {
      const message = `User ${JSON.stringify(principal.user)} cannot patch it`;
      return refuse({ reason: "Forbidden", resource: resourceOf(kind), name, message });
    }
    const row = await db.prepare(GET_OBJECT).bind(cluster, kind.storedAs, namespace, name).first<ObjectRow>();
    if (row === null || (uid !== undefined && uid !== row.uid)) {
      return refuse({ reason: "NotFound", resource: resourceOf(kind), name });
    }
    const { object } = storedObject(row, kind, version);
    const fault = whyNot(object, finalizer);
    if (fault) return refuse(fault);
    const failure = dryRun ? undefined : await release(object, finalizer, reason, target.value, context);
    if (failure) return refuse(failure);
    const left = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer);
    return ok({
      object: asObject({
        apiVersion: `${KUBEGC}/v1alpha1`,
        kind: KIND,
        metadata: { creationTimestamp: timestamp(clock()) },
        spec: sent.spec ?? {},
        status: { phase: dryRun ? "Possible" : "Released", record: row.uid, finalizers: left },
      }),
    });
  },
};

function whyNot({ kind, metadata }: KubeObject, finalizer: string): Failure | undefined {
  const title = `${kind} ${JSON.stringify(metadata.name)}`;
  const invalid = (field: string, value: string, detail: string): Failure => ({
    reason: "Invalid",
    group: KUBEGC,
    kind: KIND,
    name: "",
    errors: [invalidValue(field, value, detail)],
  });
  if (metadata.deletionTimestamp === undefined) {
    return invalid("spec.target.name", metadata.name, `${title} is not being deleted`);
  }
  if (!(metadata.finalizers ?? []).includes(finalizer)) {
    const has = (metadata.finalizers ?? []).join(", ") || "none";
    return invalid("spec.finalizer", finalizer, `${title} does not have it; its finalizers: ${has}`);
  }
  if (finalizer === FINALIZER_FOREGROUND || finalizer === FINALIZER_ORPHAN) {
    const detail =
      "is the collector's: unblock the dependents that it waits for, or delete it in another policy";
    return invalid("spec.finalizer", finalizer, detail);
  }
  return undefined;
}

/** The reason is recorded first: an intervention whose reason was lost would be worse than one that failed. */
async function release(
  { metadata }: KubeObject,
  finalizer: string,
  reason: string,
  { kind, version, namespace, name }: DeletionTarget,
  { db, cluster, clock, principal, graphs }: ApiContext,
): Promise<Failure | undefined> {
  const intervention: JsonObject = {
    finalizer,
    reason,
    user: principal.user,
    time: timestamp(clock()),
  };
  await db.prepare(ADD_INTERVENTION).bind(cluster, metadata.uid, JSON.stringify(intervention)).run();
  const finalizers = (metadata.finalizers ?? []).filter((other) => other !== finalizer);
  const { uid, resourceVersion } = metadata;
  const text = JSON.stringify({ metadata: { uid, resourceVersion, finalizers } });
  const request: MutationRequest = {
    kind,
    version,
    principal,
    manager: "kubegc-unblock",
    dryRun: false,
    mutation: { verb: "patch", name, subresource: undefined, type: "merge", text },
  };
  const [reply]: MutationReply[] = await graphs.getByName(graphName(cluster, namespace)).mutate([request]);
  if (reply?.ok) return undefined;
  await db.prepare(DROP_INTERVENTION).bind(cluster, metadata.uid).run();
  return reply?.failure;
}
