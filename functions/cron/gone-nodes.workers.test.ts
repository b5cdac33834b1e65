import { beforeEach, describe, expect, it } from "vitest";
import { DB, newCluster } from "../graph/graph.fixture.ts";
import { forgetNode } from "../nodes/record/forget-node.ts";
import { EMPTY_RECORD, type NodeRecord } from "../nodes/record/node-record.ts";
import { NodeStore, NodeSuperseded } from "../nodes/record/node-store.ts";
import { everySoOften } from "./cron-lease.ts";
import { forgetGoneNodes } from "./gone-nodes.ts";

const NOW = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let cluster = 0;
beforeEach(async () => {
  cluster = await newCluster();
});

/** A node that reported so long ago, with images and containers. */
async function reported(node: string, ago: number, registered: boolean): Promise<NodeStore> {
  const store = new NodeStore(DB, cluster, node);
  const { epoch } = await store.claim();
  const after: NodeRecord = { ...EMPTY_RECORD, sequence: 1, reportedAt: NOW - ago, registered };
  await store.write(epoch, { before: EMPTY_RECORD, after, removed: new Map(), events: [] });
  await contents(node, 3);
  return store;
}

async function contents(node: string, count: number): Promise<void> {
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)";
  await DB.batch([
    DB.prepare(
      `${numbers} INSERT INTO node_images (cluster, node, key, image, handler, tags, digests, size, pinned, first_detected, in_use)
       SELECT ?1, ?2, i, i, '', '[]', '[]', 1, 0, 0, 0 FROM n`,
    ).bind(cluster, node, count),
    DB.prepare(
      `${numbers} INSERT INTO node_containers (cluster, node, id, pod_uid, pod_namespace, pod_name, name, attempt, state, created_at)
       SELECT ?1, ?2, i, '', '', '', '', 0, 'EXITED', 0 FROM n`,
    ).bind(cluster, node, count),
  ]);
}

const nodeObject = (name: string) =>
  DB.prepare(
    `INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
     VALUES (?1, 'nodes', '', ?2, ?3, 1, 1, ?4)`,
  )
    .bind(cluster, name, crypto.randomUUID(), JSON.stringify({ metadata: { name } }))
    .run();

/** Rows that are left, by table. */
async function left(): Promise<Record<string, string[]>> {
  const tables = ["nodes", "node_images", "node_containers"];
  const results = await DB.batch<{ node: string }>(
    tables.map((table) =>
      DB.prepare(`SELECT DISTINCT node FROM ${table} WHERE cluster = ?1 ORDER BY node`).bind(cluster),
    ),
  );
  return Object.fromEntries(
    tables.map((table, i) => [table, results[i]?.results.map(({ node }) => node) ?? []]),
  );
}

const all = (...nodes: string[]) => ({ nodes, node_images: nodes, node_containers: nodes });

const run = (deadline = NOW + HOUR) => forgetGoneNodes(DB, () => NOW, deadline);

describe("nodes that are gone", () => {
  it("are forgotten when their Node was deleted and they are silent, or when they were silent for a month", async () => {
    await reported("deleted", 2 * HOUR, true);
    await reported("deleted-just-now", HOUR / 2, true);
    await reported("never-registered", 29 * DAY, false);
    await reported("never-registered-and-silent", 31 * DAY, false);
    await reported("registered", 100 * DAY, true);
    await nodeObject("registered");
    await run();
    expect(await left()).toEqual(all("deleted-just-now", "never-registered", "registered"));
  });

  it("go in slices, and what is left at the deadline goes the next time", async () => {
    await reported("large", 31 * DAY, false);
    await DB.prepare("DELETE FROM node_images WHERE cluster = ?1").bind(cluster).run();
    await DB.prepare("DELETE FROM node_containers WHERE cluster = ?1").bind(cluster).run();
    await contents("large", 12_000);
    let slices = 0;
    expect(await forgetNode(DB, cluster, "large", NOW, () => slices++ < 1)).toBe("unfinished");
    const { results } = await DB.prepare("SELECT count(*) AS count FROM node_images WHERE cluster = ?1")
      .bind(cluster)
      .all();
    expect(results).toEqual([{ count: 7_000 }]);
    expect((await left()).nodes).toEqual(["large"]);
    await run();
    expect(await left()).toEqual(all());
  });

  it("stay as they are when there is no time", async () => {
    await reported("a", 31 * DAY, false);
    await run(NOW);
    expect(await left()).toEqual(all("a"));
  });

  it("that report meanwhile are known again, with what is stored", async () => {
    await reported("back", 31 * DAY, false);
    const store = new NodeStore(DB, cluster, "back");
    let claimed: Awaited<ReturnType<NodeStore["claim"]>> | undefined;
    const db = new Proxy(DB, {
      get: (target, key) => {
        if (key !== "batch") return Reflect.get(target, key).bind(target);
        return async (statements: D1PreparedStatement[]) => {
          claimed ??= await store.claim();
          return target.batch(statements);
        };
      },
    });
    expect(await forgetNode(db, cluster, "back")).toBe("taken over");
    expect(claimed?.record.images.size).toBe(3);
    const epoch = claimed?.epoch ?? 0;
    const before = claimed?.record ?? EMPTY_RECORD;
    const after = { ...before, sequence: 2, reportedAt: NOW };
    await store.write(epoch, { before, after, removed: new Map(), events: [] });
    await run();
    expect((await left()).nodes).toEqual(["back"]);
  });

  it("take nothing from a holder that still thinks it holds them", async () => {
    const store = await reported("held", 31 * DAY, false);
    const { epoch, record } = await store.claim();
    expect(await forgetNode(DB, cluster, "held")).toBe("forgotten");
    const change = { before: record, after: { ...record, sequence: 2 }, removed: new Map(), events: [] };
    await expect(store.write(epoch, change)).rejects.toThrow(NodeSuperseded);
    expect(await left()).toEqual(all());
    const anew = await store.claim();
    expect(anew.epoch).toBeGreaterThan(epoch);
    expect(anew.record).toEqual(EMPTY_RECORD);
    await expect(store.write(epoch, change)).rejects.toThrow(NodeSuperseded);
    expect(await forgetNode(DB, cluster, "nobody")).toBe("absent");
  });
});

it("what is done every so often is not done again within the period, also after a fault", async () => {
  let now = 1_000;
  const done: number[] = [];
  const once = (fails = false) =>
    everySoOften(
      DB,
      "now and then",
      () => now,
      HOUR,
      async () => {
        done.push(now);
        if (fails) throw new Error("fault");
      },
    );
  expect(await once()).toBe(true);
  expect(await once()).toBe(false);
  now += HOUR;
  await expect(once(true)).rejects.toThrow("fault");
  expect(await once()).toBe(false);
  expect(done).toEqual([1_000, 1_000 + HOUR]);
});
