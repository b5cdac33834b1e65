import { READ_TOTALS, REMOVED_BUCKET } from "../../../db/counters.ts";
import { READ_STOPPED, type StoppedRow } from "../../../db/sweeps.ts";
import { protectionOf, sweepRefusal } from "../../guard/decide-guard.ts";
import type { Guard } from "../../guard/settings.ts";
import type { Millis, Uid } from "../../objects/object.ts";
import type { EventNote, SweepName } from "../../sweeps/decision.ts";
import { changesOutside, permitted } from "../../sweeps/report-only.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { Acting } from "./act.ts";
import { eventTask } from "./event.ts";
import { followersOf } from "./followers.ts";
import { type RunOf, runName } from "./tally.ts";
import type { SweepView, Verdict } from "./view.ts";

/** What a guard held back is looked at again after this; at once, when a guard changes. */
const HELD: Millis = 3_600_000;
const HOUR: Millis = 3_600_000;

/**
 * The verdicts as the guards of the cluster let them be carried out. An object stays when it is protected, or something that
 * would go with it. A sweep that would make more go than it may deletes nothing of the slice: its run says so, and one Event
 * for each run, about the guard.
 *
 * Two namespaces that are swept at the same moment do not see each other's counts: a limit may be exceeded by a slice.
 */
export async function holdBack(
  verdicts: readonly Verdict[],
  acting: Acting,
  run: RunOf | undefined,
): Promise<readonly Verdict[]> {
  const { view } = acting;
  const { guards } = view.kinds;
  if (guards.length === 0) return verdicts;
  const going = verdicts.filter((verdict) => isGoing(verdict, view));
  if (going.length === 0) return verdicts;
  const held = new Map<Verdict, string>();
  for (const verdict of going) {
    const why = protection(verdict, guards, view);
    if (why !== undefined) held.set(verdict, why);
  }
  const { counts, protections } = await followersOf(
    going.filter((verdict) => !held.has(verdict)),
    view,
  );
  for (const verdict of going) {
    const why = protections.get(verdict.swept.stored.uid);
    if (why !== undefined && !held.has(verdict)) held.set(verdict, why);
  }
  const free = Map.groupBy(
    going.filter((verdict) => !held.has(verdict)),
    ({ sweep }) => sweep,
  );
  for (const [sweep, why] of await stopped(free, counts, acting, run)) {
    for (const verdict of free.get(sweep) ?? []) held.set(verdict, why);
  }
  return verdicts.map((verdict) => {
    const problem = held.get(verdict);
    if (problem === undefined) return verdict;
    return { ...verdict, decision: { act: "skip", problem, next: view.now + HELD } };
  });
}

/** Whether something would be deleted, here or by an endpoint that is told to. */
function isGoing({ sweep, decision }: Verdict, { settings }: SweepView): boolean {
  const allowed = permitted(decision, sweep, settings);
  return (
    allowed.act === "delete" ||
    allowed.act === "patch-then-delete" ||
    (allowed.act === "ask" && changesOutside(allowed.question))
  );
}

function protection({ swept }: Verdict, guards: readonly Guard[], view: SweepView): string | undefined {
  const { name, namespace = "", labels = {}, annotations = {} } = swept.object.metadata;
  const kind = storedKind(swept.stored.resource, view.kinds);
  return protectionOf(guards, { kind, namespace, name, labels, annotations }, view.now);
}

/** The sweeps that must not go on, with the reason. */
async function stopped(
  going: ReadonlyMap<SweepName, readonly Verdict[]>,
  followers: ReadonlyMap<Uid, number>,
  { view, commit, tally }: Acting,
  run: RunOf | undefined,
): Promise<Map<SweepName, string>> {
  const found = new Map<SweepName, string>();
  if (going.size === 0) return found;
  const { store, now, kinds } = view;
  const { db, cluster } = store;
  const names = [...going.keys()].map((sweep) => runName(run, sweep, now));
  const [counted, runs] = await db.batch([
    db.prepare(READ_TOTALS).bind(cluster, Math.floor((now - HOUR) / REMOVED_BUCKET)),
    db.prepare(READ_STOPPED).bind(cluster, JSON.stringify(names)),
  ]);
  const known = (runs?.results ?? []) as StoppedRow[];
  const totals = counted?.results[0] as { objects: number; removed: number } | undefined;
  let lastHour = totals?.removed ?? 0;
  for (const [sweep, verdicts] of going) {
    const row = known.find(({ name }) => name === runName(run, sweep, now));
    const uids = new Set(verdicts.map(({ swept }) => swept.stored.uid));
    const count = [...uids].reduce((sum, uid) => sum + 1 + (followers.get(uid) ?? 0), 0);
    const refusal = sweepRefusal(kinds.guards, {
      going: count,
      before: row?.deleted ?? 0,
      total: totals?.objects ?? 0,
      lastHour,
    });
    if (refusal === undefined) {
      lastHour += count;
      continue;
    }
    found.set(sweep, refusal.message);
    tally.say(sweep, refusal.message);
    // The first slice that is stopped has told it.
    if (row?.message) continue;
    const note = eventOf(refusal.guard, `the sweep ${sweep} has stopped: ${refusal.message}`);
    commit.work.push(eventTask(note, commit.work.length, now));
  }
  return found;
}

const eventOf = ({ name, uid }: Guard, message: string): EventNote => ({
  when: "done",
  type: "Warning",
  reason: "DeletionGuardExceeded",
  message,
  component: "kubegc",
  about: { apiVersion: "gc.kubegc.dev/v1alpha1", kind: "DeletionGuard", name, uid },
});
