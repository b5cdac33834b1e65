import type { ContainerState, ReportedContainer } from "../report/report.ts";
import type { PodStates } from "./pods.ts";

/**
 * Entries of the pod log root that go, in listing order: those of pods that are gone. An entry is `<namespace>_<name>_<uid>`,
 * and was `<uid>` alone once.
 *
 * Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_gc.go (evictPodLogsDirectories).
 */
export function logDirectoriesToRemove(entries: readonly string[], pods: PodStates): string[] {
  if (!pods.sourcesReady) return [];
  return entries.filter((entry) => pods.isDeleted(entry.slice(entry.lastIndexOf("_") + 1)));
}

/** What the runtime says about a container: its state, or that it could not say. */
export type StatusOf = (id: string) => ContainerState | "error";

const SHORTEST_ID = 6;

/**
 * Links of the container log folder that go. Their target is not there; while the container runs that is a log being
 * rotated. The name is `<pod>_<namespace>_<container>-<id>.log`.
 *
 * Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_gc.go (evictPodLogsDirectories), legacy.go (getContainerIDFromLegacyLogSymlink).
 */
export function logLinksToRemove(deadLinks: readonly string[], statusOf: StatusOf): string[] {
  return deadLinks.filter((link) => {
    const id = link.slice(link.lastIndexOf("-") + 1).replace(/\.log$/, "");
    if (!link.includes("-") || id.length < SHORTEST_ID) return true;
    const status = statusOf(id);
    return status === "EXITED" || status === "error";
  });
}

/** A runtime knows a container by the beginning of its id too. One that is not listed it knows nothing of. */
export function statusIn(containers: readonly ReportedContainer[]): StatusOf {
  const exact = new Map<string, ContainerState>(containers.map(({ id, state }) => [id, state]));
  return (id) => exact.get(id) ?? containers.find((each) => each.id.startsWith(id))?.state ?? "error";
}
