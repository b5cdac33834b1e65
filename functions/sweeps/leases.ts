import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep, remove, skip } from "./decision.ts";
import { createdAt, dueNow, isAbsent, isTerminating, momentOf, secondsOf, specOf } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

type LeaseSettings = SettingsOf<"leases">;

const NODE_LEASES = "kube-node-lease";
const IDENTITY_LEASES = "kube-system";

/** A Node that is gone, or silent for long, is looked for again after this. */
const LOOK_AGAIN = 3_600_000;

/** The newer label first; the older is that of 1.20. */
const IDENTITY_LABELS: readonly (readonly [key: string, value: string])[] = [
  ["apiserver.kubernetes.io/identity", "kube-apiserver"],
  ["k8s.io/component", "kube-apiserver"],
];

type LeaseRole = "node" | "identity" | "candidate" | "other";

/** Leases of leader elections, and all others, belong to nobody here. */
function roleOf({ kind, metadata }: KubeObject): LeaseRole {
  if (kind === "LeaseCandidate") return "candidate";
  if (metadata.namespace === NODE_LEASES) return "node";
  const isIdentity = IDENTITY_LABELS.some(([key, value]) => metadata.labels?.[key] === value);
  return metadata.namespace === IDENTITY_LEASES && isIdentity ? "identity" : "other";
}

/**
 * Whether the Lease stands for an API server that is alive: it has the label, and its time is not over.
 *
 * Source: kubernetes `controlplane/controller/apiserverleasegc` (isLeaseExpired).
 */
export function isValidIdentityLease(lease: KubeObject, now: Millis): boolean {
  const expiry = identityExpiry(lease);
  return roleOf(lease) === "identity" && expiry !== null && now < expiry;
}

/**
 * The first moment after `renewTime` and a duration: strict, since the whole duration belongs to the holder. Without a
 * time or a duration it has expired; null when there is one that cannot be read.
 */
function expiryAfter(lease: KubeObject, duration: { millis: Millis } | { seconds: unknown }): Millis | null {
  const { renewTime } = specOf(lease);
  const renewed = momentOf(renewTime);
  const seconds = "seconds" in duration ? secondsOf(duration.seconds) : duration.millis / 1000;
  if (isAbsent(renewTime) || ("seconds" in duration && isAbsent(duration.seconds))) return dueNow(lease);
  return renewed === null || seconds === null ? null : renewed + seconds * 1000 + 1;
}

const identityExpiry = (lease: KubeObject): Millis | null =>
  expiryAfter(lease, { seconds: specOf(lease).leaseDurationSeconds });

const candidateExpiry = (candidate: KubeObject, settings: LeaseSettings): Millis | null =>
  expiryAfter(candidate, { millis: settings.leaseCandidateValidDuration });

/** A Node Lease may be renewed before its Node is registered, so it must have run out, and some time must have passed. */
function abandonedAt(lease: KubeObject, settings: LeaseSettings): Millis | null {
  const { renewTime, leaseDurationSeconds } = specOf(lease);
  const since = isAbsent(renewTime) ? createdAt(lease) : momentOf(renewTime);
  const seconds = isAbsent(leaseDurationSeconds) ? 0 : secondsOf(leaseDurationSeconds);
  if (since === null || seconds === null) return null;
  const owned = (lease.metadata.ownerReferences ?? []).length > 0;
  const grace = owned ? settings.ownedNodeLeaseGracePeriod : settings.ownerlessNodeLeaseGracePeriod;
  return since + seconds * 1000 + grace + 1;
}

/** Null for a Lease that is nobody's here, and where its times cannot be read. */
function expiryOf(lease: KubeObject, settings: LeaseSettings): Millis | null {
  switch (roleOf(lease)) {
    case "node":
      return abandonedAt(lease, settings);
    case "identity":
      return identityExpiry(lease);
    case "candidate":
      return candidateExpiry(lease, settings);
    case "other":
      return null;
  }
}

export function leaseDueAt(lease: KubeObject, settings: LeaseSettings): Millis | null {
  if (!settings.enabled || isTerminating(lease) || roleOf(lease) === "other") return null;
  return expiryOf(lease, settings) ?? dueNow(lease);
}

export interface LeaseFacts {
  /** Whether there is a Node of the Lease's name; asked for Leases in `kube-node-lease` only. */
  node: { found: "present" } | { found: "absent" } | { found: "unknown"; problem: string };
}

/**
 * Whether a Lease goes. That of a Node which is gone goes with it, through its owner reference and the collector; this is
 * about those the collector has no hold on: written without an owner, or with one that cannot be resolved.
 *
 * Source: kubernetes `controlplane/controller/apiserverleasegc` and `leaderelection` (LeaseCandidateGCController); the
 * rule for Node Leases is our own, since upstream never deletes one without an owner.
 */
export function decideLease(
  lease: KubeObject,
  facts: LeaseFacts,
  settings: LeaseSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (isTerminating(lease)) return keep("is being deleted");
  const role = roleOf(lease);
  if (role === "other") return keep("is neither a Node's nor an API server's");
  const expiry = expiryOf(lease, settings);
  if (expiry === null) return skip("its renewTime or leaseDurationSeconds cannot be read");
  if (now < expiry) return keep("its holder renewed it", expiry);
  switch (role) {
    case "identity":
      return remove(lease, "identity-lease-expired", "its API server stopped renewing it");
    case "candidate":
      return remove(lease, "lease-candidate-expired", "its candidate stopped renewing it");
    case "node":
      return decideNodeLease(lease, facts, now);
  }
}

function decideNodeLease(lease: KubeObject, { node }: LeaseFacts, now: Millis): Decision {
  switch (node.found) {
    case "unknown":
      return skip(node.problem, now + LOOK_AGAIN);
    case "present":
      return keep("its Node exists", now + LOOK_AGAIN);
    case "absent":
      return remove(lease, "node-lease-abandoned", `ran out, and Node ${lease.metadata.name} does not exist`);
  }
}
