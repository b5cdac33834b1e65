import { describe, expect, it, test } from "vitest";
import type { WorkRow } from "../../db/commit.ts";
import { READ_GROUP } from "../../db/reads.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import { WatchedDatabase } from "./database.fixture.ts";
import { definition, kindOf } from "./decide/decide.fixture.ts";
import {
  blocking,
  create,
  DB,
  finalize,
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
import type { Mutation, MutationRequest } from "./request.ts";
import { commitRestore } from "./restore/commit-restore.ts";
import { putOffFirst } from "./slice.ts";
import { dueSlice, putOffDue } from "./sweep/due.ts";
import { startRun } from "./sweep/runs.ts";
import { TASKS, type Task } from "./tasks.ts";

// A Durable Object that has been superseded can still reach D1: only the epoch in its batches keeps it from writing.

const configMap = kindOf("configmaps");
const pod = kindOf("pods");

const takeOver = (cluster: number, namespace: string) =>
  DB.prepare("UPDATE namespaces_owner SET epoch = epoch + 1 WHERE cluster = ?1 AND namespace = ?2")
    .bind(cluster, namespace)
    .run();

/**
 * Runs it in a graph that has just been superseded, and expects that not one row differs; then in the graph that took
 * over, where some do.
 */
async function writesNothing(cluster: TestCluster, namespace: string, act: () => Promise<unknown>) {
  await cluster.graph(namespace).store.hold();
  await takeOver(cluster.id, namespace);
  const before = await tables(cluster.id);
  await expect(act()).rejects.toThrow(Superseded);
  expect(await tables(cluster.id)).toEqual(before);
  cluster.replaceGraph(namespace);
  await act();
  const { namespaces_owner: _, ...after } = await tables(cluster.id);
  expect(before).not.toMatchObject(after);
}

const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");
const namespaces = kindOf("namespaces");
const deployment = kindOf("deployments.apps");

const asked = (kind: Kind, mutation: Mutation): MutationRequest => ({
  ...remove(kind, ""),
  manager: "tests",
  mutation,
});

function apply(kind: Kind, name: string, data: object, subresource?: "status"): MutationRequest {
  const text = JSON.stringify({
    apiVersion: apiVersion(kind.group, "v1"),
    kind: kind.kind,
    metadata: { name },
    ...data,
  });
  return asked(kind, { verb: "apply", name, subresource, text, force: true });
}

const patchOf = (
  kind: Kind,
  name: string,
  subresource: "status" | "scale",
  change: object,
): MutationRequest =>
  asked(kind, { verb: "patch", name, subresource, type: "merge", text: JSON.stringify(change) });

async function widgets(cluster: TestCluster): Promise<Kind> {
  const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
  await cluster.make(definitions, { name: metadata.name, fields });
  await cluster.settle();
  return cluster.kind("widgets.example.com");
}

type Asked = (cluster: TestCluster) => Promise<MutationRequest[]> | MutationRequest[];

/** Every verb, and for each what it can lead to. The cluster's own objects are written in the namespace "". */
const requests: Record<Mutation["verb"], [string, Asked, namespace?: string][]> = {
  create: [
    ["an object", () => [create(configMap, { name: "new", labels: { a: "b" } })]],
    [
      "a dependent",
      async (cluster) => {
        const owner = await cluster.find(configMap, "owner");
        return [create(configMap, { name: "new", owners: owner ? [blocking(owner)] : [] })];
      },
    ],
    ["a dependent of nobody", () => [create(configMap, { name: "new", owners: [nobody] })]],
    ["a Namespace", () => [create(namespaces, { name: "new" })], ""],
    [
      "a definition",
      () => {
        const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
        return [create(definitions, { name: metadata.name, fields })];
      },
      "",
    ],
    ["a custom object", async (cluster) => [create(await widgets(cluster), { name: "new" })]],
  ],
  update: [
    [
      "an object",
      async (cluster) => [replace(configMap, { ...(await there(cluster, "a")), data: { k: "v" } })],
    ],
    [
      "the last finalizer of one that is going",
      async (cluster) => {
        const held = await there(cluster, "held");
        return [replace(configMap, { ...held, metadata: { ...held.metadata, finalizers: [] } })];
      },
    ],
    [
      "a Namespace, finalized",
      async (cluster) => {
        await cluster.make(configMap, { name: "held", finalizers: ["x/a"] }, "other");
        await cluster.ask("", remove(namespaces, "other"));
        return [finalize("other", { metadata: { name: "other" }, spec: { finalizers: [] } })];
      },
      "",
    ],
  ],
  patch: [
    ["an object", () => [patch(configMap, "a", { data: { k: "v" } })]],
    ["labels", () => [patch(configMap, "a", { metadata: { labels: { app: null, b: "c" } } })]],
    ["owners", () => [patch(configMap, "dependent", { metadata: { ownerReferences: null } })]],
    ["the last finalizer to go", () => [patch(configMap, "held", { metadata: { finalizers: null } })]],
    ["a status", () => [patchOf(deployment, "web", "status", { status: { replicas: 1 } })]],
    ["a scale", () => [patchOf(deployment, "web", "scale", { spec: { replicas: 5 } })]],
    [
      "a definition",
      async (cluster) => {
        await widgets(cluster);
        return [patch(definitions, "widgets.example.com", { spec: { names: { shortNames: ["wd"] } } })];
      },
      "",
    ],
  ],
  apply: [
    ["what is not there", () => [apply(configMap, "new", { data: { k: "v" } })]],
    ["what is there", () => [apply(configMap, "a", { data: { k: "v" } })]],
    ["a status", () => [apply(deployment, "web", { status: { replicas: 1 } }, "status")]],
  ],
  delete: [
    ["an object", () => [remove(configMap, "a")]],
    ...(["Background", "Foreground", "Orphan"] as const).map((propagationPolicy): [string, Asked] => [
      `an owner: ${propagationPolicy}`,
      () => [remove(configMap, "owner", { propagationPolicy })],
    ]),
    [
      "one that a finalizer holds",
      async (cluster) => {
        await cluster.make(configMap, { name: "holding", finalizers: ["x/a"] });
        return [remove(configMap, "holding")];
      },
    ],
    [
      "one that is going, in another policy",
      () => [remove(configMap, "held", { propagationPolicy: "Orphan" })],
    ],
    ["a Pod", () => [remove(pod, "p")]],
    ["a collection", () => ["a", "b", "c"].map((name) => remove(configMap, name))],
    ["a Namespace", () => [remove(namespaces, "other")], ""],
    [
      "a definition",
      async (cluster) => {
        await cluster.make(await widgets(cluster), { name: "w" });
        return [remove(definitions, "widgets.example.com")];
      },
      "",
    ],
  ],
};

const nobody = { apiVersion: "v1", kind: "Pod", name: "none", uid: "none" };

async function there(cluster: TestCluster, name: string) {
  const found = await cluster.find(configMap, name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
}

describe("a superseded graph writes nothing when it is asked to", () => {
  const all = Object.entries(requests).flatMap(([verb, list]) =>
    list.map(([what, requested, namespace = "team"]) => [verb, what, requested, namespace] as const),
  );
  test.each(all)("%s %s", async (_, __, requested, namespace) => {
    const cluster = await TestCluster.create(["team", "other"]);
    for (const name of ["a", "b", "c"]) await cluster.make(configMap, { name, labels: { app: name } });
    const owner = await cluster.make(configMap, { name: "owner" });
    await cluster.make(configMap, { name: "dependent", owners: [blocking(owner)] });
    await cluster.make(configMap, { name: "held", finalizers: ["x/a"] });
    const containers = [{ name: "c", image: "i" }];
    await cluster.make(pod, { name: "p", fields: { spec: { nodeName: "n", containers } } });
    const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
    const spec = { selector: { matchLabels: { app: "web" } }, template };
    await cluster.make(deployment, { name: "web", fields: { spec } });
    await cluster.ask("team", remove(configMap, "held"));
    const list = await requested(cluster);
    await cluster.settle();
    await writesNothing(cluster, namespace, async () => {
      const replies = await cluster.ask(namespace, ...list);
      expect(replies.filter(({ ok }) => !ok)).toEqual([]);
    });
  });
});

describe("a superseded graph writes nothing when it does its work:", () => {
  /** For every task what has to have happened for it to be due, and in which namespace it then is. */
  const tasks: Record<Task, [namespace: string, due: (cluster: TestCluster) => Promise<void>]> = {
    examine: [
      "team",
      async (cluster) => {
        await cluster.make(configMap, { name: "lost", owners: [nobody] });
      },
    ],
    dependents: [
      "team",
      async (cluster) => {
        const owner = await cluster.make(configMap, { name: "owner" });
        await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
        await cluster.ask("team", remove(configMap, "owner"));
      },
    ],
    release: [
      "team",
      async (cluster) => {
        const owner = await cluster.make(configMap, { name: "owner" });
        await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
        await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Orphan" }));
      },
    ],
    owner: [
      "team",
      async (cluster) => {
        await cluster.make(configMap, { name: "owner" });
        await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Foreground" }));
      },
    ],
    event: [
      "team",
      async (cluster) => {
        const owner = await cluster.make(configMap, { name: "owner" }, "other");
        await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
        while (!(await cluster.outbox()).startsWith('[{"namespace":"team","task":"event"')) {
          await cluster.slice("team");
        }
      },
    ],
    namespace: [
      "team",
      async (cluster) => {
        await cluster.make(configMap, { name: "content" });
        await cluster.ask("", remove(namespaces, "team"));
      },
    ],
    instances: [
      "team",
      async (cluster) => {
        await cluster.make(await widgets(cluster), { name: "w" });
        await cluster.ask("", remove(definitions, "widgets.example.com"));
        while (await cluster.slice(""));
      },
    ],
    finalize: [
      "",
      async (cluster) => {
        await cluster.ask("", remove(namespaces, "team"));
        await cluster.slice("team");
      },
    ],
    served: [
      "",
      async (cluster) => {
        const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
        await cluster.make(definitions, { name: metadata.name, fields });
      },
    ],
    sweep: ["team", (cluster) => due(cluster, TASKS.sweep("team", "part", { sweep: "ttl", uids: [] }))],
    scan: [
      "",
      async (cluster) => {
        const run = { name: "run", sweep: "orphans", cause: "request", dryRun: false } as const;
        await startRun(DB, cluster.id, run, cluster.now);
      },
    ],
    count: ["", (cluster) => due(cluster, TASKS.count(0))],
    quarantine: ["", (cluster) => due(cluster, TASKS.quarantine("node", 0))],
    moments: ["", (cluster) => due(cluster, TASKS.moments())],
    names: [
      "",
      async (cluster) => {
        await widgets(cluster);
        const { metadata, ...fields } = definition("Widget", "others", "Namespaced");
        await cluster.make(definitions, { name: metadata.name, fields });
        await cluster.ask("", remove(definitions, "widgets.example.com"));
        while (!(await cluster.outbox()).startsWith('[{"namespace":"","task":"names"')) {
          await cluster.slice("");
        }
      },
    ],
  };
  /** Made due by what happens elsewhere. */
  async function due(cluster: TestCluster, { namespace, task, uid, stage, detail }: WorkRow): Promise<void> {
    await DB.prepare(
      "INSERT INTO work (cluster, namespace, task, uid, stage, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )
      .bind(cluster.id, namespace, task, uid, stage, detail)
      .run();
  }

  test.each(Object.entries(tasks))("%s", async (task, [namespace, isDue]) => {
    const cluster = await TestCluster.create(["team", "other"]);
    await isDue(cluster);
    const work = JSON.parse(await cluster.outbox()) as { namespace: string; task: string }[];
    expect(work.find((row) => row.namespace === namespace)?.task).toBe(task);
    await writesNothing(cluster, namespace, () => cluster.slice(namespace));
  });

  const haveCome = (cluster: TestCluster) =>
    DB.prepare("UPDATE objects SET sweep_at = 0 WHERE cluster = ?1 AND resource = 'configmaps'")
      .bind(cluster.id)
      .run();

  it("looking at objects whose moment has come", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a" });
    await haveCome(cluster);
    const context = () => ({ ...cluster.graph("team"), clock: cluster.clock });
    await writesNothing(cluster, "team", () => dueSlice(context()));
  });

  it("putting off what is due and always fails", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a" });
    await haveCome(cluster);
    const context = () => ({ ...cluster.graph("team"), clock: cluster.clock });
    await takeOver(cluster.id, "team");
    const before = await tables(cluster.id);
    await putOffDue(context());
    expect(await tables(cluster.id)).toEqual(before);
    cluster.replaceGraph("team");
    await putOffDue(context());
    expect(await tables(cluster.id)).not.toMatchObject(before);
  });

  it("bringing objects back", async () => {
    const cluster = await TestCluster.create();
    const metadata = { name: "back", namespace: "team", uid: crypto.randomUUID() };
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await writesNothing(cluster, "team", async () => {
      const { store, kindsCache } = cluster.graph("team");
      const restore = [{ kind: configMap, body }];
      const { reply } = await commitRestore({ restore, dryRun: false }, store, kindsCache);
      expect(reply.ok).toBe(true);
    });
  });

  it("putting off a task that always fails", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "lost", owners: [nobody] });
    const context = () => ({ ...cluster.graph("team"), clock: cluster.clock });
    await putOffFirst(context());
    expect(await cluster.due()).toEqual([]);
    await DB.prepare("UPDATE work SET due_at = 0 WHERE cluster = ?1").bind(cluster.id).run();

    await takeOver(cluster.id, "team");
    const before = await tables(cluster.id);
    await putOffFirst(context());
    expect(await tables(cluster.id)).toEqual(before);
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
    const store = new GraphStore(DB, cluster, "", () => 0);
    const statement = DB.prepare("SELECT 1 AS one");
    await Promise.all([store.readHeld(statement), store.begin(), store.readHeld(statement), store.begin()]);
    expect((await tables(cluster)).namespaces_owner).toMatchObject([{ namespace: "", epoch: 1 }]);
  });

  it("claims again when the first claim failed", async () => {
    const cluster = await newCluster();
    let failures = 3;
    const db = {
      prepare: (text: string) => {
        if (failures-- > 0) throw new Error("D1_ERROR: Network connection lost.");
        return DB.prepare(text);
      },
    } as unknown as D1Database;
    const store = new GraphStore(db, cluster, "", () => 0);
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
