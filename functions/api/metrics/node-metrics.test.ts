import { expect, it } from "vitest";
import type { ImageRunCounts } from "../../nodes/plan/count-runs.ts";
import { exposition } from "./exposition.ts";
import { nodeMetrics } from "./node-metrics.ts";

const RUNS: ImageRunCounts = {
  attempts: [
    {
      operation: "garbage_collect",
      result: "error",
      reason: "delete_error",
      seconds: { counts: [0, 1, 0, 0, 0], sum: 4 },
      freed: { counts: [1, 0, 0, 0, 0], sum: 0 },
    },
    {
      operation: "garbage_collect",
      result: "error",
      reason: "stats_error",
      seconds: { counts: [2, 0, 0, 0, 0], sum: 0 },
      freed: { counts: [2, 0, 0, 0, 0], sum: 0 },
    },
    {
      operation: "delete_unused_images",
      result: "success",
      reason: "all_unused",
      seconds: { counts: [0, 0, 1, 0, 0], sum: 20 },
      freed: { counts: [0, 0, 1, 0, 0], sum: 5e9 },
    },
  ],
  targets: [{ operation: "delete_unused_images", bytes: { counts: [0, 0, 1, 0, 0], sum: 5e9 } }],
  skipped: [{ operation: "garbage_collect", reason: "min_age", count: 3 }],
  failed: { space: 1 },
  usedPercent: 91,
};
const IMAGES = {
  age: { images: 1, bytes: 10 },
  space: { images: 2, bytes: 20 },
  pressure: { images: 4, bytes: 5e9 },
};

/** Lines with a value, without those of buckets. */
const lines = (counts: string | null): string[] =>
  exposition(nodeMetrics.families([{ node: "n1", reported_at: 1500, counts }]))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#") && !line.includes("_bucket"));

it("a node's counts are upstream's metrics, and those of KEP-6053", () => {
  const periodic = 'node="n1",operation="garbage_collect",trigger="periodic"';
  const eviction = 'node="n1",operation="delete_unused_images",trigger="eviction"';
  expect(lines(JSON.stringify([IMAGES, 7, RUNS]))).toEqual([
    'kubelet_image_garbage_collected_total{node="n1",reason="age"} 1',
    'kubelet_image_garbage_collected_total{node="n1",reason="space"} 6',
    `kubelet_image_gc_attempts_total{${periodic},result="error",reason="delete_error"} 1`,
    `kubelet_image_gc_attempts_total{${periodic},result="error",reason="stats_error"} 2`,
    `kubelet_image_gc_attempts_total{${eviction},result="success",reason="all_unused"} 1`,
    `kubelet_image_gc_duration_seconds_sum{${periodic},result="error"} 4`,
    `kubelet_image_gc_duration_seconds_count{${periodic},result="error"} 3`,
    `kubelet_image_gc_duration_seconds_sum{${eviction},result="success"} 20`,
    `kubelet_image_gc_duration_seconds_count{${eviction},result="success"} 1`,
    `kubelet_image_gc_freed_bytes_sum{${eviction},result="success",reason="all_unused"} 5000000000`,
    `kubelet_image_gc_freed_bytes_count{${eviction},result="success",reason="all_unused"} 1`,
    `kubelet_image_gc_target_bytes_sum{${eviction}} 5000000000`,
    `kubelet_image_gc_target_bytes_count{${eviction}} 1`,
    `kubelet_image_gc_image_deletions_total{${periodic},reason="age",result="success"} 1`,
    `kubelet_image_gc_image_deletions_total{${periodic},reason="space",result="success"} 2`,
    `kubelet_image_gc_image_deletions_total{${periodic},reason="space",result="error"} 1`,
    `kubelet_image_gc_image_deletions_total{${eviction},reason="all_unused",result="success"} 4`,
    `kubelet_image_gc_skipped_images_total{${periodic},reason="min_age"} 3`,
    'kubelet_image_gc_image_fs_usage_percent{node="n1",phase="before"} 91',
    'kubegc_node_freed_bytes_total{node="n1"} 5000000030',
    'kubegc_node_removed_containers_total{node="n1"} 7',
    'kubegc_node_last_report_timestamp_seconds{node="n1"} 1.5',
  ]);
});

it.each([null, JSON.stringify([IMAGES, 7, null])])(
  "a row that is older than the counts has the rest: %s",
  (counts) => {
    const images = counts === null ? 0 : 1;
    expect(lines(counts)).toContain(
      `kubelet_image_garbage_collected_total{node="n1",reason="age"} ${images}`,
    );
    expect(lines(counts).join()).not.toContain("attempts");
  },
);
