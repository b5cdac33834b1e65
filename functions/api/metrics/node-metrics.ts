import { READ_NODE_COUNTS } from "../../../db/nodes.ts";
import {
  type AttemptCount,
  BYTES_BOUNDS,
  type ImageRunCounts,
  type Operation,
  SECONDS_BOUNDS,
  type Spread,
} from "../../nodes/plan/count-runs.ts";
import type { RemovalReason } from "../../nodes/plan/plan.ts";
import { type Counts, EMPTY_RECORD } from "../../nodes/record/node-record.ts";
import { type Family, histogramSamples, type Sample } from "./exposition.ts";
import { metricSource } from "./metric-source.ts";

interface CountsRow {
  node: string;
  reported_at: number;
  /** JSON: removed images, removed containers, collections; null where a row is older than the count. */
  counts: string | null;
}

interface NodeCounts {
  node: string;
  reportedAt: number;
  images: Counts;
  containers: number;
  runs: ImageRunCounts;
}

/**
 * What nodes removed, and how their collections went. Sources: kubernetes pkg/kubelet/metrics/metrics.go, and KEP-6053,
 * "Kubelet Image Garbage Collection Observability"; the label `node` is ours, since a kubelet speaks for its own node only.
 */
export const nodeMetrics = metricSource<CountsRow>(READ_NODE_COUNTS, (rows) => {
  const nodes = rows.map(countsOf);
  const family = (
    name: string,
    type: Family["type"],
    help: string,
    samples: (counts: NodeCounts) => readonly Sample[],
  ): Family => ({ name, help, type, samples: nodes.flatMap(samples) });
  return [
    family(
      "kubelet_image_garbage_collected_total",
      "counter",
      "Total number of images garbage collected by the kubelet, whether through disk usage or image age.",
      ({ node, images: { age, space, pressure } }) => [
        { labels: { node, reason: "age" }, value: age.images },
        // Upstream counts what goes under pressure as space, too.
        { labels: { node, reason: "space" }, value: space.images + pressure.images },
      ],
    ),
    family(
      "kubelet_image_gc_attempts_total",
      "counter",
      "Number of Image GC attempts by operation, trigger, result, and reason.",
      ({ node, runs }) =>
        runs.attempts.map(({ operation, result, reason, seconds }) => ({
          labels: { node, ...labelsOf(operation), result, reason },
          value: total(seconds),
        })),
    ),
    family(
      "kubelet_image_gc_duration_seconds",
      "histogram",
      "Duration of Image GC attempts: from the report that began one to the report that ended it.",
      ({ node, runs }) =>
        byResult(runs.attempts).flatMap(({ operation, result, seconds }) =>
          histogramSamples({ node, ...labelsOf(operation), result }, { bounds: SECONDS_BOUNDS, ...seconds }),
        ),
    ),
    family(
      "kubelet_image_gc_freed_bytes",
      "histogram",
      "Bytes estimated as reclaimed by deleted images during an Image GC attempt; nothing where none has freed any.",
      ({ node, runs }) =>
        runs.attempts
          .filter(({ freed }) => freed.sum > 0)
          .flatMap(({ operation, result, reason, freed }) =>
            histogramSamples(
              { node, ...labelsOf(operation), result, reason },
              { bounds: BYTES_BOUNDS, ...freed },
            ),
          ),
    ),
    family(
      "kubelet_image_gc_target_bytes",
      "histogram",
      "Bytes that Image GC attempted to reclaim.",
      ({ node, runs }) =>
        runs.targets.flatMap(({ operation, bytes }) =>
          histogramSamples({ node, ...labelsOf(operation) }, { bounds: BYTES_BOUNDS, ...bytes }),
        ),
    ),
    family(
      "kubelet_image_gc_image_deletions_total",
      "counter",
      "Number of image deletion attempts and their result.",
      ({ node, images, runs }) =>
        REMOVALS.flatMap(({ by, operation, reason }) => [
          ...deletions({ node, ...labelsOf(operation), reason, result: "success" }, images[by].images),
          ...deletions({ node, ...labelsOf(operation), reason, result: "error" }, runs.failed[by] ?? 0),
        ]),
    ),
    family(
      "kubelet_image_gc_skipped_images_total",
      "counter",
      "Number of images considered by Image GC but skipped because they were not eligible for deletion.",
      ({ node, runs }) =>
        runs.skipped.map(({ operation, reason, count }) => ({
          labels: { node, ...labelsOf(operation), reason },
          value: count,
        })),
    ),
    family(
      "kubelet_image_gc_image_fs_usage_percent",
      "gauge",
      "Image filesystem usage percentage observed before threshold-based Image GC.",
      ({ node, runs: { usedPercent } }) =>
        usedPercent === null ? [] : [{ labels: { node, phase: "before" }, value: usedPercent }],
    ),
    family(
      "kubegc_node_freed_bytes_total",
      "counter",
      "Bytes of removed images, by their recorded sizes.",
      ({ node, images: { age, space, pressure } }) => [
        { labels: { node }, value: age.bytes + space.bytes + pressure.bytes },
      ],
    ),
    family(
      "kubegc_node_removed_containers_total",
      "counter",
      "Dead containers that were removed.",
      ({ node, containers }) => [{ labels: { node }, value: containers }],
    ),
    family(
      "kubegc_node_last_report_timestamp_seconds",
      "gauge",
      "When the node last reported.",
      ({ node, reportedAt }) => [{ labels: { node }, value: reportedAt / 1000 }],
    ),
  ];
});

type Stored = readonly [Counts | null, number | null, ImageRunCounts | null];

function countsOf({ node, reported_at, counts }: CountsRow): NodeCounts {
  const [images, containers, runs] = JSON.parse(counts ?? "[null,null,null]") as Stored;
  return {
    node,
    reportedAt: reported_at,
    images: images ?? EMPTY_RECORD.removedImages,
    containers: containers ?? 0,
    runs: runs ?? EMPTY_RECORD.imageRuns,
  };
}

const REMOVALS: readonly { by: RemovalReason; operation: Operation; reason: string }[] = [
  { by: "age", operation: "garbage_collect", reason: "age" },
  { by: "space", operation: "garbage_collect", reason: "space" },
  { by: "pressure", operation: "delete_unused_images", reason: "all_unused" },
];

const labelsOf = (operation: Operation) => ({
  operation,
  trigger: operation === "garbage_collect" ? "periodic" : "eviction",
});

const deletions = (labels: Readonly<Record<string, string>>, value: number): Sample[] =>
  value === 0 ? [] : [{ labels, value }];

const total = ({ counts }: Spread): number => counts.reduce((sum, count) => sum + count, 0);

/** Attempts of one operation and result together, whatever their reason. */
function byResult(
  attempts: readonly AttemptCount[],
): Pick<AttemptCount, "operation" | "result" | "seconds">[] {
  const found = new Map<string, Pick<AttemptCount, "operation" | "result" | "seconds">>();
  for (const { operation, result, seconds } of attempts) {
    const key = `${operation} ${result}`;
    const before = found.get(key)?.seconds;
    found.set(key, { operation, result, seconds: before === undefined ? seconds : added(before, seconds) });
  }
  return [...found.values()];
}

const added = (a: Spread, b: Spread): Spread => ({
  counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)),
  sum: a.sum + b.sum,
});
