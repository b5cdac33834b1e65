import type { ReportedContainer, ReportedSandbox } from "../report/report.ts";
import { keepNewest } from "./oldest.ts";
import type { PodStates } from "./pods.ts";

export interface SandboxLook {
  readonly sandboxes: readonly ReportedSandbox[];
  /** All of them: a sandbox with a container in any state is not touched. */
  readonly containers: readonly ReportedContainer[];
  readonly pods: PodStates;
  readonly aggressive: boolean;
}

/**
 * The sandboxes that go: those of a pod that is gone, and all but the newest of a pod that is not; never one that is
 * ready, or that a container refers to. There is no minimum age, and no gate by sources: whether a pod is gone is all
 * that counts.
 *
 * Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_gc.go (evictSandboxes).
 */
export function sandboxesToRemove({
  sandboxes,
  containers,
  pods,
  aggressive,
}: SandboxLook): ReportedSandbox[] {
  if (sandboxes.every(({ state }) => state === "READY")) return [];
  const occupied = new Set<string>(containers.map(({ sandbox }) => sandbox));
  const byPod = new Map<string, ReportedSandbox[]>();
  for (const sandbox of sandboxes) {
    if (sandbox.podUid === "") continue;
    const others = byPod.get(sandbox.podUid);
    if (others === undefined) byPod.set(sandbox.podUid, [sandbox]);
    else others.push(sandbox);
  }
  return [...byPod].flatMap(([uid, ofPod]) => {
    const goes = pods.isDeleted(uid) || (aggressive && pods.isTerminated(uid));
    const { gone } = keepNewest(ofPod, goes ? 0 : 1);
    return gone.filter(({ id, state }) => state !== "READY" && !occupied.has(id));
  });
}
