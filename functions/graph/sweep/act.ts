import type { OpenCommit } from "../../../db/commit.ts";
import { asJson, type KubeObject, type Millis, type Uid } from "../../objects/object.ts";
import {
  type Decision,
  type Deletion,
  type EventNote,
  type Patch,
  SWEEP_NAMES,
  type SweepName,
} from "../../sweeps/decision.ts";
import { jobDueAt } from "../../sweeps/jobs.ts";
import { countLateness } from "../../sweeps/lateness.ts";
import { earlier } from "../../sweeps/object-fields.ts";
import { COUNTED } from "../../sweeps/pods.ts";
import { permitted, type Report } from "../../sweeps/report-only.ts";
import { sweepAtAfterLook } from "../../sweeps/sweep-at.ts";
import { decideDelete } from "../decide/delete.ts";
import { decideUpdate } from "../decide/update.ts";
import { storedKind } from "../drain/stored-kind.ts";
import { planWrite } from "../plan.ts";
import type { CauseOfDeletion, Write } from "../write.ts";
import { actorOf } from "./actor.ts";
import type { Asked } from "./asks.ts";
import { eventTask } from "./event.ts";
import type { SweptObject } from "./swept-objects.ts";
import type { Tally } from "./tally.ts";
import { LOOK_AFTER_FAULT, type SweepView, type Verdict } from "./view.ts";

/** What is only reported is reported again after this. */
const REPORT_AGAIN = 3_600_000;
/** What was asked and never answered is looked at again after this, should the part that waits for the answer be lost. */
const ASK_AGAIN = 60_000;
/** What should have gone, or is going already, is looked at again after this. */
const TRY_AGAIN = 60_000;
const LEAST_WAIT = 1_000;
/** The most bytes of bodies that one batch writes again. */
const WRITTEN_BYTES = 1_000_000;

export interface Acting {
  view: SweepView;
  commit: OpenCommit;
  tally: Tally;
  /** In a dry run nothing is written, not even when to look again. */
  dryRun: boolean;
}

export interface Acted {
  /** What did not fit into the batch: not looked at. */
  left: Set<Uid>;
  asked: (Omit<Asked, "part"> & { sweep: SweepName })[];
}

/**
 * Carries out what sweeps decided: for each object the first decision, in the order of the sweeps, that changes something.
 * All of it goes into one batch, which is refused when an object is not as it was read.
 */
export function act(verdicts: readonly Verdict[], acting: Acting): Acted {
  const acted: Acted = { left: new Set(), asked: [] };
  const byObject = Map.groupBy(verdicts, ({ swept }) => swept.stored.uid);
  let bytes = 0;
  for (const [uid, all] of byObject) {
    const [first] = all;
    if (first === undefined) continue;
    const allowed = [...all]
      .sort((a, b) => SWEEP_NAMES.indexOf(a.sweep) - SWEEP_NAMES.indexOf(b.sweep))
      .map(({ sweep, decision }) => ({ sweep, decision: permitted(decision, sweep, acting.view.settings) }));
    const written = allowed.find(({ decision }) => isWrite(decision));
    if (written !== undefined) {
      bytes += first.swept.row.size;
      if (bytes > WRITTEN_BYTES && bytes > first.swept.row.size) {
        acted.left.add(uid);
        continue;
      }
    }
    const looked = new Map<SweepName, Millis | null>();
    for (const { sweep, decision } of allowed) {
      const next = nextLook(decision, acting.view.now);
      looked.set(sweep, looked.has(sweep) ? earlier(looked.get(sweep) ?? null, next) : next);
      report(sweep, decision, first.swept, acting, acted);
    }
    if (written === undefined) leaveMoment(first.swept, looked, acting);
    else write(written, first.swept, looked, acting);
    // An answer was for this decision only.
    if (!acted.asked.some((asked) => asked.uid === uid)) acting.view.asks.used(uid);
  }
  return acted;
}

type Allowed = Decision | Report;

const isWrite = ({ act }: Allowed): boolean =>
  act === "delete" || act === "patch" || act === "patch-then-delete";

function nextLook(decision: Allowed, now: Millis): Millis | null {
  switch (decision.act) {
    case "keep":
    case "skip":
    case "patch":
      return decision.next;
    case "report":
      // A terminated Pod stays among those that are counted.
      return wouldRule(decision.would) === "terminated" ? COUNTED : now + REPORT_AGAIN;
    case "ask":
      return now + ASK_AGAIN;
    case "delete":
    case "patch-then-delete":
      return null;
  }
}

/** What is told about decisions that write nothing. */
function report(
  sweep: SweepName,
  decision: Allowed,
  swept: SweptObject,
  { tally, commit, view }: Acting,
  acted: Acted,
): void {
  switch (decision.act) {
    case "keep":
      addEvents(commit, decision.events ?? [], "done", view.now);
      return;
    case "skip":
      tally.count(sweep, "skipped", swept.object, decision.problem);
      return;
    case "ask":
      acted.asked.push({ sweep, uid: swept.stored.uid, question: decision.question });
      return;
    case "report":
      tally.count(sweep, "reported", swept.object, wouldReason(decision.would), wouldRule(decision.would));
      return;
    default:
      return;
  }
}

function wouldReason(would: Report["would"]): string {
  switch (would.act) {
    case "delete":
    case "patch-then-delete":
      return would.deletion.reason;
    case "patch":
      return `would be changed: ${would.reason}`;
    case "ask":
      return `would be ${would.question.ask === "recycle-volume" ? "recycled" : "freed"}`;
  }
}

const wouldRule = (would: Report["would"]): string | undefined =>
  "deletion" in would ? would.deletion.rule : undefined;

/** Stores when sweeps have to look again at an object that they did not write. */
export function leaveMoment(
  { stored, object, row }: SweptObject,
  looked: ReadonlyMap<SweepName, Millis | null>,
  { view, commit, dryRun }: Acting,
): void {
  if (dryRun) return;
  const kind = storedKind(stored.resource, view.kinds);
  const wanted = sweepAtAfterLook(object, kind, view.settings, looked);
  // Whoever wants to look again at once waits a little, or would look for ever.
  const sweepAt = wanted === null || wanted > view.now ? wanted : view.now + LEAST_WAIT;
  if (sweepAt === row.sweep_at) return;
  commit.looked.push({ uid: stored.uid, expected: stored.resourceVersion, sweepAt });
}

/** Adds a decision that changes something to the batch, or says why it cannot be carried out. */
function write(
  { sweep, decision }: { sweep: SweepName; decision: Allowed },
  swept: SweptObject,
  looked: Map<SweepName, Millis | null>,
  acting: Acting,
): void {
  const { view, commit, tally } = acting;
  const deletion = "deletion" in decision ? decision.deletion : undefined;
  const events = deletion?.events ?? (decision.act === "patch" ? decision.events : []);
  const reason = deletion?.reason ?? (decision.act === "patch" ? decision.reason : "");
  const planned = plannedWrite(sweep, decision, swept, looked, acting);
  addEvents(commit, events, "before", view.now);
  if ("failure" in planned) {
    tally.count(sweep, "failed", swept.object, `${reason}; ${planned.failure}`, deletion?.rule);
    addEvents(commit, events, "failed", view.now, planned.failure);
  }
  if ("failure" in planned || planned.write === undefined) {
    looked.set(sweep, view.now + ("failure" in planned ? LOOK_AFTER_FAULT : TRY_AGAIN));
    leaveMoment(swept, looked, acting);
    return;
  }
  const context = { namespace: view.store.namespace, kinds: view.kinds, ownerOf: () => undefined };
  planWrite(commit, planned.write, planned.cause, context);
  tally.count(sweep, deletion ? "deleted" : "patched", swept.object, reason, deletion?.rule);
  if (deletion?.rule === "job-ttl") countLate(swept.object, acting);
  addEvents(commit, events, "done", view.now);
}

type Planned = { write: Write | undefined; cause: CauseOfDeletion | undefined } | { failure: string };

/** As a request for the same would be decided. */
function plannedWrite(
  sweep: SweepName,
  decision: Allowed,
  swept: SweptObject,
  looked: ReadonlyMap<SweepName, Millis | null>,
  { view }: Acting,
): Planned {
  const { stored } = swept;
  const kind = storedKind(stored.resource, view.kinds);
  switch (decision.act) {
    case "patch": {
      const patched = patch(sweep, decision.patch, swept, view);
      if ("failure" in patched || "removes" in patched) {
        return "failure" in patched
          ? patched
          : { write: { op: "remove", kind, stored, first: undefined }, cause: undefined };
      }
      if (patched.object === stored.object) return { write: undefined, cause: undefined };
      const sweepAt = sweepAtAfterLook(patched.object, kind, view.settings, looked);
      return { write: { op: "update", kind, stored, next: patched.object, sweepAt }, cause: undefined };
    }
    case "delete":
      return remove(sweep, decision.deletion, swept, stored.object, view);
    case "patch-then-delete": {
      const patched = patch(sweep, decision.patch, swept, view);
      if ("failure" in patched) return patched;
      if ("removes" in patched) {
        return { write: { op: "remove", kind, stored, first: undefined }, cause: undefined };
      }
      return remove(sweep, decision.deletion, swept, patched.object, view);
    }
    default:
      return { write: undefined, cause: undefined };
  }
}

type Patched = { object: KubeObject } | { removes: true } | { failure: string };

function patch(sweep: SweepName, { next, subresource }: Patch, swept: SweptObject, view: SweepView): Patched {
  const { stored } = swept;
  const kind = storedKind(stored.resource, view.kinds);
  const decided = decideUpdate(stored.object, asJson(next), {
    kind,
    verb: "update",
    subresource: kind.subresources.some(({ name }) => name === subresource) ? subresource : undefined,
    now: view.now,
    tracking: { manager: actorOf(sweep, undefined, stored.object), through: subresource, schema: undefined },
  });
  if (!decided.ok) return { failure: failureText(decided.failure) };
  const { decision } = decided.value;
  switch (decision.outcome) {
    case "same":
      return { object: stored.object };
    case "write":
      return { object: decision.next };
    case "remove":
      return { removes: true };
  }
}

/** @param object as it is stored, or as it has just been patched */
function remove(
  sweep: SweepName,
  { rule, options, cause }: Deletion,
  { stored }: SweptObject,
  object: KubeObject,
  view: SweepView,
): Planned {
  const kind = storedKind(stored.resource, view.kinds);
  const version = kind.versions[0] ?? "v1";
  const decided = decideDelete(object, options, { kind, version, now: view.now });
  if (!decided.ok) return { failure: failureText(decided.failure) };
  const why: CauseOfDeletion = {
    rule,
    actor: actorOf(sweep, rule, object),
    policy: options.propagationPolicy ?? "Background",
    cause: cause ?? null,
  };
  const isPatched = object !== stored.object;
  switch (decided.value.outcome) {
    case "pending":
      return { write: undefined, cause: undefined };
    case "keep": {
      const { changed, next } = decided.value;
      if (!changed && !isPatched) return { write: undefined, cause: undefined };
      return { write: { op: "update", kind, stored, next: changed ? next : object }, cause: why };
    }
    case "remove": {
      const first = decided.value.first ?? (isPatched ? object : undefined);
      return { write: { op: "remove", kind, stored, first }, cause: why };
    }
  }
}

/** How late a finished Job goes. */
function countLate(job: KubeObject, { view, commit }: Acting): void {
  const due = jobDueAt(job, view.settings.sweeps.jobs) ?? view.now;
  for (const [label, more] of countLateness(view.now - due)) commit.counts.push(["job-ttl", label, more]);
}

const failureText = (failure: { reason: string; message?: string }): string =>
  failure.message ?? failure.reason;

function addEvents(
  commit: OpenCommit,
  notes: readonly EventNote[],
  when: EventNote["when"],
  now: Millis,
  error = "",
): void {
  for (const note of notes) {
    if (note.when === when) commit.work.push(eventTask(note, commit.work.length, now, error));
  }
}
