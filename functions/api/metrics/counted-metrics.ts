import { READ_COUNTERS } from "../../../db/counters.ts";
import { LATENESS_BOUNDS, latenessOf } from "../../sweeps/lateness.ts";
import { histogram } from "./exposition.ts";
import { metricSource } from "./metric-source.ts";

interface CounterRow {
  name: "objects" | "deletions" | "job-ttl";
  label: string;
  value: number;
}

/** What each batch counts as it writes. */
export const countedMetrics = metricSource<CounterRow>(READ_COUNTERS, (rows) => {
  const named = (name: CounterRow["name"]) => rows.filter((row) => row.name === name);
  return [
    {
      name: "apiserver_storage_objects",
      help: "Number of stored objects by resource.",
      type: "gauge",
      samples: named("objects").map(({ label, value }) => ({ labels: { resource: label }, value })),
    },
    {
      name: "kubegc_deletions_total",
      help: "Objects that were removed, by the rule that removed them, or that began it where something held them.",
      type: "counter",
      samples: named("deletions").map(({ label, value }) => ({ labels: { rule: label }, value })),
    },
    histogram(
      "ttl_after_finished_controller_job_deletion_duration_seconds",
      "Time from the moment at which a finished Job was to go until it was deleted.",
      {
        bounds: LATENESS_BOUNDS,
        ...latenessOf(new Map(named("job-ttl").map((row) => [row.label, row.value]))),
      },
    ),
  ];
});
