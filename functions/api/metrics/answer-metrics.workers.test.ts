import { describe, expect, it } from "vitest";
import { COUNT } from "../../../db/counters.ts";
import { WatchedDatabase } from "../../graph/database.fixture.ts";
import { kindOf } from "../../graph/decide/decide.fixture.ts";
import { blocking, create, DB, patch, remove, TestCluster } from "../../graph/graph.fixture.ts";
import { countLateness } from "../../sweeps/lateness.ts";
import type { ApiContext } from "../context.ts";
import { answerMetrics } from "./answer-metrics.ts";

const configMap = kindOf("configmaps");
const secret = kindOf("secrets");

type Role = "admin" | "view" | "node";

async function scrape(cluster: TestCluster, role: Role = "view", db: D1Database = cluster.db) {
  const context = { db, cluster: cluster.id, principal: { user: "prometheus", role } };
  return answerMetrics(context as ApiContext);
}

/** Samples that are not zero, by their names with labels. */
async function samples(cluster: TestCluster): Promise<Record<string, number>> {
  const text = await (await scrape(cluster)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const read = lines.map(
    (line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))] as const,
  );
  return Object.fromEntries(read.filter(([, value]) => value !== 0));
}

describe("metrics", () => {
  it("count what is stored and what went, by why, whoever holds it up", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const owner = await cluster.make(configMap, { name: "owner" });
    const dependents = ["a", "b", "c"].map((name) => create(secret, { name, owners: [blocking(owner)] }));
    await cluster.ask("team", ...dependents, create(configMap, { name: "held", finalizers: ["x/hold"] }));
    await cluster.ask("other", create(configMap, { name: "elsewhere" }));
    expect(await samples(cluster)).toMatchObject({
      'apiserver_storage_objects{resource="configmaps"}': 3,
      'apiserver_storage_objects{resource="secrets"}': 3,
      'apiserver_storage_objects{resource="namespaces"}': 2,
    });

    await cluster.ask(
      "team",
      remove(configMap, "owner"),
      remove(configMap, "held"),
      remove(configMap, "held"),
    );
    expect(await samples(cluster)).toMatchObject({
      'apiserver_storage_objects{resource="configmaps"}': 2,
      'workqueue_depth{name="garbage_collector_attempt_to_delete"}': 1,
      'kubegc_deletions_total{rule="request"}': 1,
    });

    await cluster.settle();
    await cluster.ask("team", patch(configMap, "held", { metadata: { finalizers: null } }));
    const seen = await samples(cluster);
    expect(seen).toMatchObject({
      'apiserver_storage_objects{resource="configmaps"}': 1,
      'kubegc_deletions_total{rule="request"}': 2,
      'kubegc_deletions_total{rule="owner-absent"}': 3,
    });
    expect(seen).not.toHaveProperty('apiserver_storage_objects{resource="secrets"}');
    expect(seen).not.toHaveProperty('workqueue_depth{name="garbage_collector_attempt_to_delete"}');
  });

  it("of a cluster are its own", async () => {
    const [one, other] = [await TestCluster.create(["team"]), await TestCluster.create(["team"])];
    await one.make(configMap, { name: "a" });
    expect(await samples(other)).toEqual({ 'apiserver_storage_objects{resource="namespaces"}': 1 });
  });

  it("have how late Jobs went as a histogram", async () => {
    const cluster = await TestCluster.create([]);
    for (const late of [50, 300, 2_000_000]) {
      const rows = countLateness(late).map(([label, more]) => ["job-ttl", label, more]);
      await DB.prepare(COUNT).bind(cluster.id, JSON.stringify(rows)).run();
    }
    const name = "ttl_after_finished_controller_job_deletion_duration_seconds";
    expect(await samples(cluster)).toMatchObject({
      [`${name}_bucket{le="0.1"}`]: 1,
      [`${name}_bucket{le="0.2"}`]: 1,
      [`${name}_bucket{le="0.4"}`]: 2,
      [`${name}_bucket{le="819.2"}`]: 2,
      [`${name}_bucket{le="+Inf"}`]: 3,
      [`${name}_sum`]: 2000.35,
      [`${name}_count`]: 3,
    });
  });

  it("have what sweeps did, Pods by namespace as upstream, and their newest runs", async () => {
    const cluster = await TestCluster.create([]);
    const total = (
      ...row: [namespace: string, sweep: string, rule: string, deleted: number, failed: number]
    ) => DB.prepare("INSERT INTO sweep_totals VALUES (?1, ?2, ?3, ?4, ?5, ?6)").bind(cluster.id, ...row);
    const run = (name: string, sweep: string, at: number, found: number) =>
      DB.prepare(
        `INSERT INTO sweep_runs (cluster, name, sweep, cause, started_at, found, deleted) VALUES (?1, ?2, ?3, 'due', ?4, ?5, ?5)`,
      ).bind(cluster.id, name, sweep, at, found);
    await DB.batch([
      total("a", "pods", "terminated", 5, 2),
      total("b", "pods", "terminated", 1, 0),
      total("a", "jobs", "job-ttl", 3, 0),
      total("b", "jobs", "job-ttl", 4, 1),
      run("jobs-1", "jobs", 1000, 7),
      run("jobs-2", "jobs", 3500, 9),
      run("jobs-0", "jobs", 2000, 8),
      run("pods-1", "pods", 2000, 1),
    ]);
    expect(await samples(cluster)).toEqual({
      'pod_gc_collector_force_delete_pods_total{namespace="a",reason="terminated"}': 7,
      'pod_gc_collector_force_delete_pods_total{namespace="b",reason="terminated"}': 1,
      'pod_gc_collector_force_delete_pod_errors_total{namespace="a",reason="terminated"}': 2,
      'kubegc_sweep_deleted_total{sweep="jobs",rule="job-ttl"}': 7,
      'kubegc_sweep_deleted_total{sweep="pods",rule="terminated"}': 6,
      'kubegc_sweep_errors_total{sweep="jobs",rule="job-ttl"}': 1,
      'kubegc_sweep_errors_total{sweep="pods",rule="terminated"}': 2,
      'kubegc_sweep_last_run_timestamp_seconds{sweep="jobs"}': 3.5,
      'kubegc_sweep_last_run_timestamp_seconds{sweep="pods"}': 2,
      'kubegc_sweep_last_run_found{sweep="jobs"}': 9,
      'kubegc_sweep_last_run_found{sweep="pods"}': 1,
      'kubegc_sweep_last_run_deleted{sweep="jobs"}': 9,
      'kubegc_sweep_last_run_deleted{sweep="pods"}': 1,
    });
  });

  it("cost one round trip and few rows, however much there is", async () => {
    const cluster = await TestCluster.create();
    const names = Array.from({ length: 1000 }, (_, i) => `n${i}`);
    await cluster.ask("team", ...names.map((name) => create(configMap, { name })));
    await DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO node_images (cluster, node, key, image, handler, tags, digests, size, pinned, first_detected, in_use)
       SELECT ?1, 'n', i, i, '', '[]', '[]', 1, 0, 0, 0 FROM n`,
    )
      .bind(cluster.id)
      .run();
    await DB.prepare("INSERT INTO nodes (cluster, node, epoch, reported_at) VALUES (?1, 'n', 1, 1)")
      .bind(cluster.id)
      .run();
    const watched = new WatchedDatabase(DB);
    await scrape(cluster, "view", watched.asD1);
    expect(watched.costs).toMatchObject({ calls: 1, rowsWritten: 0 });
    expect(watched.costs.rowsRead).toBeLessThan(50);
  });

  it("are for those who may read, and not for a node's agents", async () => {
    const cluster = await TestCluster.create([]);
    const admitted = await scrape(cluster, "admin");
    expect([admitted.status, admitted.headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    const refused = await scrape(cluster, "node");
    expect([refused.status, await refused.json()]).toMatchObject([403, { reason: "Forbidden" }]);
  });
});
