import { READ_KINDS_VERSION, READ_WORK, type WorkItemRow } from "../../db/reads.ts";
import { PUT_OFF_WORK } from "../../db/sql.ts";
import type { Clock } from "../objects/clock.ts";
import type { Slice } from "./drain/commit-slice.ts";
import { deleteInstances, deleteNamespaceContent } from "./drain/content.ts";
import { grantFreedNames } from "./drain/definition-names.ts";
import { writeEvents } from "./drain/events.ts";
import { examineDependents, examineObjects } from "./drain/examine.ts";
import { finalizeContent } from "./drain/finalize.ts";
import { examineAfterServed } from "./drain/newly-served.ts";
import { reviewOwners } from "./drain/owners.ts";
import { releaseDependents } from "./drain/release.ts";
import type { GraphStore } from "./graph-store.ts";
import type { KindsCache } from "./kinds-cache.ts";
import type { Asks } from "./sweep/asks.ts";
import { countPods } from "./sweep/count.ts";
import { computeMoments } from "./sweep/moments.ts";
import { sweepPart } from "./sweep/part.ts";
import { endQuarantine } from "./sweep/quarantine.ts";
import { scanCluster } from "./sweep/scan.ts";
import type { Task } from "./tasks.ts";

/** What a slice of work is done with. */
export interface SliceContext {
  store: GraphStore;
  kindsCache: KindsCache;
  clock: Clock;
  /** That of the kinds when the slice began: it comes with the outbox. */
  kindsVersion?: number;
  /** Where questions to the outside are left and answers are found; without it nobody answers. */
  asks?: Asks;
}

export interface SliceResult {
  /** Whether the outbox was found empty. */
  empty: boolean;
  committed?: NonNullable<Slice>;
}

/**
 * Does one bounded slice of a namespace's work: the oldest tasks of the lowest stage, all of one sort, decided
 * from one read and committed as one batch that also takes them off the outbox. Run twice, the second run finds
 * nothing: that is what makes a lost alarm, and a repeated one, harmless.
 *
 * @param most rows of the outbox to look at
 */
export async function workSlice(context: SliceContext, most = 500): Promise<SliceResult> {
  const { store, clock } = context;
  if (!(await store.holds())) return { empty: true };
  const { db, cluster, namespace } = store;
  const [work, kinds] = await db.batch<WorkItemRow | { kinds_version: number }>([
    db.prepare(READ_WORK).bind(cluster, namespace, clock(), most),
    db.prepare(READ_KINDS_VERSION).bind(cluster),
  ]);
  const results = (work?.results ?? []) as WorkItemRow[];
  const [version] = (kinds?.results ?? []) as { kinds_version: number }[];
  const first = results[0];
  if (first === undefined) return { empty: true };
  const until = results.findIndex((row) => row.task !== first.task);
  const items = until < 0 ? results : results.slice(0, until);
  const committed = await perform(first.task as Task, items, {
    ...context,
    kindsVersion: version?.kinds_version ?? 0,
  });
  return committed ? { empty: false, committed } : { empty: false };
}

/** After a task has failed again and again: so long it waits before its next turn, in ms. */
const PUT_OFF = 10 * 60_000;

/** Puts off the task that the next slice would begin with; nothing, when another graph object has taken over. */
export async function putOffFirst({ store, clock }: SliceContext): Promise<void> {
  const now = clock();
  await store.db
    .prepare(PUT_OFF_WORK)
    .bind(store.cluster, store.namespace, now, now + PUT_OFF, await store.hold())
    .run();
}

function perform(task: Task, items: WorkItemRow[], context: SliceContext): Promise<SliceResult["committed"]> {
  switch (task) {
    case "examine":
      return examineObjects(items, context);
    case "dependents":
      return examineDependents(items, context);
    case "release":
      return releaseDependents(items, context);
    case "event":
      return writeEvents(items, context);
    case "namespace":
      return deleteNamespaceContent(items, context);
    case "instances":
      return deleteInstances(items, context);
    case "owner":
      return reviewOwners(items, context);
    case "finalize":
      return finalizeContent(items, context);
    case "served":
      return examineAfterServed(items, context);
    case "names":
      return grantFreedNames(items, context);
    case "sweep":
      return sweepPart(items, context);
    case "scan":
      return scanCluster(items, context);
    case "count":
      return countPods(items, context);
    case "quarantine":
      return endQuarantine(items, context);
    case "moments":
      return computeMoments(items, context);
  }
}
