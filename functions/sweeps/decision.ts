import type { DeleteOptions } from "../objects/metadata/delete-options.ts";
import type { KubeObject, Millis, Uid } from "../objects/object.ts";
import type { ProviderAnswer } from "./nodes.ts";
import type { ReclaimAnswer } from "./volume-reclaim.ts";

export const SWEEP_NAMES = [
  "orphans",
  "certificatesigningrequests",
  "leases",
  "jobs",
  "cronjobs",
  "pods",
  "persistentvolumes",
  "nodes",
  "events",
  "secrets",
  "revisions",
  "ttl",
] as const;

export type SweepName = (typeof SWEEP_NAMES)[number];

/**
 * What a sweep decides about one object.
 *
 * Invariants: a deletion names the uid that was examined, so that a namesake is never hit; a decision is about the
 * object and the facts it was given and nothing else, so whoever applies it to a fresh read decides again first.
 */
export type Decision = Keep | Skip | Ask | Patched | Deleted | PatchedThenDeleted;

/** Nothing to do. `next` is when to look again without a write in between; null when only a write can change it. */
export interface Keep {
  act: "keep";
  reason: string;
  next: Millis | null;
  events?: readonly EventNote[];
}

/** The object cannot be judged, so nothing happens to it: reported, where `keep` is not. */
export interface Skip {
  act: "skip";
  problem: string;
  next: Millis | null;
}

/** The answer is with somebody outside: ask, put the answer into the facts, decide again. */
export interface Ask {
  act: "ask";
  question: Question;
}

export interface Patched {
  act: "patch";
  patch: Patch;
  reason: string;
  next: Millis | null;
  events: readonly EventNote[];
}

export interface Deleted {
  act: "delete";
  deletion: Deletion;
}

/** When the patch is refused, nothing is deleted. */
export interface PatchedThenDeleted {
  act: "patch-then-delete";
  patch: Patch;
  deletion: Deletion;
}

/** `next` is the whole object as it is to be, with the resourceVersion that was examined. */
export interface Patch {
  next: KubeObject;
  subresource: "status" | undefined;
}

export interface Deletion {
  rule: SweepRule;
  /** For the record of the deletion and the status of the run, in plain English. */
  reason: string;
  options: DeleteOptions;
  /** The uid whose absence caused it, where there is one. */
  cause?: Uid;
  events: readonly EventNote[];
}

/** What an Event says; who writes it adds names, times and counts. */
export interface EventNote {
  /** `before` the change is tried, when it is `done`, or when it `failed`: then the error is appended. */
  when: "before" | "done" | "failed";
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  /** Upstream's `source.component`. */
  component: string;
  about: ObjectReference;
}

export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid: string;
  resourceVersion?: string;
}

/** Why an object was deleted. For Pods these are upstream's values of the metric label `reason`. */
export type SweepRule =
  | "owner-absent"
  | "owner-deleting"
  | "certificate-expired"
  | "request-issued"
  | "request-denied"
  | "request-failed"
  | "request-pending"
  | "request-unissued"
  | "node-lease-abandoned"
  | "identity-lease-expired"
  | "lease-candidate-expired"
  | "storage-version-unserved"
  | "job-ttl"
  | "job-history"
  | "terminated"
  | "out-of-service"
  | "orphaned"
  | "unscheduled"
  | "volume-reclaimed"
  | "instance-absent"
  | "event-ttl"
  | "bootstrap-token-expired"
  | "legacy-token-unused"
  | "replicaset-history"
  | "controllerrevision-history"
  | "ttl";

/** `url`: the endpoint that the cluster's settings name. */
export type Question =
  | { ask: "instance-exists" | "instance-shutdown"; url: string; node: string; providerID: string }
  | { ask: "delete-volume" | "recycle-volume"; url: string; volume: KubeObject };

/** To the first sort of question a `ProviderAnswer`, to the second a `ReclaimAnswer`. */
export type Answer = ProviderAnswer | ReclaimAnswer;

export const keep = (reason: string, next: Millis | null = null): Keep => ({ act: "keep", reason, next });

export const skip = (problem: string, next: Millis | null = null): Skip => ({ act: "skip", problem, next });

/** A deletion of what was examined: `options` come on top of the uid precondition. */
export function deletion(
  object: KubeObject,
  rule: SweepRule,
  reason: string,
  more: { options?: Partial<DeleteOptions>; cause?: Uid; events?: readonly EventNote[] } = {},
): Deletion {
  return {
    rule,
    reason,
    options: { dryRun: false, uid: object.metadata.uid, ...more.options },
    ...(more.cause === undefined ? {} : { cause: more.cause }),
    events: more.events ?? [],
  };
}

export const remove = (...args: Parameters<typeof deletion>): Deleted => ({
  act: "delete",
  deletion: deletion(...args),
});

export function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
