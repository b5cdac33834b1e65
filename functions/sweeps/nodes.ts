import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, type EventNote, keep, referenceTo, remove, skip } from "./decision.ts";
import { conditionsOf, dueNow, isTerminating, membersOf, specOf, textOf } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

type NodeSettings = SettingsOf<"nodes">;

const SHUTDOWN_TAINT = "node.cloudprovider.kubernetes.io/shutdown";

/** What the instance provider said; `problem` when it could not be asked or gave no answer. */
export type ProviderAnswer = { answer: boolean } | { problem: string };

/** Filled in one by one, as `ask` decisions want them. */
export interface NodeFacts {
  exists?: ProviderAnswer;
  shutdown?: ProviderAnswer;
}

/** No Ready condition counts as unknown, so as not ready. */
const isReady = (node: KubeObject): boolean =>
  conditionsOf(node).find(({ type }) => type === "Ready")?.status === "True";

const taintsOf = (node: KubeObject) => membersOf(specOf(node).taints);
const hasShutdownTaint = (node: KubeObject) => taintsOf(node).some(({ key }) => key === SHUTDOWN_TAINT);

/** Due while it is not ready, and once more to lose the taint when it is ready again. */
export function nodeDueAt(node: KubeObject, settings: NodeSettings): Millis | null {
  if (!settings.enabled || settings.instanceProvider === null || isTerminating(node)) return null;
  return !isReady(node) || hasShutdownTaint(node) ? dueNow(node) : null;
}

/**
 * Deletes a Node that is not ready when its machine is known not to exist. A ready Node is never deleted, and nobody is
 * asked about it; no answer means no deletion. One whose machine is shut down gets a taint.
 *
 * Source: kubernetes `cloud-provider/controllers/nodelifecycle` (MonitorNodes).
 */
export function decideNode(
  node: KubeObject,
  facts: NodeFacts,
  settings: NodeSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (settings.instanceProvider === null) return keep("no instance provider is configured");
  if (isTerminating(node)) return keep("is being deleted");
  if (isReady(node)) {
    return hasShutdownTaint(node)
      ? tainted(node, withoutTaint(node), "is ready again, so its machine runs", null)
      : keep("is ready");
  }
  const again = now + settings.nodeMonitorPeriod;
  const { exists, shutdown } = facts;
  const { url } = settings.instanceProvider;
  const question = { url, node: node.metadata.name, providerID: textOf(specOf(node).providerID) };
  if (exists === undefined) return { act: "ask", question: { ask: "instance-exists", ...question } };
  if ("problem" in exists) return skip(exists.problem, again);
  if (!exists.answer) {
    return remove(node, "instance-absent", "is not ready, and its machine does not exist", {
      events: deletionEvents(node),
    });
  }
  if (shutdown === undefined) return { act: "ask", question: { ask: "instance-shutdown", ...question } };
  if ("problem" in shutdown) return skip(shutdown.problem, again);
  if (!shutdown.answer || hasShutdownTaint(node)) return keep("its machine exists", again);
  return tainted(
    node,
    [...taintsOf(node), { key: SHUTDOWN_TAINT, effect: "NoSchedule" }],
    "its machine is shut down",
    again,
  );
}

const withoutTaint = (node: KubeObject) => taintsOf(node).filter(({ key }) => key !== SHUTDOWN_TAINT);

function tainted(
  node: KubeObject,
  taints: ReturnType<typeof taintsOf>,
  reason: string,
  again: Millis | null,
): Decision {
  const { taints: _, ...spec } = specOf(node);
  const next = { ...node, spec: taints.length > 0 ? { ...spec, taints } : spec };
  return { act: "patch", patch: { next, subresource: undefined }, reason, next: again, events: [] };
}

function deletionEvents(node: KubeObject): EventNote[] {
  const { name } = node.metadata;
  const event = { component: "cloud-node-lifecycle-controller", about: referenceTo(node) };
  return [
    {
      ...event,
      when: "before",
      type: "Normal",
      reason: "DeletingNode",
      message: `Deleting node ${name} because it does not exist in the cloud provider`,
    },
    { ...event, when: "failed", type: "Warning", reason: "DeletingNodeFailed", message: "" },
  ];
}
