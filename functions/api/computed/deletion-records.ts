import {
  type DeletionRow,
  LIST_DELETIONS,
  LIST_DELETIONS_OF_ROOT,
  READ_DELETION,
} from "../../../db/deletions.ts";
import { ok } from "../../objects/failure.ts";
import type { Json } from "../../objects/json.ts";
import { apiVersion } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asObject, type GroupResource, type KubeObject, timestamp } from "../../objects/object.ts";
import { exactValue } from "../../objects/selectors/field-selector.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";

/**
 * DeletionRecord: what went, when, by whom or by which rule, and what caused it, up to the request at the root. Named by the
 * uid of what went, so that `spec.cause` and `spec.root` are names of records too.
 */
export const deletionRecords: ComputedKind = {
  async list({ context, limit, after, fields }) {
    const { db, cluster } = context;
    const root = exactValue(fields, "root");
    const statement =
      root === undefined
        ? db.prepare(LIST_DELETIONS).bind(cluster, after, limit)
        : db.prepare(LIST_DELETIONS_OF_ROOT).bind(cluster, after, limit, root);
    const { results } = await statement.all<DeletionRow>();
    const kinds = await kindsOf(context);
    return ok({ items: results.map((row) => recordOf(row, kinds)), more: results.length === limit });
  },

  async get(context, name) {
    const row = await context.db.prepare(READ_DELETION).bind(context.cluster, name).first<DeletionRow>();
    return ok(row === null ? undefined : recordOf(row, await kindsOf(context)));
  },
};

const kindsOf = async ({ servedKinds, db, cluster }: ApiContext): Promise<KindRegistry> =>
  (await servedKinds.current(db, cluster)).kinds;

function recordOf(row: DeletionRow, kinds: KindRegistry): KubeObject {
  const kind = kinds.byStore(row.resource as GroupResource);
  return asObject({
    apiVersion: "gc.kubegc.dev/v1alpha1",
    kind: "DeletionRecord",
    metadata: { name: row.uid, creationTimestamp: timestamp(row.began_at) },
    spec: {
      target: {
        ...(kind
          ? { apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"), kind: kind.kind }
          : // Its definition has gone: what is left is the name of the resource.
            {}),
        resource: row.resource,
        ...(row.namespace === "" ? {} : { namespace: row.namespace }),
        name: row.name,
        uid: row.uid,
      },
      rule: row.rule,
      actor: row.actor,
      propagationPolicy: row.policy,
      ...(row.cause === null ? {} : { cause: row.cause }),
      root: row.root,
    },
    status: {
      ...(row.interventions === null ? {} : { interventions: JSON.parse(row.interventions) as Json }),
      phase: row.removed_at === null ? "Terminating" : "Removed",
      ...(row.removed_at === null
        ? {}
        : { removalTime: timestamp(row.removed_at), resourceVersion: String(row.removed_version) }),
    },
  });
}
