import { type DeletionRow, LIST_DELETIONS, LIST_DELETIONS_OF_ROOT } from "../../db/deletions.ts";
import type { JsonObject } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import type { KindRegistry } from "../objects/kinds/registry.ts";
import type { GroupResource } from "../objects/object.ts";
import { allows } from "../objects/roles.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ApiContext } from "./context.ts";

const MOST = 1_000;

/**
 * `GET /clusters/{cluster}/audit/deletions`: the records of deletions as an EventList of `audit.k8s.io/v1`, for whatever reads
 * audit logs. `root` selects what one deletion caused; `limit` and `continue` page.
 *
 * https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
export async function auditedDeletions(context: ApiContext, query: URLSearchParams): Promise<Response> {
  const { db, cluster, principal, servedKinds } = context;
  const asked = { verb: "list", group: "gc.kubegc.dev", resource: "deletionrecords", subresource: undefined };
  if (!allows(principal, { ...asked, namespace: "", name: "" })) {
    return refusal({
      reason: "Forbidden",
      resource: "deletionrecords.gc.kubegc.dev" as GroupResource,
      name: "",
      message: `User ${JSON.stringify(principal.user)} cannot list the records of deletions`,
    });
  }
  const limit = query.get("limit") ?? String(MOST);
  if (!/^[1-9]\d{0,5}$/.test(limit)) {
    return refusal({
      reason: "BadRequest",
      message: `limit: must be a number from 1: ${JSON.stringify(limit)}`,
    });
  }
  const wanted = Math.min(Number(limit), MOST);
  const after = query.get("continue") ?? "";
  const root = query.get("root");
  const statement =
    root === null
      ? db.prepare(LIST_DELETIONS).bind(cluster, after, wanted)
      : db.prepare(LIST_DELETIONS_OF_ROOT).bind(cluster, after, wanted, root);
  const { results } = await statement.all<DeletionRow>();
  const { kinds } = await servedKinds.current(db, cluster);
  const last = results.at(-1);
  return jsonAnswer({
    kind: "EventList",
    apiVersion: "audit.k8s.io/v1",
    metadata: results.length === wanted && last ? { continue: last.uid } : {},
    items: results.map((row) => auditEvent(row, kinds)),
  });
}

function auditEvent(row: DeletionRow, kinds: KindRegistry): JsonObject {
  const kind = kinds.byStore(row.resource as GroupResource);
  const version = kind?.versions[0] ?? "v1";
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: row.uid,
    stage: "ResponseComplete",
    ...(kind ? { requestURI: pathOf(row, kind, version) } : {}),
    verb: "delete",
    user: { username: row.actor },
    objectRef: {
      resource: kind?.resource ?? row.resource,
      ...(row.namespace === "" ? {} : { namespace: row.namespace }),
      name: row.name,
      uid: row.uid,
      ...(kind?.group ? { apiGroup: kind.group } : {}),
      apiVersion: version,
    },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: micros(row.began_at),
    stageTimestamp: micros(row.removed_at ?? row.began_at),
    annotations: {
      "gc.kubegc.dev/rule": row.rule,
      "gc.kubegc.dev/propagation-policy": row.policy,
      "gc.kubegc.dev/root": row.root,
      ...(row.cause === null ? {} : { "gc.kubegc.dev/cause": row.cause }),
      "gc.kubegc.dev/removed": String(row.removed_at !== null),
    },
  };
}

function pathOf({ namespace, name }: DeletionRow, { group, resource }: Kind, version: string): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === "" ? "" : `/namespaces/${namespace}`}/${resource}/${name}`;
}

/** Audit events have microseconds. */
const micros = (moment: number): string => new Date(moment).toISOString().replace("Z", "000Z");
