import type { ObjectRow } from "../../../../db/reads.ts";
import {
  COUNTED_DEPENDENTS,
  READ_DEPENDENTS_SLIM,
  READ_REVISION_HASHES,
  READ_SWEPT,
  type SweptRow,
} from "../../../../db/sweeps.ts";
import { asUid, type KubeObject } from "../../../objects/object.ts";
import { decideJobHistory, withoutActiveJobs } from "../../../sweeps/cronjobs.ts";
import { type Decision, type Deleted, keep, skip } from "../../../sweeps/decision.ts";
import { controllerOf } from "../../../sweeps/object-fields.ts";
import { permitted } from "../../../sweeps/report-only.ts";
import { decideRevisions } from "../../../sweeps/revisions.ts";
import { type SweptObject, withBodies } from "../swept-objects.ts";
import { LOOK_AFTER_FAULT, objectOfRow, type SweepView, type Verdict, verdict } from "../view.ts";
import type { Look } from "./looks.ts";

/** Owners whose dependents are counted, and what is counted of each. */
const DEPENDENTS: Readonly<Record<string, { resource: string; without: string }>> = {
  "cronjobs.batch": { resource: "jobs.batch", without: "$.spec.template" },
  "deployments.apps": { resource: "replicasets.apps", without: "$.metadata.managedFields" },
  "statefulsets.apps": { resource: "controllerrevisions.apps", without: "$.metadata.managedFields" },
  "daemonsets.apps": { resource: "controllerrevisions.apps", without: "$.metadata.managedFields" },
};

/**
 * History is counted by owner: an owner, or one of what it controls, was found due; read are the owner and all that it
 * controls. What is beyond the limit gets its verdict, and what was found due is done with.
 */
export const lookAtHistories =
  (sweep: "cronjobs" | "revisions"): Look =>
  async (objects, view) => {
    const owners = await ownersOf(objects, view);
    const verdicts = objects.map((swept) => verdict(sweep, swept, view, () => keep("was counted")));
    const problems = new Map<string, string>();
    for (const owner of owners) {
      const dependents = await readDependents(owner, view);
      if (dependents === undefined) {
        problems.set(
          owner.stored.uid,
          `has more than ${COUNTED_DEPENDENTS} dependents, which are not counted`,
        );
        continue;
      }
      const beyond = await judge(sweep, owner, dependents, view);
      verdicts.push(...(await whole(beyond, view)).map((found) => ({ sweep, ...found })));
      if (sweep === "cronjobs") verdicts.push(...statusVerdict(owner, beyond, view));
    }
    return verdicts.map((given) => {
      const { uid } = given.swept.stored;
      const problem = problems.get(uid) ?? problems.get(controllerOf(given.swept.object)?.uid ?? "");
      return problem === undefined || given.decision.act !== "keep"
        ? given
        : { ...given, decision: skip(problem, view.now + LOOK_AFTER_FAULT) };
    });
  };

/** Those among the objects, and those that control one of them, each once. */
async function ownersOf(objects: readonly SweptObject[], view: SweepView): Promise<SweptObject[]> {
  const owners = new Map<string, SweptObject>();
  const named = new Set<string>();
  for (const swept of objects) {
    if (Object.hasOwn(DEPENDENTS, swept.stored.resource)) owners.set(swept.stored.uid, swept);
    else named.add(controllerOf(swept.object)?.uid ?? "");
  }
  const missing = [...named].filter((uid) => !owners.has(uid));
  for (const swept of await readSwept(missing, view)) {
    if (Object.hasOwn(DEPENDENTS, swept.stored.resource)) owners.set(swept.stored.uid, swept);
  }
  return [...owners.values()];
}

async function readSwept(uids: readonly string[], { store, kinds }: SweepView): Promise<SweptObject[]> {
  if (uids.length === 0) return [];
  const { results } = await store.db
    .prepare(READ_SWEPT)
    .bind(store.cluster, store.namespace, JSON.stringify(uids))
    .all<SweptRow>();
  return (await withBodies(results, store, kinds)).objects;
}

/** Undefined when there are too many to be sure. */
async function readDependents(owner: SweptObject, view: SweepView): Promise<KubeObject[] | undefined> {
  const { store, kinds } = view;
  const what = DEPENDENTS[owner.stored.resource];
  if (what === undefined) return [];
  const { results } = await store.db
    .prepare(READ_DEPENDENTS_SLIM)
    .bind(store.cluster, store.namespace, JSON.stringify([owner.stored.uid]), what.resource, what.without)
    .all<ObjectRow>();
  return results.length > COUNTED_DEPENDENTS ? undefined : results.map((row) => objectOfRow(row, kinds));
}

interface Beyond {
  object: KubeObject;
  decision: Deleted;
}

async function judge(
  sweep: "cronjobs" | "revisions",
  owner: SweptObject,
  dependents: readonly KubeObject[],
  view: SweepView,
): Promise<Beyond[]> {
  const { settings, store } = view;
  if (sweep === "cronjobs") {
    return decideJobHistory(owner.object, dependents, settings.sweeps.cronjobs).map(({ job, decision }) => ({
      object: job,
      decision,
    }));
  }
  const liveHashes = new Set<string>();
  if (owner.stored.resource !== "deployments.apps") {
    const { results } = await store.db
      .prepare(READ_REVISION_HASHES)
      .bind(store.cluster, store.namespace, JSON.stringify([owner.stored.uid]))
      .all<{ hash: string | null }>();
    for (const { hash } of results) if (hash !== null) liveHashes.add(hash);
  }
  const facts = { revisions: dependents, liveHashes };
  return decideRevisions(owner.object, facts, settings.sweeps.revisions).map(({ revision, decision }) => ({
    object: revision,
    decision,
  }));
}

/** What goes is read whole: its body is kept with its deletion. Those that are too much for now are found again. */
async function whole(
  beyond: readonly Beyond[],
  view: SweepView,
): Promise<{ swept: SweptObject; decision: Decision }[]> {
  const decisions = new Map(
    beyond.map(({ object, decision }) => [object.metadata.uid, { object, decision }]),
  );
  const read = await readSwept([...decisions.keys()].slice(0, MOST_TOGETHER), view);
  return read.flatMap((swept) => {
    const found = decisions.get(swept.stored.uid);
    // Written since it was counted: then it is due again by itself.
    if (found === undefined) return [];
    if (found.object.metadata.resourceVersion !== swept.object.metadata.resourceVersion) return [];
    return [{ swept, decision: found.decision }];
  });
}

/** So many of one owner go in one slice. */
const MOST_TOGETHER = 200;

/** A Job that goes is taken from the status of its CronJob. */
function statusVerdict(owner: SweptObject, beyond: readonly Beyond[], view: SweepView): Verdict[] {
  const [first] = beyond;
  if (first === undefined || permitted(first.decision, "cronjobs", view.settings).act === "report") return [];
  const gone = new Set(beyond.map(({ object }) => asUid(object.metadata.uid)));
  const next = withoutActiveJobs(owner.object, gone);
  // Beyond what one slice takes, the CronJob is looked at again.
  const again = beyond.length > MOST_TOGETHER ? view.now : null;
  if (next === undefined) {
    return again === null
      ? []
      : [{ sweep: "cronjobs", swept: owner, decision: keep("more Jobs are beyond its limits", again) }];
  }
  const patch = { next, subresource: "status" as const };
  const reason = "Jobs it listed are gone";
  return [
    { sweep: "cronjobs", swept: owner, decision: { act: "patch", patch, reason, next: again, events: [] } },
  ];
}
