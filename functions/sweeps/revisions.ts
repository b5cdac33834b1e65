import type { KubeObject, Millis } from "../objects/object.ts";
import { controllerRevisionHistory } from "./controllerrevision-history.ts";
import { type Deleted, remove } from "./decision.ts";
import { controllerKind, controllerOf, dueNow, isTerminating, specOf } from "./object-fields.ts";
import { replicaSetHistory } from "./replicaset-history.ts";
import type { SweepSwitch } from "./settings.ts";

const OWNERS: Readonly<Record<string, string>> = {
  Deployment: "ReplicaSet",
  StatefulSet: "ControllerRevision",
  DaemonSet: "ControllerRevision",
};

/** `Deployment.apps` and the others as a controller reference names them. */
const OWNER_KINDS: ReadonlySet<string> = new Set(Object.keys(OWNERS).map((kind) => `${kind}.apps`));

/**
 * History is counted by owner: due is an owner that was written, since its limit or its rollout may have changed, and a
 * revision of one. Read for it: the owner, its dependents by `owner_refs`, and for ControllerRevisions its Pods.
 */
export function revisionDueAt(object: KubeObject, settings: SweepSwitch): Millis | null {
  if (!settings.enabled || isTerminating(object)) return null;
  if (Object.hasOwn(OWNERS, object.kind)) return historyLimit(object) === null ? null : dueNow(object);
  return OWNER_KINDS.has(controllerKind(object) ?? "") ? dueNow(object) : null;
}

/** The largest 32-bit number means no limit, as no limit does; a negative one is none too. */
function historyLimit(owner: KubeObject): number | null {
  const limit = specOf(owner).revisionHistoryLimit;
  const isLimit = typeof limit === "number" && Number.isInteger(limit) && limit >= 0 && limit < 2 ** 31 - 1;
  return isLimit ? limit : null;
}

export interface RevisionFacts {
  /** ReplicaSets or ControllerRevisions of the owner's namespace; those it does not control are left out. */
  revisions: readonly KubeObject[];
  /** Labels `controller-revision-hash` of the Pods it controls; not asked for with a Deployment. */
  liveHashes: ReadonlySet<string>;
}

/**
 * The old ReplicaSets of a Deployment, or ControllerRevisions of a StatefulSet or DaemonSet, beyond its
 * `revisionHistoryLimit`. An owner that is being deleted keeps them: they go with it. When it cannot be told which
 * revision is the current one, none goes.
 *
 * Source: kubernetes `controller/deployment` (cleanupDeployment), `controller/statefulset` (truncateHistory),
 * `controller/daemon` (cleanupHistory).
 */
export function decideRevisions(
  owner: KubeObject,
  facts: RevisionFacts,
  settings: SweepSwitch,
): { revision: KubeObject; decision: Deleted }[] {
  const limit = historyLimit(owner);
  if (!settings.enabled || isTerminating(owner) || limit === null) return [];
  const revisions = facts.revisions.filter(
    (revision) => revision.kind === OWNERS[owner.kind] && controllerOf(revision)?.uid === owner.metadata.uid,
  );
  const rule = owner.kind === "Deployment" ? "replicaset-history" : "controllerrevision-history";
  const beyond =
    owner.kind === "Deployment"
      ? replicaSetHistory(owner, revisions, limit)
      : controllerRevisionHistory(owner, revisions, facts.liveHashes, limit);
  return beyond.map((revision) => ({
    revision,
    decision: remove(
      revision,
      rule,
      `beyond the revisionHistoryLimit of ${owner.kind} ${owner.metadata.name}, which is ${limit}`,
    ),
  }));
}
