import type { OpenCommit } from "../../../db/commit.ts";
import type { WorkItemRow } from "../../../db/reads.ts";
import { READ_PODS_OF_NODE, READ_SWEPT, type SweptRow } from "../../../db/sweeps.ts";
import { asUid, type Uid } from "../../objects/object.ts";
import type { SweepName } from "../../sweeps/decision.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import type { GraphStore } from "../graph-store.ts";
import type { SliceContext } from "../slice.ts";
import { TASKS } from "../tasks.ts";
import { NO_ASKS } from "./asks.ts";
import { lookAt } from "./look.ts";
import { withBodies } from "./swept-objects.ts";
import { type RunOf, Tally } from "./tally.ts";

/** A part of a run, in one namespace: the objects that one sweep is to look at, whatever their moments. */
export interface Part {
  sweep: SweepName;
  /** Absent when no run asked for it. */
  run?: RunOf;
  uids?: readonly string[];
  /** They were counted, and are beyond a threshold. */
  surplus?: boolean;
  /** The Pods that are bound to this Node, whose quarantine is over. */
  node?: string;
}

/** As many objects are looked at in one slice. */
const OBJECTS = 250;

/** Looks at what a part names. What is too much for one batch stays in the outbox. */
export async function sweepPart(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store, clock, asks = NO_ASKS } = context;
  const [item] = items;
  if (item === undefined) return undefined;
  const part = JSON.parse(item.detail ?? "{}") as Part;
  const commit = await store.begin();
  const named = await uidsOf(part, item, store, commit);
  const taken = named.slice(0, OBJECTS);
  const { results } = await store.db
    .prepare(READ_SWEPT)
    .bind(store.cluster, store.namespace, JSON.stringify(taken))
    .all<SweptRow>();
  const kinds = await currentKinds(context);
  const read = await withBodies(results, store, kinds);
  const dryRun = part.run?.dryRun === true;
  const now = clock();
  const tally = new Tally(part.run, now);
  const view = {
    store,
    kinds,
    settings: dryRun ? { ...kinds.settings, reportOnly: true } : kinds.settings,
    now,
    asks,
    surplus: new Set<Uid>(part.surplus ? taken.map(asUid) : []),
    quarantined: new Set(part.node === undefined ? [] : [part.node]),
  };
  const { left } = await lookAt(read.objects, () => [part.sweep], { view, commit, tally, dryRun }, part.run);
  const rest = [
    ...results.slice(read.taken).map(({ uid }) => uid),
    ...taken.filter((uid) => left.has(uid)),
    ...named.slice(OBJECTS),
  ];
  if (part.uids === undefined) {
    // The row itself is needed to go on with the Pods of the Node.
    if (rest.length > 0) {
      const key = `${item.uid} ${rest[0]}`;
      commit.work.push(TASKS.sweep(store.namespace, key, { ...part, uids: rest }));
    }
  } else {
    commit.done.push(item.id);
    // By the same key: the part goes on as one, with an id of its own.
    if (rest.length > 0) commit.work.push(TASKS.sweep(store.namespace, item.uid, { ...part, uids: rest }));
    else tally.parts(part.sweep, -1);
  }
  if (part.node !== undefined && tally.runs.some(({ failed, skipped }) => failed + skipped > 0)) {
    // What could not be deleted is tried after another quarantine, and not earlier.
    const until = now + kinds.settings.sweeps.pods.orphanQuarantine;
    commit.workUnlessDue.push(TASKS.quarantine(part.node, until));
  }
  commit.runs = tally.runs;
  commit.totals = tally.totals;
  return commitSlice(store, commit);
}

/** Those that are named, or the next ones of a Node; the outbox remembers how far it has come with that. */
async function uidsOf(
  { uids, node }: Part,
  item: WorkItemRow,
  store: GraphStore,
  commit: OpenCommit,
): Promise<string[]> {
  if (uids !== undefined || node === undefined) return [...(uids ?? [])];
  const { results } = await store.db
    .prepare(READ_PODS_OF_NODE)
    .bind(store.cluster, store.namespace, node, Number(item.cursor), OBJECTS)
    .all<{ id: number; uid: string }>();
  const last = results.at(-1);
  if (last === undefined) commit.done.push(item.id);
  else commit.advanced.push({ id: item.id, cursor: String(last.id) });
  return results.map(({ uid }) => uid);
}
