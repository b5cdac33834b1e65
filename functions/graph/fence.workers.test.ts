import { describe, expect, it, test } from "vitest";
import { READ_GROUP } from "../../db/reads.ts";
import { WatchedDatabase } from "./database.fixture.ts";
import { definition, kindOf } from "./decide/decide.fixture.ts";
import {
  blocking,
  create,
  DB,
  NAMESPACE_GRAPH,
  newCluster,
  ownedBy,
  patch,
  remove,
  replace,
  TestCluster,
  tables,
} from "./graph.fixture.ts";
import { graphName } from "./graph-name.ts";
import { GraphStore, Superseded } from "./graph-store.ts";
import { commitGroup } from "./group.ts";
import type { MutationRequest } from "./request.ts";

// A Durable Object that has been superseded can still reach D1: only the epoch in its batches keeps it from writing.

const configMap = kindOf("configmaps");
const pod = kindOf("pods");

const takeOver = (cluster: number, namespace: string) =>
  DB.prepare("UPDATE namespaces_owner SET epoch = epoch + 1 WHERE cluster = ?1 AND namespace = ?2")
    .bind(cluster, namespace)
    .run();

/** Runs it in a graph that has just been superseded, and expects that not one row differs. */
async function writesNothing(cluster: TestCluster, namespace: string, act: () => Promise<unknown>) {
  await takeOver(cluster.id, namespace);
  const before = await tables(cluster.id);
  await expect(act()).rejects.toThrow(Superseded);
  expect(await tables(cluster.id)).toEqual(before);
}

describe("a superseded graph writes nothing when it is asked for", () => {
  const requests: [string, () => Promise<MutationRequest[]> | MutationRequest[]][] = [
    ["a create", () => [create(configMap, { name: "new", labels: { a: "b" } })]],
    ["a patch", () => [patch(configMap, "a", { data: { k: "v" } })]],
    ["a DELETE that removes", () => [remove(configMap, "a")]],
    ["a DELETE that marks", () => [remove(configMap, "a", { propagationPolicy: "Foreground" })]],
    ["a DELETE of a Pod", () => [remove(pod, "p")]],
    ["the last finalizer to go", () => [patch(configMap, "held", { metadata: { finalizers: null } })]],
    ["many at once", () => ["a", "b", "c"].map((name) => remove(configMap, name))],
  ];
  test.each(requests)("%s", async (_, asked) => {
    const cluster = await TestCluster.create();
    for (const name of ["a", "b", "c"]) await cluster.make(configMap, { name, labels: { app: name } });
    await cluster.make(configMap, { name: "held", finalizers: ["x/a"] });
    await cluster.make(pod, { name: "p", fields: { spec: { containers: [{ name: "c", image: "i" }] } } });
    await cluster.ask("team", remove(configMap, "held"));
    await cluster.settle();
    const list = await asked();
    await writesNothing(cluster, "team", () => cluster.ask("team", ...list));
  });

  it("an update", async () => {
    const cluster = await TestCluster.create();
    const object = await cluster.make(configMap, { name: "a" });
    await writesNothing(cluster, "team", () =>
      cluster.ask("team", replace(configMap, { ...object, data: { k: "v" } })),
    );
  });
});

describe("a superseded graph writes nothing when it does its work:", () => {
  /** What has to have happened for a task to be due, and in which namespace it then is. */
  const tasks: [string, namespace: string, due: (cluster: TestCluster) => Promise<void>][] = [
    [
      "examine",
      "team",
      async (cluster) => {
        await cluster.make(configMap, {
          name: "lost",
          owners: [{ apiVersion: "v1", kind: "Pod", name: "none", uid: "none" }],
        });
      },
    ],
    [
      "dependents",
      "team",
      async (cluster) => {
        const owner = await cluster.make(configMap, { name: "owner" });
        await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
        await cluster.ask("team", remove(configMap, "owner"));
      },
    ],
    [
      "release",
      "team",
      async (cluster) => {
        const owner = await cluster.make(configMap, { name: "owner" });
        await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
        await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Orphan" }));
      },
    ],
    [
      "owner",
      "team",
      async (cluster) => {
        await cluster.make(configMap, { name: "owner" });
        await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Foreground" }));
      },
    ],
    [
      "event",
      "team",
      async (cluster) => {
        const owner = await cluster.make(configMap, { name: "owner" }, "other");
        await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
        while (!(await cluster.outbox()).startsWith('[{"namespace":"team","task":"event"')) {
          await cluster.slice("team");
        }
      },
    ],
    [
      "namespace",
      "team",
      async (cluster) => {
        await cluster.make(configMap, { name: "content" });
        await cluster.ask("", remove(kindOf("namespaces"), "team"));
      },
    ],
    [
      "instances",
      "team",
      async (cluster) => {
        const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");
        const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
        await cluster.make(definitions, { name: metadata.name, fields });
        await cluster.make(await cluster.kind("widgets.example.com"), { name: "w" });
        await cluster.ask("", remove(definitions, "widgets.example.com"));
        while (await cluster.slice(""));
      },
    ],
    [
      "finalize",
      "",
      async (cluster) => {
        await cluster.ask("", remove(kindOf("namespaces"), "team"));
        await cluster.slice("team");
      },
    ],
  ];
  test.each(tasks)("%s", async (task, namespace, due) => {
    const cluster = await TestCluster.create(["team", "other"]);
    await due(cluster);
    const work = JSON.parse(await cluster.outbox()) as { namespace: string; task: string }[];
    expect(work.find((row) => row.namespace === namespace)?.task).toBe(task);
    await writesNothing(cluster, namespace, () => cluster.slice(namespace));
  });
});

describe("a graph that takes over", () => {
  it("has claimed the namespace before it reads what it decides from", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "owner" });
    const before = cluster.graph("team");

    // The one before deletes the owner while the new one has read that it is there.
    const watched = new WatchedDatabase(DB);
    const successor = new GraphStore(watched.asD1, cluster.id, "team", cluster.clock);
    watched.around = async (sql, send) => {
      const results = await send();
      if (sql.includes(READ_GROUP)) {
        await commitGroup([remove(configMap, "owner")], before.store, before.kindsCache, cluster.clock).catch(
          (fault) => expect(fault).toBeInstanceOf(Superseded),
        );
      }
      return results;
    };
    const request = create(configMap, { name: "dependent", owners: [ownedBy(owner)] });
    await commitGroup([request], successor, before.kindsCache, cluster.clock);

    cluster.replaceGraph("team");
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/dependent", "team/configmaps/owner"]);
  });

  it("claims once, whoever asks first", async () => {
    const cluster = await newCluster();
    const store = new GraphStore(DB, cluster, "team", () => 0);
    const statement = DB.prepare("SELECT 1 AS one");
    await Promise.all([store.readHeld(statement), store.begin(), store.readHeld(statement), store.begin()]);
    expect((await tables(cluster)).namespaces_owner).toMatchObject([{ namespace: "team", epoch: 1 }]);
  });

  it("claims again when the first claim failed", async () => {
    const cluster = await newCluster();
    let failures = 1;
    const db = {
      prepare: (text: string) => {
        if (failures-- > 0) throw new Error("D1_ERROR: Network connection lost.");
        return DB.prepare(text);
      },
    } as unknown as D1Database;
    const store = new GraphStore(db, cluster, "team", () => 0);
    await expect(store.begin()).rejects.toThrow("Network connection lost");
    expect((await store.begin()).epoch).toBe(1);
  });
});

describe("a Durable Object", () => {
  it("that was superseded fails its request, writes nothing, and the next call begins anew", async () => {
    const cluster = await TestCluster.create();
    const stub = () => NAMESPACE_GRAPH.getByName(graphName(cluster.id, "team"));
    const [reply] = await stub().mutate([create(configMap, { name: "a" })]);
    expect(reply?.ok).toBe(true);

    await takeOver(cluster.id, "team");
    const before = await tables(cluster.id);
    const refused = async () => await stub().mutate([create(configMap, { name: "b" })]);
    await expect(refused()).rejects.toThrow(/epoch 1 is over/);
    expect(await tables(cluster.id)).toEqual(before);

    const [again] = await stub().mutate([create(configMap, { name: "b" })]);
    expect(again?.ok).toBe(true);
    expect(await cluster.left()).toEqual(["team/configmaps/a", "team/configmaps/b"]);
  });

  it("that is new answers reads and writes that come at once", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "a" });
    const stub = NAMESPACE_GRAPH.getByName(graphName(cluster.id, "team"));
    const [found, [reply], again] = await Promise.all([
      stub.get(configMap.storedAs, "a"),
      stub.mutate([create(configMap, { name: "b", owners: [blocking(owner)] })]),
      stub.get(configMap.storedAs, "a"),
    ]);
    expect(found?.body).toContain('"name":"a"');
    expect(again?.body).toContain('"name":"a"');
    expect(reply?.ok).toBe(true);
  });
});
