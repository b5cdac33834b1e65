import {
  abortAllDurableObjects,
  createScheduledController,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import worker from "../worker.ts";
import { WatchedDatabase } from "./database.fixture.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import {
  blocking,
  create,
  DB,
  NAMESPACE_GRAPH,
  ownedBy,
  patch,
  remove,
  TestCluster,
  tables,
} from "./graph.fixture.ts";
import { graphName } from "./graph-name.ts";

// What a commit makes due is in the outbox with it: whoever dies afterwards, somebody comes back to it.

const configMap = kindOf("configmaps");
const node = kindOf("nodes");

const graphOf = (cluster: TestCluster, namespace: string) =>
  NAMESPACE_GRAPH.getByName(graphName(cluster.id, namespace));

/** An owner in `team` with a few dependents that depend on one another in turn. */
async function family(cluster: TestCluster): Promise<void> {
  const owner = await cluster.make(configMap, { name: "owner" });
  for (let i = 0; i < 5; i++) {
    const child = await cluster.make(configMap, { name: `c${i}`, owners: [blocking(owner)] });
    await cluster.make(configMap, { name: `g${i}`, owners: [blocking(child)] });
  }
}

/** Commits in a Durable Object that dies before it does any of the work. */
async function dieAfter(cluster: TestCluster, policy: "Background" | "Foreground" | "Orphan") {
  const stub = graphOf(cluster, "team");
  const [reply] = await stub.mutate([remove(configMap, "owner", { propagationPolicy: policy })]);
  expect(reply?.ok).toBe(true);
  // An eviction would wait for what is under way; this does not.
  await abortAllDurableObjects();
  expect(await cluster.outbox()).not.toBe("[]");
}

const afterwards = {
  Background: [],
  Foreground: [],
  Orphan: ["c0", "c1", "c2", "c3", "c4", "g0", "g1", "g2", "g3", "g4"].map(
    (name) => `team/configmaps/${name}`,
  ),
};

describe.each(["Background", "Foreground", "Orphan"] as const)(
  "a cascade that is left behind, %s,",
  (policy) => {
    it("is found by the alarm of the graph that comes after", async () => {
      const cluster = await TestCluster.create();
      await family(cluster);
      await dieAfter(cluster, policy);
      expect(await runDurableObjectAlarm(graphOf(cluster, "team"))).toBe(true);
      await vi.waitFor(async () => expect(await cluster.left()).toEqual(afterwards[policy]), 5000);
      expect(await cluster.outbox()).toBe("[]");
    });

    it("is found by cron when the alarm was lost too", async () => {
      const cluster = await TestCluster.create();
      await family(cluster);
      await dieAfter(cluster, policy);
      await runInDurableObject(graphOf(cluster, "team"), (_, state) => state.storage.deleteAlarm());
      await evictDurableObject(graphOf(cluster, "team"));
      await worker.scheduled(createScheduledController(), env as never);
      await vi.waitFor(async () => expect(await cluster.left()).toEqual(afterwards[policy]), 5000);
      // The same run began to go through the new cluster.
      await vi.waitFor(async () => expect(await cluster.outbox()).toBe("[]"), 5000);
    });
  },
);

describe("work", () => {
  it("that another namespace made due is done there though nobody was woken", async () => {
    const cluster = await TestCluster.create(["a", "b"]);
    const owner = await cluster.make(node, { name: "n" });
    for (const namespace of ["a", "b"]) {
      await cluster.make(configMap, { name: "d", owners: [blocking(owner)] }, namespace);
    }
    await cluster.ask("", remove(node, "n", { propagationPolicy: "Foreground" }));
    expect((await cluster.due()).sort()).toEqual(["", "a", "b"]);
    await worker.scheduled(createScheduledController(), env as never);
    await vi.waitFor(async () => expect(await cluster.left()).toEqual([]), 5000);
  });

  it("is done by the graphs among themselves, waking one another", async () => {
    const cluster = await TestCluster.create(["a", "b"]);
    const owner = await cluster.make(node, { name: "n" });
    for (const namespace of ["a", "b"]) {
      await cluster.make(configMap, { name: "d", owners: [blocking(owner)] }, namespace);
    }
    await graphOf(cluster, "").mutate([remove(node, "n", { propagationPolicy: "Foreground" })]);
    await vi.waitFor(async () => expect(await cluster.left()).toEqual([]), 5000);
    // Pods that are bound to the Node, if there are any, are looked at after its quarantine.
    const left = JSON.parse(await cluster.outbox()) as { task: string }[];
    expect(left.map(({ task }) => task)).toEqual(["quarantine"]);
  });

  it("that becomes due again while it is being done is not lost", async () => {
    const watched = new WatchedDatabase(DB);
    const cluster = await TestCluster.create(["team"], watched.asD1);
    const owner = await cluster.make(node, { name: "n" });
    await cluster.make(configMap, { name: "d", owners: [blocking(owner)] });
    await cluster.ask("", remove(node, "n", { propagationPolicy: "Foreground" }));
    // The last dependent goes between the look at its owner and the batch that says that it was looked at.
    let interrupted = false;
    watched.around = async (sql, send) => {
      if (!interrupted && sql.some((text) => text.startsWith("DELETE FROM work"))) {
        interrupted = true;
        while (await cluster.slice("team"));
      }
      return send();
    };
    expect(await cluster.slice("")).toBe(true);
    expect(interrupted).toBe(true);
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("over many rows goes on where it was", { timeout: 20_000 }, async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "owner" });
    const names = Array.from({ length: 2500 }, (_, i) => `d${i}`);
    const held = { owners: [ownedBy(owner)], finalizers: ["x/a"] };
    await cluster.ask("team", ...names.map((name) => create(configMap, { name, ...held })));
    await cluster.ask("team", remove(configMap, "owner"));
    await cluster.slice("team");
    const [row] = (await tables(cluster.id)).work;
    expect(row).toMatchObject({ task: "dependents", cursor: expect.stringMatching(/.+/) });

    // A claim of the owner that is written late makes its own dependent due, and takes nothing from the others.
    await cluster.make(configMap, { name: "late", owners: [ownedBy(owner)] });
    await cluster.settle();
    const { results } = await DB.prepare(
      "SELECT count(*) AS alive FROM objects WHERE cluster = ?1 AND resource = 'configmaps' AND deletion IS NULL",
    )
      .bind(cluster.id)
      .all();
    expect(results).toEqual([{ alive: 0 }]);
  });

  it("that is done twice finds nothing the second time", async () => {
    const cluster = await TestCluster.create();
    await family(cluster);
    await cluster.ask("team", remove(configMap, "owner"));
    const { work } = await tables(cluster.id);
    await cluster.settle();
    const after = await tables(cluster.id);

    // As if an alarm had brought the same rows back.
    for (const row of work as { namespace: string; task: string; uid: string; stage: number }[]) {
      await DB.prepare("INSERT INTO work (cluster, namespace, task, uid, stage) VALUES (?1, ?2, ?3, ?4, ?5)")
        .bind(cluster.id, row.namespace, row.task, row.uid, row.stage)
        .run();
    }
    expect(await cluster.settle()).toBeGreaterThan(0);
    const again = await tables(cluster.id);
    for (const table of ["objects", "changes", "deletions", "owner_refs", "labels", "work"] as const) {
      expect(again[table], table).toEqual(after[table]);
    }
  });

  it("is left alone by a fault, and done when that has passed", async () => {
    const cluster = await TestCluster.create();
    await family(cluster);
    const stub = graphOf(cluster, "team");
    await runInDurableObject(stub, async (instance, state) => {
      const watched = new WatchedDatabase(DB);
      let faults = 1;
      watched.around = (sql, send) => {
        if (sql.some((text) => text.startsWith("DELETE FROM work")) && faults-- > 0) {
          throw new Error("D1_ERROR: no such thing");
        }
        return send();
      };
      const Graph = instance.constructor as new (state: DurableObjectState, env: object) => typeof instance;
      const graph = new Graph(state, { ...(env as object), DB: watched.asD1 });
      await graph.mutate([remove(configMap, "owner")]);
      await graph.alarm();
      expect(faults).toBe(0);
      expect(await cluster.outbox()).not.toBe("[]");
      expect(await state.storage.getAlarm()).not.toBeNull();
      await graph.alarm();
      expect(await cluster.outbox()).toBe("[]");
    });
    expect(await cluster.left()).toEqual([]);
  });
});

it("what waits for a finalizer goes on by itself when that is taken off", async () => {
  const cluster = await TestCluster.create();
  const owner = await cluster.make(configMap, { name: "owner" });
  await cluster.make(configMap, { name: "held", owners: [blocking(owner)], finalizers: ["x/a"] });
  const stub = graphOf(cluster, "team");
  await stub.mutate([remove(configMap, "owner", { propagationPolicy: "Foreground" })]);
  await vi.waitFor(async () => expect(await cluster.outbox()).toBe("[]"), 5000);
  expect(await cluster.left()).toHaveLength(2);
  await stub.mutate([patch(configMap, "held", { metadata: { finalizers: null } })]);
  await vi.waitFor(async () => expect(await cluster.left()).toEqual([]), 5000);
});
