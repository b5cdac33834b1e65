import type { Millis } from "../../objects/object.ts";
import { deadContainersToRemove, surplusAfterExit } from "../containers/dead-containers.ts";
import { logDirectoriesToRemove, logLinksToRemove, statusIn } from "../containers/logs.ts";
import type { PodStates } from "../containers/pods.ts";
import { sandboxesToRemove } from "../containers/sandboxes.ts";
import type { ContainerRecord } from "../record/node-record.ts";
import type { ContainerId, NodeReport, ReportedContainer } from "../report/report.ts";
import type { ContainerSettings } from "../settings/settings.ts";
import type { PlanStep } from "./plan.ts";

export interface ContainerTurnLook {
  readonly report: NodeReport;
  readonly pods: PodStates;
  readonly settings: ContainerSettings;
  readonly aggressive: boolean;
  /** On the node's clock. */
  readonly now: Millis;
}

/** Steps that belong together: all of them are in a plan, or none. */
export type StepGroup = readonly PlanStep[];

export interface ContainerTurn {
  readonly groups: readonly StepGroup[];
  /** What could not be listed; what could be is handled all the same. */
  readonly errors: readonly string[];
}

/**
 * One collection of containers, sandboxes and logs, in this order.
 *
 * A sandbox whose containers go in this plan goes in a later one: until a report says that they are gone, it has
 * containers. What a listing does not hold is only taken as absent when the listing is complete.
 *
 * Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_gc.go (GarbageCollect).
 */
export function containerTurn({ report, pods, settings, aggressive, now }: ContainerTurnLook): ContainerTurn {
  const { containers, sandboxes, logDirectories, deadLogLinks } = report;
  const groups: StepGroup[] = [];
  const errors: string[] = [];
  if (containers === undefined) errors.push("failed to list containers");
  else {
    const look = { containers: containers.items, pods, settings, aggressive, now };
    groups.push(...deadContainersToRemove(look).map(removeContainer));
  }
  if (sandboxes === undefined) errors.push("failed to list pod sandboxes");
  else if (containers?.complete) {
    const look = { sandboxes: sandboxes.items, containers: containers.items, pods, aggressive };
    groups.push(
      ...sandboxesToRemove(look).map(
        ({ id }): StepGroup => [
          { verb: "stopp", id },
          { verb: "rmp", id },
        ],
      ),
    );
  }
  if (logDirectories === undefined) errors.push("failed to read podLogsRootDirectory");
  else {
    groups.push(
      ...logDirectoriesToRemove(logDirectories, pods).map((id): StepGroup => [{ verb: "rmlog", id }]),
    );
    if (containers?.complete && deadLogLinks.length > 0) {
      const links = logLinksToRemove(deadLogLinks, statusIn(containers.items));
      groups.push(...links.map((id): StepGroup => [{ verb: "rmlink", id }]));
    }
  }
  return { groups, errors };
}

/** What containers that have ended since the last report leave to remove between two runs. */
export function exitTurn(
  known: ReadonlyMap<ContainerId, ContainerRecord>,
  containers: readonly ReportedContainer[],
  pods: PodStates,
  settings: ContainerSettings,
): readonly StepGroup[] {
  const exited = containers.filter(
    ({ id, state, podUid }) => state === "EXITED" && podUid !== "" && known.get(id)?.state === "RUNNING",
  );
  if (exited.length === 0) return [];
  const byPod = Map.groupBy(containers, ({ podUid }) => podUid);
  const surplus = exited.flatMap(({ id, podUid }) =>
    surplusAfterExit(id, byPod.get(podUid) ?? [], settings, pods.isDeleted(podUid)),
  );
  return [...new Map(surplus.map((each) => [each.id, each])).values()].map(removeContainer);
}

/** One in a state that the runtime does not know may run still: it is stopped, and stays when that fails. */
const removeContainer = ({ id, state }: ReportedContainer): StepGroup =>
  state === "UNKNOWN"
    ? [
        { verb: "stop", id },
        { verb: "rm", id },
      ]
    : [{ verb: "rm", id }];
