import type { OpenCommit } from "../../../db/commit.ts";
import type { SweepName } from "../../sweeps/decision.ts";
import { COUNTED } from "../../sweeps/pods.ts";
import { Superseded } from "../graph-store.ts";
import { TASKS } from "../tasks.ts";
import { type Acting, act, leaveMoment } from "./act.ts";
import { holdBack } from "./hold-back.ts";
import { LOOKS } from "./looks/looks.ts";
import { missingNodes } from "./looks/pods.ts";
import type { SweptObject } from "./swept-objects.ts";
import type { RunOf } from "./tally.ts";
import { LOOK_AFTER_FAULT, type SweepView, type Verdict } from "./view.ts";

/** Terminated Pods are counted so long after one ended, so that those that end together are counted once. */
const COUNT_AFTER = 2_000;
/** A part that waits for an answer is looked at after this without one: then it is asked again. */
const ANSWER_WITHIN = 30_000;

/** What a slice looked at, and what it left. */
export interface Looked {
  /** Uids of objects that did not fit into the batch. */
  left: ReadonlySet<string>;
}

/**
 * Looks at objects: which facts the sweeps want is read for all of them together, each decides, and what is decided goes
 * into the batch, with what follows from it.
 *
 * @param sweeps those that look at an object; none when nothing is to be decided but the moment
 */
export async function lookAt(
  objects: readonly SweptObject[],
  sweeps: (swept: SweptObject) => readonly SweepName[],
  acting: Acting,
  run: RunOf | undefined,
): Promise<Looked> {
  const { view, commit, dryRun, tally } = acting;
  const bySweep = new Map<SweepName, SweptObject[]>();
  for (const swept of objects) {
    const names = sweeps(swept);
    if (names.length === 0) leaveMoment(swept, new Map(), acting);
    for (const name of names) {
      const list = bySweep.get(name);
      if (list === undefined) bySweep.set(name, [swept]);
      else list.push(swept);
    }
  }
  const verdicts: Verdict[] = [];
  for (const [sweep, list] of bySweep) verdicts.push(...(await verdictsOf(sweep, list, view)));
  const { left, asked } = act(await holdBack(verdicts, acting, run), acting);
  for (const { sweep, uid, question } of asked) {
    const part = `ask ${run?.name ?? ""} ${uid}`;
    const detail = { sweep, uids: [uid], ...(run === undefined ? {} : { run }) };
    commit.work.push(TASKS.sweep(view.store.namespace, part, detail, view.now + ANSWER_WITHIN));
    tally.parts(sweep, 1);
    view.asks.leave([{ uid, part, question }]);
  }
  if (!dryRun) await follow(verdicts, bySweep.get("pods") ?? [], view, commit);
  return { left };
}

/** One sweep that fails keeps its objects, and holds up no other. */
async function verdictsOf(
  sweep: SweepName,
  objects: readonly SweptObject[],
  view: SweepView,
): Promise<Verdict[]> {
  try {
    return await LOOKS[sweep](objects, view);
  } catch (fault) {
    if (fault instanceof Superseded) throw fault;
    const problem = `cannot be looked at now: ${fault instanceof Error ? fault.message : String(fault)}`;
    const next = view.now + LOOK_AFTER_FAULT;
    return objects.map((swept) => ({ sweep, swept, decision: { act: "skip", problem, next } }));
  }
}

/** What Pods that were looked at make due for the whole cluster: to be counted, and their Nodes to be looked for. */
async function follow(
  verdicts: readonly Verdict[],
  pods: readonly SweptObject[],
  view: SweepView,
  commit: OpenCommit,
): Promise<void> {
  const ended = verdicts.some(({ decision }) => decision.act === "keep" && decision.next === COUNTED);
  if (ended) commit.workUnlessDue.push(TASKS.count(view.now + COUNT_AFTER));
  const until = view.now + view.settings.sweeps.pods.orphanQuarantine;
  for (const node of await missingNodes(pods, view)) {
    if (!view.quarantined.has(node)) commit.workUnlessDue.push(TASKS.quarantine(node, until));
  }
}
