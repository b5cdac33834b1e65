import { LAST_SWEEP_RUNS, SUM_SWEEP_TOTALS } from "../../../db/counters.ts";
import type { Family } from "./exposition.ts";
import { metricSource } from "./metric-source.ts";

interface TotalRow {
  /** Of Pods only, as upstream has it; empty otherwise, for all namespaces together. */
  namespace: string;
  sweep: string;
  rule: string;
  deleted: number;
  failed: number;
}

/** What the sweeps have done since the cluster was made. */
export const sweepTotalMetrics = metricSource<TotalRow>(SUM_SWEEP_TOTALS, (rows) => {
  const pods = rows.filter(({ sweep }) => sweep === "pods");
  const podCounter = (name: string, help: string, value: (row: TotalRow) => number): Family => ({
    name,
    help,
    type: "counter",
    samples: pods.map((row) => ({
      labels: { namespace: row.namespace, reason: row.rule },
      value: value(row),
    })),
  });
  const byRule = new Map<string, TotalRow>();
  for (const row of rows) {
    const key = `${row.sweep} ${row.rule}`;
    const { deleted = 0, failed = 0 } = byRule.get(key) ?? {};
    byRule.set(key, { ...row, deleted: deleted + row.deleted, failed: failed + row.failed });
  }
  const ruleCounter = (name: string, help: string, value: (row: TotalRow) => number): Family => ({
    name,
    help,
    type: "counter",
    samples: [...byRule.values()].map((row) => ({
      labels: { sweep: row.sweep, rule: row.rule },
      value: value(row),
    })),
  });
  return [
    podCounter(
      "pod_gc_collector_force_delete_pods_total",
      "Number of pods that are being forcefully deleted since the Pod GC Controller started.",
      ({ deleted, failed }) => deleted + failed,
    ),
    podCounter(
      "pod_gc_collector_force_delete_pod_errors_total",
      "Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.",
      ({ failed }) => failed,
    ),
    ruleCounter("kubegc_sweep_deleted_total", "Objects that sweeps deleted.", ({ deleted }) => deleted),
    ruleCounter("kubegc_sweep_errors_total", "Deletions by sweeps that failed.", ({ failed }) => failed),
  ];
});

interface RunRow {
  sweep: string;
  started_at: number;
  found: number;
  deleted: number;
  skipped: number;
  failed: number;
}

/** The newest run of each sweep. */
export const sweepRunMetrics = metricSource<RunRow>(LAST_SWEEP_RUNS, (rows) => {
  const gauge = (name: string, help: string, value: (row: RunRow) => number): Family => ({
    name,
    help,
    type: "gauge",
    samples: rows.map((row) => ({ labels: { sweep: row.sweep }, value: value(row) })),
  });
  return [
    gauge(
      "kubegc_sweep_last_run_timestamp_seconds",
      "When the newest run began.",
      (row) => row.started_at / 1000,
    ),
    gauge("kubegc_sweep_last_run_found", "Objects that a rule applied to.", ({ found }) => found),
    gauge("kubegc_sweep_last_run_deleted", "Objects that were deleted.", ({ deleted }) => deleted),
    gauge("kubegc_sweep_last_run_skipped", "Objects that could not be judged.", ({ skipped }) => skipped),
    gauge("kubegc_sweep_last_run_failed", "Deletions that failed.", ({ failed }) => failed),
  ];
});
