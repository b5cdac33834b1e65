import {
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
import { type Fate, Fates, fatedObjects } from "./fates.fixture.ts";
import { blocking, create, DB, NAMESPACE_GRAPH, remove, TestCluster } from "./graph.fixture.ts";
import { graphName } from "./graph-name.ts";
import type { GraphEnv, NamespaceGraph } from "./namespace-graph.ts";

// What Durable Objects say to each other, and alarms, may be lost, answered by nobody, repeated or late. They are hints:
// what there is to do is in the outbox.

const configMap = kindOf("configmaps");
const clusterRole = kindOf("clusterroles.rbac.authorization.k8s.io");
const { CLUSTER_FEED } = env as unknown as GraphEnv;

const graphOf = (cluster: TestCluster, namespace: string) =>
  NAMESPACE_GRAPH.getByName(graphName(cluster.id, namespace));

/** An owner of the cluster, and in each namespace a dependent that blocks it and has one of its own. */
async function family(): Promise<TestCluster> {
  const cluster = await TestCluster.create(["a", "b"]);
  const owner = await cluster.make(clusterRole, { name: "n" });
  for (const namespace of ["a", "b"]) {
    const child = await cluster.make(configMap, { name: "d", owners: [blocking(owner)] }, namespace);
    await cluster.make(configMap, { name: "e", owners: [blocking(child)] }, namespace);
  }
  return cluster;
}

/** From here on what the graph objects say meets its fate. */
async function meet(cluster: TestCluster, surroundings: Partial<GraphEnv>): Promise<void> {
  for (const namespace of ["", "a", "b"]) {
    await runInDurableObject(graphOf(cluster, namespace), (instance) => {
      const { env: before } = instance as unknown as { env: GraphEnv };
      Object.defineProperty(instance, "env", { value: { ...before, ...surroundings } });
    });
  }
}

async function expectDone(cluster: TestCluster): Promise<void> {
  await vi.waitFor(async () => expect(await cluster.left()).toEqual([]), 8000);
  await vi.waitFor(async () => expect(await cluster.outbox()).toBe("[]"), 8000);
  const deletions = await cluster.deletions();
  const root = deletions.find(({ name }) => name === "n")?.uid;
  expect(deletions.map((one) => [one.root, one.removed_at !== null])).toEqual(
    Array.from({ length: 5 }, () => [root, true]),
  );
}

const FATES: Fate[] = ["lost", "reply lost", "twice", "late", "very late", "strange"];

describe.each(FATES)("a cascade over three graphs ends when every message is %s", (fate) => {
  const always = () => new Fates(Array.from({ length: 100 }, () => fate));

  it("that wakes another graph", async () => {
    const cluster = await family();
    await meet(cluster, { NAMESPACE_GRAPH: fatedObjects(NAMESPACE_GRAPH, always(), ["wake"]) });
    const [reply] = await graphOf(cluster, "").mutate([
      remove(clusterRole, "n", { propagationPolicy: "Foreground" }),
    ]);
    expect(reply?.ok).toBe(true);
    // Cron comes once a minute; who was not woken is found by it.
    await vi.waitFor(async () => {
      await worker.scheduled(createScheduledController(), env as never);
      expect(await cluster.left()).toEqual([]);
    }, 8000);
    await expectDone(cluster);
  });

  it("that tells the feed", async () => {
    const cluster = await family();
    const feed = fatedObjects(CLUSTER_FEED as never, always(), ["poke"]);
    await meet(cluster, { CLUSTER_FEED: feed as never });
    await graphOf(cluster, "").mutate([remove(clusterRole, "n", { propagationPolicy: "Foreground" })]);
    await expectDone(cluster);
  });
});

describe("an alarm", () => {
  const begun = async () => {
    const cluster = await family();
    await cluster.ask("", remove(clusterRole, "n", { propagationPolicy: "Foreground" }));
    return cluster;
  };
  const alarm = (cluster: TestCluster, namespace: string) =>
    runInDurableObject(graphOf(cluster, namespace), (instance: NamespaceGraph) => instance.alarm());

  it("that comes twice at once, and again when all is done, does each work once", async () => {
    const cluster = await begun();
    await Promise.all(["", "a", "b", "", "a", "b"].map((namespace) => alarm(cluster, namespace)));
    await expectDone(cluster);
    const { length } = await cluster.deletions();
    for (const namespace of ["", "a", "b"]) await alarm(cluster, namespace);
    expect(await cluster.deletions()).toHaveLength(length);
  });

  it("that is lost is made up for by cron", async () => {
    const cluster = await begun();
    for (const namespace of ["", "a", "b"]) {
      await runInDurableObject(graphOf(cluster, namespace), (_, state) => state.storage.deleteAlarm());
      await evictDurableObject(graphOf(cluster, namespace));
    }
    await worker.scheduled(createScheduledController(), env as never);
    await expectDone(cluster);
  });

  it("that fails is followed by another one", async () => {
    const cluster = await begun();
    const fates = new Fates(["lost", "lost", "lost", "lost"]);
    const watched = new WatchedDatabase(DB);
    watched.around = (_, send) => fates.meet(send);
    await meet(cluster, { DB: watched.asD1 });
    await alarm(cluster, "a");
    expect(await cluster.outbox()).not.toBe("[]");
    for (const namespace of ["a", "b", ""]) await runDurableObjectAlarm(graphOf(cluster, namespace));
    await worker.scheduled(createScheduledController(), env as never);
    await expectDone(cluster);
  });
});

describe("a request", () => {
  it("whose mailbox is full is refused at once, and told when to come back; the others are answered", async () => {
    const cluster = await TestCluster.create(["a"]);
    await runInDurableObject(graphOf(cluster, "a"), async (instance, state) => {
      const watched = new WatchedDatabase(DB);
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      watched.around = (_, send) => opened.then(send);
      const Graph = instance.constructor as new (state: DurableObjectState, env: object) => NamespaceGraph;
      const graph = new Graph(state, { ...(env as object), DB: watched.asD1 });
      const first = graph.mutate([create(configMap, { name: "first" })]);
      const many = graph.mutate(Array.from({ length: 4096 }, (_, i) => create(configMap, { name: `n${i}` })));
      const [refused] = await graph.mutate([create(configMap, { name: "one-too-many" })]);
      expect(refused).toMatchObject({
        ok: false,
        failure: { reason: "TooManyRequests", retryAfterSeconds: 1 },
      });
      open();
      const replies = [...(await first), ...(await many)];
      expect(replies.filter(({ ok }) => !ok)).toEqual([]);
    });
    expect(await cluster.left()).toHaveLength(4097);
  }, 60_000);
});
