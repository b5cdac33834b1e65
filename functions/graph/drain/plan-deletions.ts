import type { OpenCommit } from "../../../db/commit.ts";
import { type ObjectRow, READ_OBJECTS } from "../../../db/reads.ts";
import type { GroupResource, Uid } from "../../objects/object.ts";
import { decideDelete } from "../decide/delete.ts";
import { ownPolicy } from "../decide/own-policy.ts";
import { unblocked, withoutOwners } from "../decide/owners.ts";
import type { GraphStore } from "../graph-store.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import { namesWhatFollows, planAftermath, planWrite } from "../plan.ts";
import { type StoredObject, storedObject } from "../stored-object.ts";
import type { CauseOfDeletion } from "../write.ts";
import { storedKind } from "./stored-kind.ts";

/** What is to happen to one object that was found by a set query. */
export interface Target {
  uid: Uid;
  resource: GroupResource;
  resourceVersion: number;
  plain: boolean;
  /** Of the body, in bytes: what it costs to look inside. */
  size: number;
  name: string;
  /** JSON text; asked for of plain ones only. */
  labels: string;
  /** All that it names, whatever has become of them; asked for of plain ones only. */
  owners: readonly string[];
  action: TargetAction;
}

export type TargetAction =
  | {
      act: "delete";
      /** `own`: as the finalizers on the object say. */
      policy: "Background" | "Foreground" | "own";
      rule: CauseOfDeletion["rule"];
      actor: string;
      cause: Uid;
      /** Makes its own references block no more, to break a cycle of owners that wait for each other. */
      unblock: boolean;
    }
  /** `sole`: it names nobody else, and nothing follows from that it names nobody any more. */
  | { act: "release"; owners: readonly Uid[]; sole?: boolean };

/**
 * A plain object that goes in the background is removed by its uid alone, and one that is released from its only owner
 * loses the reference in the database; others have to be looked into.
 */
export function needsBody({ plain, action, resource }: Target): boolean {
  if (action.act === "release") return action.sole !== true;
  return !(plain && !namesWhatFollows(resource) && action.policy !== "Foreground");
}

/** Adds what happens to the targets to a commit. Bodies are read only for those that need it. */
export async function planTargets(
  commit: OpenCommit,
  targets: readonly Target[],
  store: GraphStore,
  kinds: ClusterKinds,
): Promise<void> {
  const inside = targets.filter(needsBody);
  const stored = inside.length > 0 ? await readTargets(inside, store, kinds) : new Map<Uid, StoredObject>();
  for (const target of targets) {
    const { action, uid } = target;
    if (!needsBody(target) && action.act === "release") {
      const [owner = ""] = action.owners;
      commit.released.push({ uid, owner, expected: target.resourceVersion });
      // Whether it waits for it, after another DELETE, is asked in the batch.
      commit.ownersDue.push(owner);
      continue;
    }
    if (!needsBody(target) && action.act === "delete") {
      const { rule, actor, cause } = action;
      commit.removals.push({
        uid,
        resource: target.resource,
        name: target.name,
        labels: target.labels,
        owners: target.owners,
        expected: target.resourceVersion,
        rule,
        actor,
        cause,
        policy: "Background",
      });
      // Whether one of them waits for it is asked in the batch: it may begin to between the read and the batch.
      commit.ownersDue.push(...target.owners);
      planAftermath(commit, target.resource, undefined, { namespace: store.namespace, kinds });
      continue;
    }
    const found = stored.get(uid);
    // Gone or changed since it was found: the next look will tell.
    if (found === undefined || found.resourceVersion !== target.resourceVersion) continue;
    planTarget(commit, action, found, store.namespace, kinds);
  }
}

function planTarget(
  commit: OpenCommit,
  action: TargetAction,
  stored: StoredObject,
  namespace: string,
  kinds: ClusterKinds,
): void {
  const kind = storedKind(stored.resource, kinds);
  const context = { namespace, kinds, ownerOf: () => undefined };
  if (action.act === "release") {
    const next = withoutOwners(stored.object, action.owners);
    planWrite(commit, { op: "update", kind, stored, next }, undefined, context);
    return;
  }
  const object = action.unblock ? unblocked(stored.object) : stored.object;
  const policy = action.policy === "own" ? ownPolicy(object) : action.policy;
  const version = kind.versions[0] ?? "v1";
  const decided = decideDelete(
    object,
    { propagationPolicy: policy, uid: stored.uid, dryRun: false },
    { kind, version, now: commit.now },
  );
  if (!decided.ok) return;
  const { rule, actor, cause } = action;
  const why: CauseOfDeletion = { rule, actor, cause, policy };
  switch (decided.value.outcome) {
    case "pending":
      return;
    case "keep":
      if (!decided.value.changed) return;
      planWrite(commit, { op: "update", kind, stored, next: decided.value.next }, why, context);
      return;
    case "remove":
      planWrite(commit, { op: "remove", kind, stored, first: decided.value.first }, why, context);
      return;
  }
}

async function readTargets(
  targets: readonly Target[],
  store: GraphStore,
  kinds: ClusterKinds,
): Promise<Map<Uid, StoredObject>> {
  const { results } = await store.db
    .prepare(READ_OBJECTS)
    .bind(store.cluster, JSON.stringify(targets.map((target) => target.uid)))
    .all<ObjectRow>();
  const found = new Map<Uid, StoredObject>();
  for (const row of results) {
    const kind = storedKind(row.resource as GroupResource, kinds);
    found.set(row.uid as Uid, storedObject(row, kind, kind.versions[0] ?? "v1"));
  }
  return found;
}
