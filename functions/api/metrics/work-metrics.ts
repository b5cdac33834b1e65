import { COUNT_WORK } from "../../../db/counters.ts";
import { metricSource } from "./metric-source.ts";

/** Upstream's work queue that does what a task of the outbox does here; a task that it has no queue for is its own. */
const QUEUES: Readonly<Record<string, string>> = {
  examine: "garbage_collector_attempt_to_delete",
  dependents: "garbage_collector_attempt_to_delete",
  owner: "garbage_collector_attempt_to_delete",
  release: "garbage_collector_attempt_to_orphan",
  namespace: "namespace",
  finalize: "namespace",
  instances: "crd_finalizer",
  names: "crd_naming_condition_controller",
  quarantine: "orphaned_pods_nodes",
};

/** The outbox: what commits made due and nobody has done yet. */
export const workMetrics = metricSource<{ task: string; count: number }>(COUNT_WORK, (rows) => {
  const depths = new Map(Object.values(QUEUES).map((queue) => [queue, 0]));
  for (const { task, count } of rows) {
    const queue = QUEUES[task] ?? task;
    depths.set(queue, (depths.get(queue) ?? 0) + count);
  }
  return [
    {
      name: "workqueue_depth",
      help: "Current depth of workqueue; beyond ten thousand in all it is no longer counted.",
      type: "gauge",
      samples: [...depths].map(([name, value]) => ({ labels: { name }, value })),
    },
  ];
});
