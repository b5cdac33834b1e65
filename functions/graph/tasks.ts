import type { WorkRow } from "../../db/commit.ts";
import type { JsonObject } from "../objects/json.ts";
import type { Millis } from "../objects/object.ts";

/**
 * The tasks of the outbox. A row is (task, uid), and lives in the namespace whose graph object does it.
 * Stage 0 goes before stage 2, so that an owner is looked at after its dependents were.
 *
 * | task | uid | what is done |
 * |---|---|---|
 * | examine | an object | decide from its owner references: keep, release, delete |
 * | dependents | an owner that is absent or in foreground deletion | examine its dependents in this namespace |
 * | release | an owner in orphan deletion | take the references to it out of its dependents in this namespace |
 * | event | the object an event is about | write the event |
 * | namespace | a terminating Namespace | delete its content |
 * | instances | a terminating CustomResourceDefinition | delete its objects in this namespace |
 * | owner | an owner in foreground or orphan deletion | take the finalizer off when no dependent is left |
 * | finalize | a terminating Namespace or CustomResourceDefinition | finish it when its content has gone |
 * | served | a CustomResourceDefinition that was established | examine the dependents of owners that are absent |
 * | names | a CustomResourceDefinition that gave up names | grant them to those of its group that asked for them |
 * | sweep | a part of a run of a sweep | look at the objects that its detail names |
 * | scan | a run of a sweep | go through the cluster for what the sweep has to look at |
 * | count | none | count the terminated Pods of the cluster |
 * | quarantine | the name of a Node that is missing | when it still is, look at its Pods |
 * | moments | none | compute anew, for all objects, when sweeps have to look at them |
 */
export type Task =
  | "examine"
  | "dependents"
  | "release"
  | "event"
  | "namespace"
  | "instances"
  | "owner"
  | "finalize"
  | "served"
  | "names"
  | "sweep"
  | "scan"
  | "count"
  | "quarantine"
  | "moments";

const row = (
  namespace: string,
  task: Task,
  uid: string,
  stage: 0 | 1 | 2,
  more: Partial<Pick<WorkRow, "detail" | "dueAt">> = {},
): WorkRow => ({ namespace, task, uid, stage, detail: null, dueAt: 0, ...more });

export const TASKS = {
  examine: (namespace: string, uid: string) => row(namespace, "examine", uid, 0),
  /** Only the dependents whose reference blocks the owner. */
  blockingDependents: (namespace: string, owner: string) =>
    row(namespace, "dependents", owner, 0, { detail: "blocking" }),
  release: (namespace: string, owner: string) => row(namespace, "release", owner, 0),
  event: (namespace: string, about: string, event: JsonObject) =>
    row(namespace, "event", about, 0, { detail: JSON.stringify(event) }),
  namespace: (namespace: string, uid: string) => row(namespace, "namespace", uid, 1),
  instances: (namespace: string, definition: string, resource: string) =>
    row(namespace, "instances", definition, 1, { detail: resource }),
  owner: (namespace: string, owner: string) => row(namespace, "owner", owner, 2),
  finalize: (uid: string) => row("", "finalize", uid, 2),
  served: (definition: string) => row("", "served", definition, 1),
  names: (definition: string, group: string) => row("", "names", definition, 1, { detail: group }),
  /** `part`: unlike that of any other part. */
  sweep: (namespace: string, part: string, detail: object, dueAt: Millis = 0) =>
    row(namespace, "sweep", part, 1, { detail: JSON.stringify(detail), dueAt }),
  scan: (run: string) => row("", "scan", run, 2),
  count: (dueAt: Millis) => row("", "count", "", 2, { dueAt }),
  quarantine: (node: string, until: Millis) => row("", "quarantine", node, 1, { dueAt: until }),
  moments: () => row("", "moments", "", 2),
};
