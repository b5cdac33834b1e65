import { PUT_OFF_DUE, READ_DUE, READ_NEXT, type SweptRow } from "../../../db/sweeps.ts";
import type { Millis } from "../../objects/object.ts";
import { COUNTED } from "../../sweeps/pods.ts";
import { dueSweeps, sweepsOf } from "../../sweeps/sweep-at.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { SliceContext } from "../slice.ts";
import { NO_ASKS } from "./asks.ts";
import { lookAt } from "./look.ts";
import { withBodies } from "./swept-objects.ts";
import { Tally } from "./tally.ts";

/** As many objects are looked at in one slice. */
const DUE_OBJECTS = 250;

export interface DueResult {
  /** Whether nothing was due. */
  empty: boolean;
  committed?: NonNullable<Slice>;
}

/**
 * One bounded slice of what is due in a namespace: the objects whose moment has come, the oldest first, freshly read,
 * looked at by the sweeps that want to, and written in one batch. Run twice, the second run finds nothing.
 */
export async function dueSlice(context: SliceContext, most = DUE_OBJECTS): Promise<DueResult> {
  const { store, clock, asks = NO_ASKS } = context;
  if (!(await store.holds())) return { empty: true };
  const now = clock();
  const { results } = await store.db
    .prepare(READ_DUE)
    .bind(store.cluster, store.namespace, now, most)
    .all<SweptRow>();
  if (results.length === 0) return { empty: true };
  const kinds = await currentKinds(context);
  const { objects } = await withBodies(results, store, kinds);
  const commit = await store.begin();
  const tally = new Tally(undefined, now);
  const { settings } = kinds;
  const view = {
    store,
    kinds,
    settings,
    now,
    asks,
    surplus: new Set<never>(),
    quarantined: new Set<string>(),
  };
  await lookAt(
    objects,
    ({ object, stored }) => {
      const due = dueSweeps(object, storedKind(stored.resource, kinds), settings, now);
      // Something else made it due: what was removed, or an answer that never came.
      return due.length > 0 ? due : sweepsOf(stored.resource);
    },
    { view, commit, tally, dryRun: false },
    undefined,
  );
  commit.runs = tally.runs;
  commit.totals = tally.totals;
  const committed = await commitSlice(store, commit);
  return committed ? { empty: false, committed } : { empty: false };
}

/** After what is due first has failed again and again: so long it waits, in ms. */
const PUT_OFF = 10 * 60_000;

/** Puts off the object that the next slice would begin with; nothing, when another graph object has taken over. */
export async function putOffDue({ store, clock }: SliceContext): Promise<void> {
  const now = clock();
  await store.db
    .prepare(PUT_OFF_DUE)
    .bind(store.cluster, store.namespace, now, now + PUT_OFF, await store.hold())
    .run();
}

/** When a namespace has something to do next, by itself and by its outbox; null for never. */
export async function nextMoments({
  store,
}: SliceContext): Promise<{ sweep: Millis | null; work: Millis | null }> {
  if (!(await store.holds())) return { sweep: null, work: null };
  const row = await store.db
    .prepare(READ_NEXT)
    .bind(store.cluster, store.namespace, COUNTED)
    .first<{ sweep: number | null; work: number | null }>();
  return { sweep: row?.sweep ?? null, work: row?.work ?? null };
}
