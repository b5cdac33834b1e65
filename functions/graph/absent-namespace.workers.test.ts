import { expect, it } from "vitest";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, NAMESPACE_GRAPH, remove, TestCluster, tables } from "./graph.fixture.ts";
import { graphName } from "./graph-name.ts";

const configMap = kindOf("configmaps");

it("leaves nothing of requests in a namespace that there is not", async () => {
  const cluster = await TestCluster.create(["team"]);
  const before = await tables(cluster.id);
  const graph = NAMESPACE_GRAPH.getByName(graphName(cluster.id, "absent"));
  const replies = await graph.mutate([create(configMap, { name: "a" }), remove(configMap, "a")]);
  expect(replies).toMatchObject([
    { ok: false, failure: { reason: "NotFound", resource: "namespaces", name: "absent" } },
    { ok: false, failure: { reason: "NotFound", resource: "configmaps", name: "a" } },
  ]);
  expect(await graph.get(configMap.storedAs, "a")).toBeNull();
  await graph.wake();
  expect(await tables(cluster.id)).toEqual(before);
});

it("takes what is created once the namespace has come", async () => {
  const cluster = await TestCluster.create(["team"]);
  const graph = NAMESPACE_GRAPH.getByName(graphName(cluster.id, "later"));
  const request = create(configMap, { name: "a" });
  expect(await graph.mutate([request])).toMatchObject([{ ok: false }]);
  const clusterScoped = NAMESPACE_GRAPH.getByName(graphName(cluster.id, ""));
  expect(await clusterScoped.mutate([create(kindOf("namespaces"), { name: "later" })])).toMatchObject([
    { ok: true },
  ]);
  expect(await graph.mutate([request])).toMatchObject([{ ok: true }]);
});
