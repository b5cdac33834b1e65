import { READ_TOTALS, REMOVED_BUCKET } from "../../db/counters.ts";
import { type MarksRow, READ_GUARDS, READ_MARKS } from "../../db/guard.ts";
import { guarded, guardedAmong, marksOf } from "../graph/preview/guarded-nodes.ts";
import type { Node } from "../graph/preview/node.ts";
import type { Preview } from "../graph/preview/preview.ts";
import { guardRefusals } from "../guard/decide-guard.ts";
import { type Guard, type GuardBody, guardOf } from "../guard/settings.ts";
import type { Failure } from "../objects/failure.ts";
import { resourceOf } from "../objects/kind.ts";
import type { Millis, Uid } from "../objects/object.ts";
import type { ApiContext, ResourceRequest } from "./context.ts";
import { warningsOf } from "./delete-preview.ts";

/** Holds the DELETE of the object that bears it to the preview with that hash. */
const PREVIEW_HASH_ANNOTATION = "gc.kubegc.dev/preview-hash";

const HOUR: Millis = 3_600_000;
/** Objects that one refusal names. */
const MOST_NAMED = 10;

/**
 * The guards of each cluster, as this isolate knows them. A guard that another one was told of counts here within this time;
 * one that was written here counts at once.
 */
const FRESH: Millis = 2_000;
const known = new WeakMap<D1Database, Map<number, { at: Millis; guards: readonly Guard[] }>>();

export async function guardsOf({ db, cluster, clock }: ApiContext): Promise<readonly Guard[]> {
  const clusters = known.get(db) ?? new Map<number, { at: Millis; guards: readonly Guard[] }>();
  known.set(db, clusters);
  const now = clock();
  const found = clusters.get(cluster);
  if (found !== undefined && now - found.at < FRESH) return found.guards;
  const { results } = await db.prepare(READ_GUARDS).bind(cluster).all<{ body: string }>();
  const guards = results.map(({ body }) => guardOf(JSON.parse(body) as GuardBody));
  clusters.set(cluster, { at: now, guards });
  return guards;
}

/** To be called when a guard was written through this isolate. */
export function forgetGuards({ db, cluster }: ApiContext): void {
  known.get(db)?.delete(cluster);
}

/**
 * Why the guards of the cluster refuse what a request would delete; undefined when they do not. Nothing has happened yet.
 *
 * @param previews one for each object that the request names
 * @param previewed whether the request carries the hash of a preview that holds
 */
export async function guardFailure(
  { context, kind }: Pick<ResourceRequest, "context" | "kind">,
  guards: readonly Guard[],
  previews: readonly Preview[],
  previewed: boolean,
): Promise<Failure | undefined> {
  const [first] = previews;
  if (first === undefined || guards.length === 0) return undefined;
  const { db, cluster, clock } = context;
  const now = clock();
  const going = new Map<Uid, Node>();
  for (const { target, deletes, deletesOnceUnblocked } of previews) {
    for (const node of [target, ...deletes, ...deletesOnceUnblocked]) going.set(node.uid, node);
  }
  const nodes = [...going.values()];
  const totals = await db
    .prepare(READ_TOTALS)
    .bind(cluster, Math.floor((now - HOUR) / REMOVED_BUCKET))
    .first<{ objects: number; removed: number }>();
  const refusals = guardRefusals(
    guards,
    {
      target: guarded(first.target),
      count: nodes.length,
      concerned: (await guardedAmong(nodes, guards, db, cluster)).map(({ object }) => object),
      total: totals?.objects ?? 0,
      lastHour: totals?.removed ?? 0,
      previewed: previewed || (await isAnnotated(previews, context)),
    },
    now,
  );
  if (refusals.length === 0) return undefined;
  const more = refusals.length > MOST_NAMED ? [`and ${refusals.length - MOST_NAMED} more reasons`] : [];
  const foretold = previews.length === 1 ? warningsOf(first) : [];
  return {
    reason: "Forbidden",
    resource: resourceOf(kind),
    name: previews.length === 1 ? first.target.name : "",
    message: `${[...refusals.slice(0, MOST_NAMED), ...more, ...foretold].join("; ")}. Nothing was deleted`,
    causes: refusals.slice(0, MOST_NAMED).map((message) => ({ reason: "DeletionGuard", message })),
  };
}

/** kubectl cannot send a hash with a DELETE, so each target may bear that of its own preview. */
async function isAnnotated(previews: readonly Preview[], { db, cluster }: ApiContext): Promise<boolean> {
  const uids = JSON.stringify(previews.map(({ target }) => target.uid));
  const keys = JSON.stringify([PREVIEW_HASH_ANNOTATION]);
  const { results } = await db.prepare(READ_MARKS).bind(cluster, uids, keys).all<MarksRow>();
  const hashes = new Map(
    results.map(({ uid, marks }) => [uid, marksOf(marks).annotations[PREVIEW_HASH_ANNOTATION]]),
  );
  return previews.every(({ target, hash }) => hashes.get(target.uid) === hash);
}
