import type { JsonObject } from "../../../objects/json.ts";
import type { KubeObject } from "../../../objects/object.ts";
import { ageColumn, type Column, column, integerColumn, nameColumn, wideColumn } from "../column.ts";
import { booleanAt, conditionStatus, countAt, hasAt, listAt, textAt } from "../reading.ts";

export const podColumns: readonly Column[] = [
  nameColumn,
  column("Ready", "The aggregate readiness state of this pod for accepting traffic.", (pod) => {
    const { ready, containers } = podSummary(pod);
    return `${ready}/${containers}`;
  }),
  column("Status", "The aggregate status of the containers in this pod.", (pod) => podSummary(pod).reason),
  integerColumn(
    "Restarts",
    "The number of times the containers in this pod have been restarted.",
    (pod) => podSummary(pod).restarts,
  ),
  ageColumn,
  wideColumn(
    "IP",
    "IP address allocated to the pod.",
    (pod) => textAt(pod, "status", "podIPs", 0, "ip") || textAt(pod, "status", "podIP") || "<none>",
  ),
  wideColumn("Node", "The node that runs the pod.", (pod) => textAt(pod, "spec", "nodeName") || "<none>"),
  wideColumn(
    "Nominated Node",
    "The node where preemption makes room for the pod.",
    (pod) => textAt(pod, "status", "nominatedNodeName") || "<none>",
  ),
  wideColumn("Readiness Gates", "How many of the pod's readiness gates are open.", (pod) => {
    const gates = listAt(pod, "spec", "readinessGates");
    if (gates.length === 0) return "<none>";
    const open = gates.filter((gate) => conditionStatus(pod, textAt(gate, "conditionType")) === "True");
    return `${open.length}/${gates.length}`;
  }),
];

/** A finished pod's row is marked, so that clients can hide it. */
export function podRowConditions(pod: KubeObject): readonly JsonObject[] {
  switch (textAt(pod, "status", "phase")) {
    case "Succeeded":
      return [completed("Succeeded", "The pod has completed successfully.")];
    case "Failed":
      return [completed("Failed", "The pod failed.")];
    default:
      return [];
  }
}

const completed = (reason: string, message: string): JsonObject => ({
  type: "Completed",
  status: "True",
  reason,
  message,
});

interface PodSummary {
  reason: string;
  ready: number;
  containers: number;
  restarts: number;
}

/**
 * What people call a pod's status: the phase, unless a container, an init container or the deletion has more to say.
 *
 * As upstream's `printPod`.
 */
function podSummary(pod: KubeObject): PodSummary {
  const phase = textAt(pod, "status", "phase");
  const gated = listAt(pod, "status", "conditions").some(
    (item) => textAt(item, "type") === "PodScheduled" && textAt(item, "reason") === "SchedulingGated",
  );
  const statusReason = textAt(pod, "status", "reason");
  const summary: PodSummary = {
    reason: gated ? "SchedulingGated" : statusReason || phase,
    ready: 0,
    containers: listAt(pod, "spec", "containers").length,
    restarts: 0,
  };

  const sidecars = summarizeInitContainers(pod, summary);
  if (!sidecars.initializing || conditionStatus(pod, "Initialized") === "True") {
    summary.restarts = sidecars.restarts;
    summarizeContainers(pod, summary);
  }

  if (hasAt(pod, "metadata", "deletionTimestamp")) {
    if (statusReason === "NodeLost") summary.reason = "Unknown";
    else if (phase !== "Succeeded" && phase !== "Failed") summary.reason = "Terminating";
  }
  return summary;
}

/** Init containers run one after the other: the first that is not done speaks for the pod. */
function summarizeInitContainers(
  pod: KubeObject,
  summary: PodSummary,
): { initializing: boolean; restarts: number } {
  const specs = listAt(pod, "spec", "initContainers");
  const sidecars = new Set(
    specs.filter((spec) => textAt(spec, "restartPolicy") === "Always").map((spec) => textAt(spec, "name")),
  );
  summary.containers += sidecars.size;

  let sidecarRestarts = 0;
  for (const [index, status] of listAt(pod, "status", "initContainerStatuses").entries()) {
    summary.restarts += countAt(status, "restartCount");
    const sidecar = sidecars.has(textAt(status, "name"));
    if (sidecar) sidecarRestarts += countAt(status, "restartCount");

    const terminated = hasAt(status, "state", "terminated");
    if (terminated && countAt(status, "state", "terminated", "exitCode") === 0) continue;
    if (sidecar && booleanAt(status, "started") === true) {
      if (booleanAt(status, "ready") === true) summary.ready++;
      continue;
    }
    const waiting = textAt(status, "state", "waiting", "reason");
    if (terminated) summary.reason = `Init:${terminationReason(status)}`;
    else if (waiting !== "" && waiting !== "PodInitializing") summary.reason = `Init:${waiting}`;
    else summary.reason = `Init:${index}/${specs.length}`;
    return { initializing: true, restarts: sidecarRestarts };
  }
  return { initializing: false, restarts: sidecarRestarts };
}

/** From the last container to the first, so that the first with something to say has the last word. */
function summarizeContainers(pod: KubeObject, summary: PodSummary): void {
  let running = false;
  for (const status of listAt(pod, "status", "containerStatuses").toReversed()) {
    summary.restarts += countAt(status, "restartCount");
    const waiting = textAt(status, "state", "waiting", "reason");
    if (waiting !== "") {
      summary.reason = waiting;
    } else if (hasAt(status, "state", "terminated")) {
      summary.reason = terminationReason(status);
    } else if (booleanAt(status, "ready") === true && hasAt(status, "state", "running")) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason === "Completed" && running) {
    summary.reason = conditionStatus(pod, "Ready") === "True" ? "Running" : "NotReady";
  }
}

function terminationReason(status: unknown): string {
  const reason = textAt(status, "state", "terminated", "reason");
  if (reason !== "") return reason;
  const signal = countAt(status, "state", "terminated", "signal");
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${countAt(status, "state", "terminated", "exitCode")}`;
}
