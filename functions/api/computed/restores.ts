import { z } from "zod";
import { readLost, readThere, type Unrestorable } from "../../graph/restore/read-lost.ts";
import { type DroppedReference, outsideOwners, relink } from "../../graph/restore/relink.ts";
import { invalidValue, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";
import { asObject, asUid, type GroupResource, timestamp } from "../../objects/object.ts";
import { bringBack } from "./bring-back.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { invalidSpec } from "./computed-spec.ts";

const KIND = "Restore";

const SPEC = z.strictObject({
  record: z.string().min(1).describe("The name of a DeletionRecord: the uid of what went."),
  tree: z.boolean().default(true).describe("What went because of it comes back too."),
  partial: z.boolean().default(false).describe("What can come back does, even when something cannot."),
  dryRun: z.boolean().default(false),
});

const WHY: Readonly<Record<Unrestorable["why"], string>> = {
  "still-there": "is not gone yet",
  forgotten: "its last state is not kept any more",
  "kind-gone": "its kind is not served any more",
};

/**
 * Restore: created to bring back what a DeletionRecord is about, with all that went because of it. Objects come back under new
 * uids and name each other by them. Nothing is written when a name is taken, or when something cannot come back and
 * `spec.partial` does not say that this is all right; each namespace is one transaction.
 */
export const restores: ComputedKind = {
  spec: SPEC,

  async create({ context, sent, dryRun }) {
    const read = SPEC.safeParse(sent.spec ?? {}, { reportInput: true });
    if (!read.success) return refuse(invalidSpec(KIND, sent, read.error));
    const { record, tree, partial } = read.data;
    const { db, cluster, clock } = context;
    const { kinds } = await context.servedKinds.current(db, cluster);
    const reading = await readLost(db, cluster, { uid: record, tree }, kinds);
    switch (reading.found) {
      case "nothing":
        return refuse({
          reason: "NotFound",
          resource: "deletionrecords.gc.kubegc.dev" as GroupResource,
          name: record,
        });
      case "too-much":
        return refuse({
          reason: "RequestEntityTooLarge",
          message: `what went because of ${record} is too much to come back at once: restore its parts by their own records`,
        });
      case "lost":
        break;
    }
    const { lost, unrestorable } = reading;
    if (unrestorable.length > 0 && (!partial || lost.length === 0)) {
      return refuse(invalid(sent, record, unrestorable));
    }
    const there = await readThere(db, cluster, outsideOwners(lost));
    const { objects, dropped } = relink(lost, there, {
      now: clock(),
      newUid: () => asUid(crypto.randomUUID()),
    });
    const tried = dryRun || read.data.dryRun;
    const failure = await bringBack(context, objects, tried);
    if (failure) return refuse(failure);
    return ok({
      object: asObject({
        apiVersion: `${KUBEGC}/v1alpha1`,
        kind: KIND,
        metadata: { creationTimestamp: timestamp(clock()) },
        spec: sent.spec ?? {},
        status: {
          phase: tried ? "Possible" : "Restored",
          restored: objects.map(({ object, formerly }) => {
            const { name, namespace, uid } = object.metadata;
            return {
              apiVersion: object.apiVersion,
              kind: object.kind,
              ...(namespace === undefined ? {} : { namespace }),
              name,
              formerUID: formerly,
              ...(tried ? {} : { uid }),
            };
          }),
          droppedReferences: dropped.map(droppedReference),
          notRestored: unrestorable.map(({ what, why }) => ({ what, why: WHY[why] })),
        },
      }),
      warnings:
        dropped.length > 0 ? [`${dropped.length} references to owners that are gone are left out`] : [],
    });
  },
};

export const droppedReference = ({ object, owner }: DroppedReference): JsonObject => {
  const { name, namespace } = object.metadata;
  return {
    object: `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    owner: { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid },
  };
};

function invalid(sent: JsonObject, record: string, unrestorable: readonly Unrestorable[]) {
  const { name } = isJsonObject(sent.metadata) ? sent.metadata : {};
  const told = unrestorable.slice(0, 10).map(({ what, why }) => `${what} ${WHY[why]}`);
  const more = unrestorable.length > 10 ? ` and ${unrestorable.length - 10} more` : "";
  return {
    reason: "Invalid" as const,
    group: KUBEGC,
    kind: KIND,
    name: typeof name === "string" ? name : "",
    errors: [invalidValue("spec.record", record, `not all of it can come back: ${told.join(", ")}${more}`)],
  };
}
