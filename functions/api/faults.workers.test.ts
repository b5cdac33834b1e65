import { describe, expect, it, test } from "vitest";
import { WatchedDatabase } from "../graph/database.fixture.ts";
import { kindOf } from "../graph/decide/decide.fixture.ts";
import { type Fate, Fates, fatedObjects } from "../graph/fates.fixture.ts";
import { create, DB, NAMESPACE_GRAPH, TestCluster } from "../graph/graph.fixture.ts";
import { graphName } from "../graph/graph-name.ts";
import { AskedLately } from "./asked-lately.ts";
import { getObject } from "./read.ts";
import { ask } from "./write.ts";

const configMap = kindOf("configmaps");

const graphOf = (cluster: TestCluster, namespace: string) =>
  NAMESPACE_GRAPH.getByName(graphName(cluster.id, namespace));

describe("a request to a graph", () => {
  const asked = (cluster: TestCluster, fates: Fates) => {
    const { principal } = create(configMap, { name: "x" });
    const request = {
      context: {
        db: DB,
        cluster: cluster.id,
        principal,
        graphs: fatedObjects(NAMESPACE_GRAPH, fates, ["mutate"]),
      },
      kind: configMap,
      path: { version: "v1" },
      query: new URLSearchParams(),
      request: new Request("http://localhost/"),
    };
    const { mutation } = create(configMap, { name: "new" });
    return ask(request as unknown as Parameters<typeof ask>[0], "a", false, [mutation]);
  };

  test.each<[Fate, there: boolean]>([
    ["lost", false],
    ["reply lost", true],
    ["strange", true],
  ])("that is %s fails, and is not sent again by anybody but the client", async (fate, there) => {
    const cluster = await TestCluster.create(["a"]);
    await expect(asked(cluster, new Fates([fate]))).rejects.toThrow();
    expect(await cluster.left()).toEqual(there ? ["a/configmaps/new"] : []);
  });

  it("that was taken over is sent once more, to whoever holds the namespace now", async () => {
    const cluster = await TestCluster.create(["a"]);
    await graphOf(cluster, "a").mutate([create(configMap, { name: "old" })]);
    await DB.prepare("UPDATE namespaces_owner SET epoch = epoch + 1 WHERE cluster = ?1")
      .bind(cluster.id)
      .run();
    const [reply] = await asked(cluster, new Fates([]));
    expect(reply).toMatchObject({ ok: true, code: 201 });
    expect(await cluster.left()).toEqual(["a/configmaps/new", "a/configmaps/old"]);
  });
});

const requestFor = (cluster: TestCluster, db: D1Database, fates: Fates) =>
  ({
    context: {
      db,
      cluster: cluster.id,
      asked: new AskedLately(),
      graphs: fatedObjects(NAMESPACE_GRAPH, fates, ["get"]),
    },
    kind: configMap,
    path: { version: "v1", namespace: "a" },
    query: new URLSearchParams(),
    negotiated: { as: "object", mediaType: "json" },
    request: new Request("http://localhost/"),
  }) as unknown as Parameters<typeof getObject>[0];

it("a get costs one query, and none of the store's when the graph object has it in memory", async () => {
  const cluster = await TestCluster.create(["a"]);
  await graphOf(cluster, "a").mutate([create(configMap, { name: "x" })]);
  const watched = new WatchedDatabase(DB);
  const request = requestFor(cluster, watched.asD1, new Fates([]));
  for (const calls of [1, 0, 0]) {
    watched.reset();
    expect((await getObject(request, "x")).status).toBe(200);
    expect(watched.costs.calls).toBe(calls);
  }
});

describe("a get of what was asked for lately", () => {
  const FATES: Fate[] = ["lost", "reply lost", "strange", "overloaded"];
  test.each(FATES)("is answered by the store when the graph object's answer is %s", async (fate) => {
    const cluster = await TestCluster.create(["a"]);
    await graphOf(cluster, "a").mutate([create(configMap, { name: "x", fields: { data: { k: "v" } } })]);
    const request = requestFor(cluster, DB, new Fates([fate]));
    for (let times = 0; times < 3; times++) {
      const answer = await getObject(request, "x");
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ data: { k: "v" } });
    }
  });
});
