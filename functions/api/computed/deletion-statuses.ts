import { z } from "zod";
import { type DependentRow, LIST_TERMINATING } from "../../../db/explain.ts";
import { GET_OBJECT, type ObjectRow, READ_OBJECTS } from "../../../db/reads.ts";
import { type Explained, explain, MOST_DEPENDENTS } from "../../graph/explain/explain.ts";
import { graceLeft, heldBy } from "../../graph/explain/unblock.ts";
import { ok, refuse } from "../../objects/failure.ts";
import type { Json, JsonObject } from "../../objects/json.ts";
import { apiVersion, resourceOf } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asObject, type GroupResource, type KubeObject, timestamp } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { invalidSpec } from "./computed-spec.ts";
import { counted, entryOf } from "./deletion-previews.ts";
import { deletionTarget, TARGET } from "./deletion-target.ts";
import { titleOf } from "./kept-previews.ts";

const KIND = "DeletionStatus";
const SPEC = z.strictObject({ target: TARGET });
/** Each costs a look at all that it reaches. */
const MOST_LISTED = 20;

/**
 * DeletionStatus: why an object is still there. Created like an access review about any object; listed, one for each object
 * that is terminating, named by its uid. Never stored.
 */
export const deletionStatuses: ComputedKind = {
  spec: SPEC,

  async create({ context, sent }) {
    const read = SPEC.safeParse(sent.spec ?? {}, { reportInput: true });
    if (!read.success) return refuse(invalidSpec(KIND, sent, read.error));
    const { db, cluster } = context;
    const kinds = await kindsOf(context);
    const target = deletionTarget(read.data.target, KIND, kinds);
    if (!target.ok) return target;
    const { kind, namespace, name, uid } = target.value;
    const row = await db.prepare(GET_OBJECT).bind(cluster, kind.storedAs, namespace, name).first<ObjectRow>();
    if (row === null || (uid !== undefined && uid !== row.uid)) {
      return refuse({ reason: "NotFound", resource: resourceOf(kind), name });
    }
    return ok({ object: await statusOf(row, kinds, context) });
  },

  async list({ context, limit, after }) {
    const { db, cluster } = context;
    const page = Math.min(limit, MOST_LISTED);
    const { results } = await db.prepare(LIST_TERMINATING).bind(cluster, after, page).all<{ uid: string }>();
    const rows = await readAll(
      results.map(({ uid }) => uid),
      context,
    );
    const kinds = await kindsOf(context);
    const items: KubeObject[] = [];
    for (const row of rows) items.push(await statusOf(row, kinds, context));
    return ok({ items, more: results.length === page });
  },

  async get(context, name) {
    const [row] = await readAll([name], context);
    return ok(row && (await statusOf(row, await kindsOf(context), context)));
  },
};

const kindsOf = async ({ servedKinds, db, cluster }: ApiContext): Promise<KindRegistry> =>
  (await servedKinds.current(db, cluster)).kinds;

async function readAll(uids: readonly string[], { db, cluster }: ApiContext): Promise<ObjectRow[]> {
  const { results } = await db.prepare(READ_OBJECTS).bind(cluster, JSON.stringify(uids)).all<ObjectRow>();
  return results;
}

async function statusOf(row: ObjectRow, kinds: KindRegistry, context: ApiContext): Promise<KubeObject> {
  const { db, cluster, clock } = context;
  const now = clock();
  const explained = await explain(row, { db, cluster, kinds, now });
  const { object } = explained;
  const { name, namespace, uid, deletionTimestamp } = object.metadata;
  return asObject({
    apiVersion: "gc.kubegc.dev/v1alpha1",
    kind: KIND,
    metadata: { name: uid, creationTimestamp: timestamp(now) },
    spec: {
      target: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        uid,
      },
    },
    status:
      deletionTimestamp === undefined
        ? { phase: "Active", ...owned(explained, kinds), ...wouldBe(explained) }
        : { phase: "Terminating", ...terminating(explained, kinds, now) },
  });
}

function owned({ owners, dependents, dependentCount }: Explained, kinds: KindRegistry): JsonObject {
  return {
    owners: owners.map(({ reference, found }) => ({ ...(reference as unknown as JsonObject), state: found })),
    owns: { total: dependentCount, first: dependents.map((row) => entry(row, kinds)) },
  };
}

function wouldBe({ preview }: Explained): JsonObject {
  if (preview === undefined) return {};
  const { deletes, deletesOnceUnblocked, orphans, keeps, blockers } = preview;
  return {
    ifDeleted: {
      deletes: counted([...deletes, ...deletesOnceUnblocked]),
      orphans: counted(orphans),
      keeps: counted(keeps),
      blockers: blockers.length,
    },
  };
}

function terminating(explained: Explained, kinds: KindRegistry, now: number): JsonObject {
  const { object, record, rest, content } = explained;
  const finalizers = heldBy(object);
  const grace = graceLeft(object, now);
  return {
    since: object.metadata.deletionTimestamp ?? null,
    ...(record
      ? {
          actor: record.actor,
          rule: record.rule,
          propagationPolicy: record.policy,
          ...(record.cause === null ? {} : { cause: record.cause }),
          root: record.root,
        }
      : {}),
    finalizers: finalizers.map(({ name, setBy, since, advice }) => ({
      name,
      ...(setBy === undefined ? {} : { setBy }),
      ...(since === undefined ? {} : { setAt: since }),
      advice,
    })),
    ...(grace === undefined ? {} : { gracePeriodSecondsLeft: grace }),
    ...owned(explained, kinds),
    ...(content
      ? {
          content: content.resources.map(({ resource, count }) => ({ resource, count })),
          contentFinalizers: content.finalizers.map(({ finalizer, count }) => ({ finalizer, count })),
        }
      : {}),
    ...(rest
      ? {
          cascade: {
            total: rest.gone + rest.removed.length + rest.removedOnceUnblocked.length,
            gone: rest.gone,
            waiting: rest.removed.length,
            blocked: rest.removedOnceUnblocked.length,
          },
          blockers: rest.blocked
            .slice(0, MOST_DEPENDENTS)
            .map(({ node, finalizers, gracePeriodSeconds }) => ({
              ...entryOf(node),
              finalizers: [...finalizers],
              ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
            })),
        }
      : {}),
    unblock: advice(explained, grace),
  };
}

/** What would let it go, a sentence each. */
function advice({ object, rest }: Explained, grace: number | undefined): Json[] {
  const lines: string[] = [];
  if (grace !== undefined && grace > 0) lines.push(`its node has ${grace} s left to stop it`);
  if (grace === 0) {
    lines.push("its node's time has run out: kubectl delete --grace-period=0 --force takes it away");
  }
  for (const { node, finalizers } of rest?.blocked ?? []) {
    if (lines.length === MOST_DEPENDENTS) break;
    const what = node.uid === object.metadata.uid ? "it" : titleOf(node);
    for (const finalizer of finalizers)
      lines.push(`${what} waits for the finalizer ${finalizer} to be taken off`);
  }
  return lines;
}

function entry(
  { resource, namespace, name, uid, deletion, blocking, marks }: DependentRow,
  kinds: KindRegistry,
): JsonObject {
  const kind = kinds.byStore(resource as GroupResource);
  const [finalizers, since] = JSON.parse(marks) as [string[] | null, string | null];
  return {
    ...(kind
      ? { apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"), kind: kind.kind }
      : { resource }),
    ...(namespace === "" ? {} : { namespace }),
    name,
    uid,
    blocking: blocking === 1,
    ...(deletion === null ? {} : { terminatingSince: since }),
    ...(finalizers === null ? {} : { finalizers }),
  };
}
