import type { OpenCommit } from "../../db/commit.ts";
import { DELETION_GUARDS } from "../guard/settings.ts";
import { type Deletion, deletionOf, isPlain } from "../objects/deletion.ts";
import { type Json, jsonEqual } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, servesMore } from "../objects/kinds/custom-resource.ts";
import { freesNames, nameClaim } from "../objects/kinds/names-conflict.ts";
import type { KindRegistry } from "../objects/kinds/registry.ts";
import {
  asJson,
  type GroupResource,
  type KubeObject,
  type OwnerReference,
  type Uid,
} from "../objects/object.ts";
import { toStoredBody } from "../objects/stored-body.ts";
import { SWEEP_POLICIES } from "../sweeps/policies.ts";
import type { SweepSettings } from "../sweeps/settings.ts";
import { sweepAt } from "../sweeps/sweep-at.ts";
import { linkProblem, type OwnerFacts, protects } from "./decide/classify.ts";
import { specFinalizers } from "./decide/delete-namespace.ts";
import { invalidNamespaceEvent } from "./decide/invalid-namespace-event.ts";
import { FINALIZER_KUBERNETES } from "./decide/namespace-progress.ts";
import { TASKS } from "./tasks.ts";
import type { CauseOfDeletion, Write } from "./write.ts";

export interface PlanContext {
  namespace: string;
  kinds: KindRegistry & { readonly settings: SweepSettings };
  /** Where the owners are that a written object names for the first time. */
  ownerOf(uid: Uid): OwnerFacts | undefined;
}

/**
 * Adds a write to a commit, with everything that follows from it: index rows, the record of a deletion that
 * begins or ends, and the work that becomes due. Pure but for the commit it fills.
 *
 * The transitions are those of the collector's graph (kubernetes graph_builder.go, processTransitions and
 * addUnblockedOwnersToDeleteQueue).
 *
 * @param cause why; may be left out only when no deletion begins
 * @param body what is stored, where the caller has it already
 */
export function planWrite(
  commit: OpenCommit,
  write: Write,
  cause: CauseOfDeletion | undefined,
  context: PlanContext,
  body?: string,
): void {
  planKinds(commit, write.kind.storedAs);
  switch (write.op) {
    case "create":
      planCreate(commit, write, context, body);
      break;
    case "update":
      planUpdate(commit, write, write.next, cause, context, body);
      break;
    case "remove":
      if (write.first) planUpdate(commit, write, write.first, cause, context, body);
      planRemoval(commit, write, cause, context);
      break;
  }
  if (write.kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS) planDefinition(commit, write);
}

/** What sweeps are held to. */
const SETTINGS: ReadonlySet<string> = new Set([SWEEP_POLICIES, DELETION_GUARDS]);

/** Whoever caches what is served and how it is swept has to read it again; with the settings all moments change. */
function planKinds(commit: OpenCommit, resource: GroupResource): void {
  if (resource === CUSTOM_RESOURCE_DEFINITIONS) commit.changesKinds = true;
  if (SETTINGS.has(resource)) {
    commit.changesKinds = true;
    commit.work.push(TASKS.moments());
  }
}

/** What follows for others from a definition: references can be resolved that could not be, names become free. */
function planDefinition(commit: OpenCommit, write: Write): void {
  const before = write.op === "create" ? undefined : asJson(write.stored.object);
  const next = write.op === "create" ? write.object : write.op === "update" ? write.next : undefined;
  const after = next && asJson(next);
  if (next && after && servesMore(before, after)) commit.work.push(TASKS.served(next.metadata.uid));
  const claim = before && nameClaim(before);
  if (write.op !== "create" && claim && freesNames(claim, after && nameClaim(after))) {
    commit.work.push(TASKS.names(write.stored.uid, claim.group));
  }
}

function planCreate(
  commit: OpenCommit,
  { kind, object }: Write & { op: "create" },
  context: PlanContext,
  body = toStoredBody(object),
): void {
  const { metadata } = object;
  commit.creates.push({
    resource: kind.storedAs,
    name: metadata.name,
    uid: metadata.uid,
    plain: isPlain(metadata, kind),
    sweepAt: sweepAt(object, kind, context.kinds.settings),
    body,
    hasLabels: Object.keys(metadata.labels ?? {}).length > 0,
    hasOwners: (metadata.ownerReferences ?? []).length > 0,
  });
  if (isCollected(kind)) planLinks(commit, object, metadata.ownerReferences ?? [], context);
}

function planUpdate(
  commit: OpenCommit,
  { kind, stored, ...write }: Write & { op: "update" | "remove" },
  next: KubeObject,
  cause: CauseOfDeletion | undefined,
  context: PlanContext,
  body = toStoredBody(next),
): void {
  const before = stored.object.metadata;
  const after = next.metadata;
  const deletion = deletionOf(after);
  const ownersBefore = before.ownerReferences ?? [];
  const ownersAfter = after.ownerReferences ?? [];
  const ownersChanged = !jsonEqual(ownersBefore as unknown as Json, ownersAfter as unknown as Json);
  commit.updates.push({
    uid: stored.uid,
    expected: stored.resourceVersion,
    deletion,
    plain: isPlain(after, kind),
    sweepAt:
      "sweepAt" in write && write.sweepAt !== undefined
        ? write.sweepAt
        : sweepAt(next, kind, context.kinds.settings),
    body,
    labelsChanged: !jsonEqual(before.labels ?? {}, after.labels ?? {}),
    ownersChanged,
  });
  if (ownersChanged) {
    commit.ownersDue.push(...unblockedOwners(ownersBefore, ownersAfter));
    const added = ownersAfter.filter(
      (reference) => !ownersBefore.some((old) => sameReference(old, reference)),
    );
    if (isCollected(kind)) {
      planLinks(commit, next, added, context);
      planUnprotected(commit, next, ownersBefore, context);
    }
  }
  if (deletion !== null) planDeletion(commit, { kind, stored }, next, deletion, cause, context);
}

/** The policy that comes true: said, set by hand as a finalizer, or the default of the kind. */
const POLICY: Record<Deletion, CauseOfDeletion["policy"]> = {
  foreground: "Foreground",
  orphan: "Orphan",
  terminating: "Background",
};

/** What follows from an object's deletion beginning, or from what it waits for having changed. */
function planDeletion(
  commit: OpenCommit,
  { kind, stored }: Pick<Write & { op: "update" }, "kind" | "stored">,
  next: KubeObject,
  deletion: Deletion,
  cause: CauseOfDeletion | undefined,
  context: PlanContext,
): void {
  if (stored.deletion === null) {
    if (cause === undefined) throw new Error(`a deletion of ${stored.uid} begins without a cause`);
    if (kind.traits.deletion === "namespace") {
      commit.work.push(TASKS.namespace(next.metadata.name, stored.uid));
    }
    if (kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS) commit.work.push(TASKS.finalize(stored.uid));
  } else if (kind.traits.deletion === "namespace" && isHeldAgain(stored.object, next)) {
    commit.work.push(TASKS.namespace(next.metadata.name, stored.uid));
  }
  if (deletion === stored.deletion) return;
  // Another DELETE may change the policy; the cause that is recorded stays the first one.
  if (cause !== undefined) commit.begun.push({ ...cause, uid: stored.uid, policy: POLICY[deletion] });
  if (deletion === "foreground") commit.dependentsDue.push(stored.uid);
  if (deletion === "orphan") commit.releaseDue.push(stored.uid);
  if (deletion !== "terminating") commit.work.push(TASKS.owner(context.namespace, stored.uid));
}

/** Somebody gave a Namespace that is going the finalizer back that its content is deleted for: nobody else takes it off. */
function isHeldAgain(before: KubeObject, after: KubeObject): boolean {
  return (
    specFinalizers(after).includes(FINALIZER_KUBERNETES) &&
    !specFinalizers(before).includes(FINALIZER_KUBERNETES)
  );
}

/** For the removal of an object whose deletion began before: its record has the cause already, and keeps it. */
const RECORDED: CauseOfDeletion = { rule: "request", actor: "", policy: "Background", cause: null };

function planRemoval(
  commit: OpenCommit,
  { stored, first }: Write & { op: "remove" },
  cause: CauseOfDeletion | undefined,
  context: PlanContext,
): void {
  const { name, labels = {}, ownerReferences = [] } = (first ?? stored.object).metadata;
  commit.removals.push({
    ...(cause ?? RECORDED),
    uid: stored.uid,
    resource: stored.resource,
    name,
    labels: JSON.stringify(labels),
    owners: ownerReferences.map(({ uid }) => uid),
    expected: first ? null : stored.resourceVersion,
  });
  commit.ownersDue.push(...(stored.object.metadata.ownerReferences ?? []).map((reference) => reference.uid));
  planAftermath(commit, stored.resource, stored.object.metadata.name, context);
}

/** What is looked at only because something else went: by resource of what went. */
const MADE_DUE: ReadonlyMap<string, OpenCommit["madeDue"][number]> = new Map([
  ["persistentvolumeclaims", "volumes"],
  ["pods", "claims"],
  ["leases.coordination.k8s.io", "storage-versions"],
]);

/** What a removal makes due for the sweeps. `name` is needed of kinds that `namesWhatFollows`. */
export function planAftermath(
  commit: OpenCommit,
  resource: GroupResource,
  name: string | undefined,
  { namespace, kinds }: Pick<PlanContext, "namespace" | "kinds">,
): void {
  const due = MADE_DUE.get(resource);
  const counts = due !== undefined && (due !== "storage-versions" || namespace === "kube-system");
  if (counts && !commit.madeDue.includes(due)) commit.madeDue.push(due);
  const { pods } = kinds.settings.sweeps;
  if (resource === "nodes" && name !== undefined && pods.enabled) {
    commit.workUnlessDue.push(TASKS.quarantine(name, commit.now + pods.orphanQuarantine));
  }
}

/** Whose removal leaves more to do than its uid tells. */
export const namesWhatFollows = (resource: GroupResource): boolean =>
  resource === "nodes" || SETTINGS.has(resource);

/** Owners that may have been waiting for this dependent: a blocking reference to them went, or blocks no more. */
function unblockedOwners(before: readonly OwnerReference[], after: readonly OwnerReference[]): string[] {
  return before
    .filter((old) => old.blockOwnerDeletion)
    .filter((old) => !after.some((reference) => reference.uid === old.uid && reference.blockOwnerDeletion))
    .map((old) => old.uid);
}

function sameReference(a: OwnerReference, b: OwnerReference): boolean {
  return a.uid === b.uid && a.apiVersion === b.apiVersion && a.kind === b.kind && a.name === b.name;
}

/**
 * A reference that stood in the way of every decision about its dependent is gone: the dependent is due a look.
 *
 * Source: kubernetes garbagecollector.go, where what cannot be decided is tried again and again.
 */
function planUnprotected(
  commit: OpenCommit,
  { metadata }: KubeObject,
  before: readonly OwnerReference[],
  { namespace, kinds }: PlanContext,
): void {
  const left = metadata.ownerReferences ?? [];
  const gone = before.filter((old) => !left.some((reference) => sameReference(old, reference)));
  if (left.length > 0 && gone.some((reference) => protects(reference, namespace, kinds))) {
    commit.work.push(TASKS.examine(namespace, metadata.uid));
  }
}

/** The collector leaves Events alone: they expire. Source: kubernetes garbagecollector, ignoredResources. */
export const isCollected = (kind: Kind): boolean => kind.traits.deletion !== "unsupported";

/**
 * References that were just written: an owner that is not where it is claimed to be makes the dependent due a
 * look; one in a namespace it must not be named from is worth a Warning as well, once for each write.
 */
function planLinks(
  commit: OpenCommit,
  dependent: KubeObject,
  references: readonly OwnerReference[],
  { namespace, kinds, ownerOf }: PlanContext,
): void {
  const { uid } = dependent.metadata;
  let due = false;
  let mismatch = false;
  for (const reference of references) {
    const owner = ownerOf(reference.uid as Uid);
    const problem = linkProblem(reference, owner, namespace, kinds);
    if (problem === "none" && owner?.namespace !== namespace) {
      commit.references.push({ dependent: uid, owner: reference.uid });
    }
    if (problem === "none") continue;
    if (!due) commit.work.push(TASKS.examine(namespace, uid));
    due = true;
    // Only the first owner that is there and is not what is claimed counts; one that is absent is no mismatch.
    if (problem === "wrong-namespace" && !mismatch) {
      commit.work.push(
        TASKS.event(
          namespace === "" ? "default" : namespace,
          uid,
          invalidNamespaceEvent(dependent, reference, commit.now),
        ),
      );
    }
    mismatch ||= owner !== undefined;
  }
}
