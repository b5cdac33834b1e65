import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, test } from "vitest";
import { WatchedDatabase } from "./database.fixture.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { type Fate, Fates, fatedDatabase, lost } from "./fates.fixture.ts";
import {
  create,
  DB,
  NAMESPACE_GRAPH,
  objectOf,
  ownedBy,
  patch,
  remove,
  TestCluster,
  tables,
} from "./graph.fixture.ts";
import { graphName } from "./graph-name.ts";
import { Superseded } from "./graph-store.ts";

// D1 never sends a batch again by itself: when the reply is lost, whether it was committed has to be looked up.

const configMap = kindOf("configmaps");

/** A cluster whose batches of the namespace's graph meet the given fates, one after the other. */
async function clusterWith(...queue: Fate[]) {
  const fates = new Fates(queue);
  fates.blows = false;
  const watched = fatedDatabase(DB, fates, (sql) => sql.some((text) => text.includes("INSERT INTO guard")));
  const cluster = await TestCluster.create(["team"], watched.asD1);
  const owner = await cluster.make(configMap, { name: "owner" });
  await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)] });
  fates.blows = true;
  return { cluster, watched, owner };
}

const ways: [string, Fate[]][] = [
  ["the reply is lost", ["reply lost"]],
  ["the request is lost", ["lost"]],
  ["the request is lost twice", ["lost", "lost"]],
  ["the request is lost, and then the reply", ["lost", "reply lost"]],
  ["the request comes in late", ["late"]],
  ["the request comes in twice", ["twice"]],
  ["the reply is lost, and the request comes in again", ["late", "reply lost"]],
];

describe.each(ways)("when %s", (_, fates) => {
  const changesOf = async (cluster: TestCluster, name: string) => {
    const { changes } = await tables(cluster.id);
    return (changes as { name: string; type: string; id: number }[]).filter((row) => row.name === name);
  };

  it("a create succeeds, once", async () => {
    const { cluster } = await clusterWith(...fates);
    const [reply] = await cluster.ask("team", create(configMap, { name: "a" }));
    expect(reply).toMatchObject({ ok: true, code: 201 });
    const changes = await changesOf(cluster, "a");
    expect(changes).toEqual([expect.objectContaining({ type: "ADDED" })]);
    expect(objectOf(reply).metadata.resourceVersion).toBe(String(Number(changes[0]?.id) % 2 ** 40));
  });

  it("an update succeeds, once", async () => {
    const { cluster } = await clusterWith(...fates);
    const [reply] = await cluster.ask("team", patch(configMap, "owner", { data: { k: "v" } }));
    expect(objectOf(reply)).toMatchObject({ data: { k: "v" } });
    const changes = await changesOf(cluster, "owner");
    expect(changes.map((row) => row.type)).toEqual(["ADDED", "MODIFIED"]);
    expect(objectOf(reply).metadata.resourceVersion).toBe(String(Number(changes[1]?.id) % 2 ** 40));
  });

  it("a DELETE succeeds, once, and its cascade is not lost", async () => {
    const { cluster } = await clusterWith(...fates);
    const [reply] = await cluster.ask("team", remove(configMap, "owner"));
    expect(reply).toMatchObject({ ok: true, result: { as: "removed" } });
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect((await changesOf(cluster, "owner")).map((row) => row.type)).toEqual(["ADDED", "DELETED"]);
  });

  it("a slice of a cascade is done, once", async () => {
    const { cluster } = await clusterWith("arrives", ...fates);
    await cluster.ask("team", remove(configMap, "owner"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect((await changesOf(cluster, "dependent")).map((row) => row.type)).toEqual(["ADDED", "DELETED"]);
    expect((await cluster.deletions()).map((row) => row.name)).toEqual(["owner", "dependent"]);
  });
});

describe("when the outcome stays unknown", () => {
  it("the request fails and nothing was written", async () => {
    const { cluster } = await clusterWith("lost", "lost", "lost");
    const before = await tables(cluster.id);
    await expect(cluster.ask("team", create(configMap, { name: "a" }))).rejects.toThrow("connection lost");
    expect(await tables(cluster.id)).toEqual(before);
  });

  it("the request does not come in later, when its client has given up and others have come", async () => {
    const { cluster } = await clusterWith("very late", "lost", "lost");
    await expect(cluster.ask("team", create(configMap, { name: "a" }))).rejects.toThrow("connection lost");
    for (let i = 0; i < 10; i++) await cluster.make(configMap, { name: `b${i}` });
    expect(await cluster.left()).not.toContain("team/configmaps/a");
  });

  it("because another graph has taken over, nothing more is sent", async () => {
    const { cluster, watched } = await clusterWith();
    let batches = 0;
    watched.around = async (sql, send) => {
      if (!sql.some((text) => text.includes("INSERT INTO guard"))) return send();
      batches++;
      await DB.prepare("UPDATE namespaces_owner SET epoch = epoch + 1 WHERE cluster = ?1")
        .bind(cluster.id)
        .run();
      throw lost();
    };
    await expect(cluster.ask("team", create(configMap, { name: "a" }))).rejects.toThrow(Superseded);
    expect(batches).toBe(1);
  });

  test.each(["create", "update"])("what is wrong with the %s itself is still told", async (verb) => {
    const { cluster } = await clusterWith("lost");
    const [reply] = await cluster.ask(
      "team",
      verb === "create"
        ? create(configMap, { name: "owner" })
        : patch(configMap, "owner", { metadata: { resourceVersion: "1" } }),
    );
    expect(reply).toMatchObject({
      ok: false,
      failure: { reason: verb === "create" ? "AlreadyExists" : "Conflict" },
    });
  });
});

describe("a Durable Object whose reply from the store was lost", () => {
  it("does not answer from memory with what was there before", async () => {
    const cluster = await TestCluster.create();
    const stub = NAMESPACE_GRAPH.getByName(graphName(cluster.id, "team"));
    await stub.mutate([create(configMap, { name: "a" })]);
    expect((await stub.get(configMap.storedAs, "a"))?.body).not.toContain('"k":"v"');

    // It is committed while a read that began before it is remembered; and what the graph is told is a fault.
    await runInDurableObject(stub, async (instance, state) => {
      const watched = new WatchedDatabase(DB);
      watched.around = async (sql, send) => {
        if (!sql.some((text) => text.includes("INSERT INTO guard"))) return send();
        await graph.get(configMap.storedAs, "a");
        await send();
        throw new Error("D1_ERROR: something else");
      };
      const Graph = instance.constructor as new (state: DurableObjectState, env: object) => typeof instance;
      const graph = new Graph(state, { ...(env as object), DB: watched.asD1 });
      await graph.get(configMap.storedAs, "a");
      await expect(graph.mutate([patch(configMap, "a", { data: { k: "v" } })])).rejects.toThrow(
        "something else",
      );
      expect((await graph.get(configMap.storedAs, "a"))?.body).toContain('"k":"v"');
    });
  });
});
