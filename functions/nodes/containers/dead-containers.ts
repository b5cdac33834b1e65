import type { Millis } from "../../objects/object.ts";
import type { ReportedContainer } from "../report/report.ts";
import type { ContainerSettings } from "../settings/settings.ts";
import { keepNewest } from "./oldest.ts";
import type { PodStates } from "./pods.ts";

export interface ContainerLook {
  readonly containers: readonly ReportedContainer[];
  readonly pods: PodStates;
  readonly settings: ContainerSettings;
  /** Under disk pressure: containers of pods that have ended go as well, whatever the limits say. */
  readonly aggressive: boolean;
  /** On the clock that `createdAt` is of. */
  readonly now: Millis;
}

/** Dead instances of one container of one pod. */
type Unit = readonly ReportedContainer[];

/** The kubelet makes a container and starts it a moment later; a report may have been taken in between. */
const STARTING: Millis = 60_000;

/**
 * The dead containers that go, in the order in which they go. Only those that the kubelet made: what has no pod is
 * somebody else's.
 *
 * Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_gc.go (evictContainers).
 */
export function deadContainersToRemove({
  containers,
  pods,
  settings,
  aggressive,
  now,
}: ContainerLook): ReportedContainer[] {
  const removed: ReportedContainer[] = [];
  const keep = (unit: Unit, count: number): Unit => {
    const { kept, gone } = keepNewest(unit, count);
    removed.push(...gone);
    return kept;
  };
  const { maxPerPodContainer, maxContainers } = settings;
  let units = unitsOf(containers.filter((container) => isEvictable(container, settings.minAge, now)));
  if (pods.sourcesReady) {
    units = units.map((unit) => {
      const uid = unit[0]?.podUid ?? "";
      const goes = pods.isDeleted(uid) || (aggressive && pods.isTerminated(uid));
      return goes ? keep(unit, 0) : unit;
    });
  }
  if (maxPerPodContainer >= 0) units = units.map((unit) => keep(unit, maxPerPodContainer));
  const left = units.filter((unit) => unit.length > 0);
  if (maxContainers < 0 || count(left) <= maxContainers) return removed;
  const share = Math.max(1, Math.floor(maxContainers / left.length));
  const shared = left.map((unit) => keep(unit, share));
  // An equal share each may have been less than all could keep together; nothing is given back.
  if (count(shared) > maxContainers) keep(shared.flat(), maxContainers);
  return removed;
}

/** Not running, made by the kubelet, and old enough. */
function isEvictable({ state, podUid, createdAt }: ReportedContainer, minAge: Millis, now: Millis): boolean {
  if (state === "RUNNING" || podUid === "") return false;
  if (state === "CREATED" && now - STARTING < createdAt) return false;
  return !(now - minAge < createdAt);
}

function unitsOf(containers: readonly ReportedContainer[]): Unit[] {
  const units = new Map<string, ReportedContainer[]>();
  for (const container of containers) {
    const key = `${container.podUid}/${container.name}`;
    const unit = units.get(key);
    if (unit === undefined) units.set(key, [container]);
    else unit.push(container);
  }
  return [...units.values()];
}

const count = (units: readonly Unit[]): number => units.reduce((sum, unit) => sum + unit.length, 0);

/**
 * What goes at once when a container has ended, without waiting for the next run: instances of the same name beyond those that
 * are kept, newest first; of a pod whose content may go, every dead container.
 *
 * Source: kubernetes pkg/kubelet/pod_container_deletor.go (getContainersToDeleteInPod).
 */
export function surplusAfterExit(
  exited: string,
  ofPod: readonly ReportedContainer[],
  { maxPerPodContainer }: ContainerSettings,
  podDeleted: boolean,
): ReportedContainer[] {
  const dead = ofPod.filter(({ state }) => state === "EXITED");
  if (podDeleted) return [...dead].sort((a, b) => b.createdAt - a.createdAt);
  const name = ofPod.find(({ id }) => id === exited)?.name;
  if (name === undefined) return [];
  const instances = dead.filter((container) => container.name === name);
  return instances.sort((a, b) => b.createdAt - a.createdAt).slice(Math.max(1, maxPerPodContainer));
}
