import type { OpenCommit } from "../../../db/commit.ts";
import type { WorkItemRow } from "../../../db/reads.ts";
import {
  READ_MISSING_NODES,
  READ_RUN,
  READ_TERMINATED,
  SET_RESYNC,
  type SweepRunRow,
  type TerminatedRow,
} from "../../../db/sweeps.ts";
import type { SweepName } from "../../sweeps/decision.ts";
import { lookForNodes } from "../../sweeps/node-quarantine.ts";
import { COUNTED } from "../../sweeps/pods.ts";
import { dueSweeps, storesOf } from "../../sweeps/sweep-at.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import type { SliceContext } from "../slice.ts";
import { TASKS } from "../tasks.ts";
import { PART_OBJECTS, planSurplus } from "./count.ts";
import type { Part } from "./part.ts";
import { scanReferences } from "./scan-references.ts";
import { type RunOf, Tally } from "./tally.ts";
import { type Place, readWindow } from "./window.ts";

/** As many names of Nodes are looked at in one slice. */
const NODES = 500;

/** A run that goes through the cluster, slice by slice. */
export interface Scan {
  run: RunOf;
  sweep: SweepName;
  kinds: ClusterKinds;
  commit: OpenCommit;
  tally: Tally;
  context: SliceContext;
}

/** What a slice of a scan has come to: where the next one goes on, or that there is none. */
export type Reached = { cursor: string } | { done: true; message?: string };

/**
 * One slice of a run that was asked for: goes through the cluster for what the sweep could act on now, whatever moments
 * are stored, and leaves it to the namespaces in parts. The run is over when its last part is.
 */
export async function scanCluster(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store, clock } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const row = await store.db.prepare(READ_RUN).bind(store.cluster, item.uid).first<SweepRunRow>();
  const commit = await store.begin();
  if (row === null) {
    commit.done.push(item.id);
    return commitSlice(store, commit);
  }
  const sweep = row.sweep as SweepName;
  const run: RunOf = { name: row.name, cause: row.cause as RunOf["cause"], dryRun: row.dry_run === 1 };
  const kinds = await currentKinds(context);
  const tally = new Tally(run, clock());
  const scan: Scan = { run, sweep, kinds, commit, tally, context };
  const reached = kinds.settings.sweeps[sweep].enabled
    ? await next(scan, item.cursor)
    : { done: true as const, message: "the sweep is off" };
  if ("cursor" in reached) {
    commit.advanced.push({ id: item.id, cursor: reached.cursor });
  } else {
    commit.done.push(item.id);
    tally.parts(sweep, -1, reached.message);
  }
  commit.runs = tally.runs;
  const slice = await commitSlice(store, commit);
  if (slice && "done" in reached && run.cause === "resync") {
    const { resyncPeriod } = kinds.settings.sweeps.orphans;
    await store.db
      .prepare(SET_RESYNC)
      .bind(store.cluster, clock() + resyncPeriod)
      .run();
  }
  return slice;
}

function next(scan: Scan, cursor: string): Promise<Reached> {
  if (scan.sweep === "orphans") return scanReferences(scan, cursor);
  return scanObjects(scan, cursor);
}

/** Leaves objects of one namespace to its graph object. */
export function leaveParts(
  { run, sweep, commit, tally }: Scan,
  namespace: string,
  uids: readonly string[],
): void {
  for (let i = 0; i < uids.length; i += PART_OBJECTS) {
    const some = uids.slice(i, i + PART_OBJECTS);
    const part: Part = { sweep, run, uids: some };
    commit.work.push(TASKS.sweep(namespace, `${run.name} ${some[0]}`, part));
    tally.parts(sweep, 1);
  }
}

/** Where a scan of objects is: in which of the sweep's stores, and after which object. */
type ScanPlace = readonly [store: number, ...Place];

async function scanObjects(scan: Scan, cursor: string): Promise<Reached> {
  const { sweep, kinds, context } = scan;
  const { store, clock } = context;
  const stores = sweep === "ttl" ? [""] : storesOf(sweep).sort();
  const [at, ...after]: ScanPlace =
    cursor === "" ? [0, stores[0] ?? "", "", ""] : (JSON.parse(cursor) as ScanPlace);
  const current = stores[at];
  if (current === undefined) return sweep === "pods" ? finishPods(scan, after[0]) : { done: true };
  const wanted =
    sweep === "ttl"
      ? { resources: [], marked: true }
      : // A Pod that the sweep could act on has a moment; of other kinds all are looked at.
        { only: current, resources: sweep === "pods" ? [] : [current], marked: false };
  const { objects, reached } = await readWindow(after, wanted, store, kinds);
  const now = clock();
  const found = objects.filter(({ object, stored }) => {
    // That a volume's claim has gone is nothing that the volume tells.
    if (stored.resource === "persistentvolumes") return true;
    return dueSweeps(object, storedKind(stored.resource, kinds), kinds.settings, now).includes(sweep);
  });
  for (const [namespace, some] of Map.groupBy(found, ({ row }) => row.namespace)) {
    leaveParts(
      scan,
      namespace,
      some.map(({ row }) => row.uid),
    );
  }
  const next: ScanPlace =
    reached === undefined
      ? [at + 1, sweep === "pods" ? "" : (stores[at + 1] ?? ""), "", ""]
      : [at, ...reached];
  return { cursor: JSON.stringify(next) };
}

/** After the Pods have been gone through: those beyond the thresholds, and Nodes that are missing. */
async function finishPods({ run, kinds, commit, tally, context }: Scan, after: string): Promise<Reached> {
  const { store, clock } = context;
  const { pods } = kinds.settings.sweeps;
  if (after === "") {
    const { results } = await store.db
      .prepare(READ_TERMINATED)
      .bind(store.cluster, COUNTED, clock())
      .all<TerminatedRow>();
    tally.parts("pods", planSurplus(commit, results, pods, run));
  }
  const { missing, last } = await quarantineMissing(after, { kinds, commit, context }, run.dryRun);
  const message =
    missing > 0 ? `Pods are bound to Nodes that are missing: ${missing} of them in quarantine` : "";
  return last === undefined
    ? { done: true, message }
    : { cursor: JSON.stringify([Number.MAX_SAFE_INTEGER, last, "", ""] satisfies ScanPlace) };
}

/** Puts names that Pods are bound to and no Node has into quarantine; those that are there keep their time. */
export async function quarantineMissing(
  after: string,
  { kinds, commit, context }: Pick<Scan, "kinds" | "commit" | "context">,
  dryRun: boolean,
): Promise<{ missing: number; last: string | undefined }> {
  const { store, clock } = context;
  const { results } = await store.db
    .prepare(READ_MISSING_NODES)
    .bind(store.cluster, after, NODES)
    .all<{ node: string; missing: number }>();
  const missing = results.filter((row) => row.missing === 1);
  const { pods } = kinds.settings.sweeps;
  if (!dryRun && pods.enabled) {
    const names = missing.map(({ node }) => node);
    const { quarantine } = lookForNodes(new Map(), names, new Set(), pods, clock());
    for (const [node, until] of quarantine) commit.workUnlessDue.push(TASKS.quarantine(node, until));
  }
  return { missing: missing.length, last: results.length < NODES - 1 ? undefined : results.at(-1)?.node };
}
