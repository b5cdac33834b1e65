import type { KubeObject, Millis, Uid } from "../objects/object.ts";
import { timestamp } from "../objects/object.ts";
import { type Decision, deletion, keep, type SweepRule, skip } from "./decision.ts";
import {
  conditionsOf,
  createdAt,
  dueNow,
  fieldsOf,
  isTerminating,
  membersOf,
  momentOf,
  specOf,
  statusOf,
  textOf,
  withStatus,
} from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

type PodSettings = SettingsOf<"pods">;

/**
 * The moment at which a terminated Pod stays in the index after it was kept: never due, and yet found with all the
 * others when one more Pod ends and they have to be counted.
 */
export const COUNTED: Millis = 8_640_000_000_000_000;

/** How often a Pod that is being deleted on a Node is looked at: upstream's period. */
const LOOK_AGAIN = 20_000;

const LIVING_PHASES: ReadonlySet<string> = new Set(["Pending", "Running", "Unknown"]);

const phaseOf = (pod: KubeObject): string => textOf(statusOf(pod).phase);

/** Any phase but three, so an empty or unknown one too. Source: kubernetes `controller/podgc` (isPodTerminated). */
const isTerminated = (pod: KubeObject): boolean => !LIVING_PHASES.has(phaseOf(pod));

/** The Node it is bound to; empty when none. */
const nodeOf = (pod: KubeObject): string => textOf(specOf(pod).nodeName);

const counts = ({ terminatedPodGCThreshold, terminatedPodGCThresholdPerNamespace }: PodSettings): boolean =>
  terminatedPodGCThreshold > 0 || terminatedPodGCThresholdPerNamespace > 0;

/**
 * Due at once are terminated Pods, while there is a threshold, and those that are being deleted on a Node; one that was never
 * scheduled is due a period after it was deleted. A Pod of a Node that is
 * gone is not found here but through `node-quarantine.ts`, from the Nodes that were removed and from a full resync.
 *
 * Invariant: while there is a threshold, a terminated Pod is in the index of due moments, be it as `COUNTED`.
 */
export function podDueAt(pod: KubeObject, settings: PodSettings): Millis | null {
  if (!settings.enabled) return null;
  if (isTerminated(pod) && counts(settings)) return dueNow(pod);
  if (!isTerminating(pod)) return null;
  return nodeOf(pod) === "" ? unscheduledUntil(pod) : dueNow(pod);
}

/** Whoever holds a Pod that nobody runs sees it as it was, until upstream would have come by. */
const unscheduledUntil = (pod: KubeObject): Millis =>
  (momentOf(pod.metadata.deletionTimestamp) ?? dueNow(pod)) + LOOK_AGAIN;

/** What is compared of terminated Pods. */
export interface TerminatedPod {
  uid: Uid;
  namespace: string;
  name: string;
  createdAt: Millis;
  evicted: boolean;
}

/** Undefined for a Pod that has not terminated. */
export function terminatedPod(pod: KubeObject): TerminatedPod | undefined {
  if (!isTerminated(pod)) return undefined;
  return {
    uid: pod.metadata.uid as Uid,
    namespace: pod.metadata.namespace ?? "",
    name: pod.metadata.name,
    createdAt: createdAt(pod) ?? 0,
    evicted: phaseOf(pod) === "Failed" && statusOf(pod).reason === "Evicted",
  };
}

/**
 * The Pods beyond the thresholds: evicted ones first, then the oldest, then by name without the namespace. The threshold
 * is what is kept in the cluster; with the one per namespace both hold.
 *
 * @param pods all terminated Pods of the cluster
 *
 * Source: kubernetes `controller/podgc` (gcTerminated, byEvictionAndCreationTimestamp).
 */
export function surplusPods(pods: readonly TerminatedPod[], settings: PodSettings): Set<Uid> {
  const sorted = [...pods].sort(byEvictionAndAge);
  const surplus = new Set(first(sorted, settings.terminatedPodGCThreshold));
  if (settings.terminatedPodGCThresholdPerNamespace > 0) {
    for (const group of Map.groupBy(sorted, ({ namespace }) => namespace).values()) {
      for (const uid of first(group, settings.terminatedPodGCThresholdPerNamespace)) surplus.add(uid);
    }
  }
  return surplus;
}

function first(sorted: readonly TerminatedPod[], kept: number): Uid[] {
  return kept <= 0 ? [] : sorted.slice(0, Math.max(0, sorted.length - kept)).map(({ uid }) => uid);
}

function byEvictionAndAge(a: TerminatedPod, b: TerminatedPod): number {
  if (a.evicted !== b.evicted) return a.evicted ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}

/** What was found when a Pod's Node was looked for. */
export type NodeWitness =
  /** The Pod is bound to none. */
  | { found: "none" }
  | { found: "present"; node: KubeObject }
  /** `quarantined`: gone for the whole quarantine, and still gone in a second, fresh look. */
  | { found: "absent"; quarantined: boolean }
  | { found: "unknown"; problem: string };

export interface PodFacts {
  /** Whether it is one of `surplusPods`. */
  surplus: boolean;
  node: NodeWitness;
}

/**
 * Whether a Pod is forcibly deleted, by the first rule that applies: beyond the threshold; being deleted on a Node that
 * is out of service; orphaned by a Node that is gone; being deleted without ever having been scheduled. A Pod that has
 * not ended becomes Failed first. No Pod is exempt, and nothing happens while its Node cannot be looked for.
 *
 * Source: kubernetes `controller/podgc` (gc_controller.go), KEP-3329 for the condition, KEP-2268 for the taint.
 */
export function decidePod(pod: KubeObject, facts: PodFacts, settings: PodSettings, now: Millis): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  const { node } = facts;
  if (node.found === "unknown") return skip(node.problem, now + LOOK_AGAIN);
  const ended = isTerminated(pod);
  if (ended && facts.surplus) {
    return forced(pod, "terminated", "one of the first of the terminated Pods beyond the threshold", now);
  }
  if (isTerminating(pod) && node.found === "present" && isOutOfService(node.node)) {
    return forced(pod, "out-of-service", `Node ${nodeOf(pod)} is not ready and out of service`, now);
  }
  if (node.found === "absent" && node.quarantined && nodeOf(pod) !== "") {
    return forced(pod, "orphaned", `Node ${nodeOf(pod)} no longer exists`, now);
  }
  if (isTerminating(pod) && nodeOf(pod) === "") {
    const until = unscheduledUntil(pod);
    if (now < until) return keep("was deleted a moment ago, and never scheduled", until);
    return forced(pod, "unscheduled", "is being deleted and was never scheduled", now);
  }
  if (isTerminating(pod)) return keep("its Node has yet to end it", now + LOOK_AGAIN);
  return ended && counts(settings) ? keep("within the threshold of terminated Pods", COUNTED) : keep("lives");
}

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Whatever the taint's value and effect. */
function isOutOfService(node: KubeObject): boolean {
  const ready = conditionsOf(node).find(({ type }) => type === "Ready");
  return ready?.status !== "True" && membersOf(specOf(node).taints).some(({ key }) => key === OUT_OF_SERVICE);
}

type PodRule = Extract<SweepRule, "terminated" | "out-of-service" | "orphaned" | "unscheduled">;

function forced(pod: KubeObject, rule: PodRule, reason: string, now: Millis): Decision {
  const force = deletion(pod, rule, reason, { options: { gracePeriodSeconds: 0 } });
  const phase = phaseOf(pod);
  if (phase === "Succeeded" || phase === "Failed") return { act: "delete", deletion: force };
  const conditions = rule === "orphaned" ? { conditions: disrupted(pod, now) } : {};
  const next = withStatus(pod, { phase: "Failed", ...conditions });
  return { act: "patch-then-delete", patch: { next, subresource: "status" }, deletion: force };
}

/** The time of a condition that is True already stays. */
function disrupted(pod: KubeObject, now: Millis) {
  const conditions = conditionsOf(pod);
  const before = fieldsOf(conditions.find(({ type }) => type === "DisruptionTarget"));
  const since = before.status === "True" ? textOf(before.lastTransitionTime) : "";
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: since === "" ? timestamp(now) : since,
  };
  return [...conditions.filter(({ type }) => type !== "DisruptionTarget"), condition];
}
