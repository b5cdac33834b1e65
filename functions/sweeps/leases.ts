import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep, remove, skip } from "./decision.ts";
import { createdAt, dueNow, isTerminating, momentOf, specOf } from "./object-fields.ts";
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
export const isValidIdentityLease = (lease: KubeObject, now: Millis): boolean =>
  roleOf(lease) === "identity" && now < identityExpiry(lease);

/** A Lease without a time or a duration has expired. Strict: the whole duration belongs to the holder. */
function identityExpiry(lease: KubeObject): Millis {
  const renewed = momentOf(specOf(lease).renewTime);
  const seconds = specOf(lease).leaseDurationSeconds;
  return renewed === null || typeof seconds !== "number" ? dueNow(lease) : renewed + seconds * 1000 + 1;
}

function candidateExpiry(candidate: KubeObject, settings: LeaseSettings): Millis {
  const renewed = momentOf(specOf(candidate).renewTime);
  return renewed === null ? dueNow(candidate) : renewed + settings.leaseCandidateValidDuration + 1;
}

/** A Node Lease may be renewed before its Node is registered, so it must have run out, and some time must have passed. */
function abandonedAt(lease: KubeObject, settings: LeaseSettings): Millis | null {
  const since = momentOf(specOf(lease).renewTime) ?? createdAt(lease);
  if (since === null) return null;
  const seconds = specOf(lease).leaseDurationSeconds;
  const owned = (lease.metadata.ownerReferences ?? []).length > 0;
  const grace = owned ? settings.ownedNodeLeaseGracePeriod : settings.ownerlessNodeLeaseGracePeriod;
  return since + (typeof seconds === "number" ? Math.max(0, seconds) * 1000 : 0) + grace + 1;
}

export function leaseDueAt(lease: KubeObject, settings: LeaseSettings): Millis | null {
  if (!settings.enabled || isTerminating(lease)) return null;
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
  switch (roleOf(lease)) {
    case "other":
      return keep("is neither a Node's nor an API server's");
    case "identity": {
      const expiry = identityExpiry(lease);
      return now < expiry
        ? keep("its API server renewed it", expiry)
        : remove(lease, "identity-lease-expired", "its API server stopped renewing it");
    }
    case "candidate": {
      const expiry = candidateExpiry(lease, settings);
      return now < expiry
        ? keep("its candidate renewed it", expiry)
        : remove(lease, "lease-candidate-expired", "its candidate stopped renewing it");
    }
    case "node":
      return decideNodeLease(lease, facts, settings, now);
  }
}

function decideNodeLease(
  lease: KubeObject,
  { node }: LeaseFacts,
  settings: LeaseSettings,
  now: Millis,
): Decision {
  const expiry = abandonedAt(lease, settings);
  if (expiry === null) return skip("it was never renewed, and when it was created cannot be read");
  if (now < expiry) return keep("has not run out for long enough", expiry);
  switch (node.found) {
    case "unknown":
      return skip(node.problem, now + LOOK_AGAIN);
    case "present":
      return keep("its Node exists", now + LOOK_AGAIN);
    case "absent":
      return remove(lease, "node-lease-abandoned", `ran out, and Node ${lease.metadata.name} does not exist`);
  }
}
