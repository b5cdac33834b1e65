import type { NodeReport } from "../report/report.ts";

/** What has to be known about a pod before something of it goes. Pods are named by uid. */
export interface PodStates {
  /** Whether it is known at all which pods the node has. Until then nothing goes because its pod is not among them. */
  readonly sourcesReady: boolean;
  /** Its content may go. */
  isDeleted(uid: string): boolean;
  /** Nothing of it will run again, so that its containers may go, though its content may not. */
  isTerminated(uid: string): boolean;
}

/**
 * The kubelet has a folder for each pod it knows, until the pod is deleted and everything of it has stopped. So a pod without a
 * folder is deleted. One that has a folder, and sandboxes of which none is ready, and no container that runs or is about to,
 * has ended. Whatever still runs belongs to a pod that is neither.
 *
 * A listing of folders that has none of the pods that run is not one of this kubelet's, and says nothing.
 *
 * Source: kubernetes pkg/kubelet/pod_workers.go (ShouldPodContentBeRemoved, ShouldPodRuntimeBeRemoved).
 */
export function podStates({
  podDirectories,
  containers,
  sandboxes,
}: Pick<NodeReport, "podDirectories" | "containers" | "sandboxes">): PodStates {
  const alive = new Set<string>();
  for (const { podUid, state } of sandboxes?.items ?? []) if (state === "READY") alive.add(podUid);
  for (const { podUid, state } of containers?.items ?? []) if (state === "RUNNING") alive.add(podUid);
  const known = new Set(podDirectories ?? []);
  const complete = (sandboxes?.complete ?? false) && (containers?.complete ?? false);
  const belongs = alive.size === 0 || [...alive].some((uid) => known.has(uid));
  const sourcesReady = podDirectories !== undefined && complete && belongs;
  const isDeleted = (uid: string): boolean => sourcesReady && !known.has(uid) && !alive.has(uid);
  const ended = new Set(
    complete ? sandboxes?.items.filter(({ podUid }) => !alive.has(podUid)).map(({ podUid }) => podUid) : [],
  );
  return { sourcesReady, isDeleted, isTerminated: (uid) => isDeleted(uid) || ended.has(uid) };
}
