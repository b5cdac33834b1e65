import { describe, expect, it } from "vitest";
import { kindOf } from "../decide/decide.fixture.ts";
import { blocking, create, DB, ownedBy, remove, TestCluster } from "../graph.fixture.ts";

// Dependents that name nobody else are released in the database: what is stored is what a reader would have made of it.

const configMap = kindOf("configmaps");
const orphan = { propagationPolicy: "Orphan" } as const;

async function bodies(cluster: TestCluster): Promise<Map<string, string>> {
  const { results } = await DB.prepare(
    "SELECT name, body FROM objects WHERE cluster = ?1 AND namespace = 'team' ORDER BY name",
  )
    .bind(cluster.id)
    .all<{ name: string; body: string }>();
  return new Map(results.map(({ name, body }) => [name, body]));
}

/** A stored body without its owner references, as `JSON` prints it. */
function released(body = ""): string {
  const object = JSON.parse(body);
  delete object.metadata.ownerReferences;
  return JSON.stringify(object);
}

describe("a dependent that is released", () => {
  it("loses its reference, and nothing else of its body, byte for byte", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "owner" });
    const owners = [blocking(owner)];
    const odd = { text: 'é "\\ \u2028 \u0007 😀 </b>', "": "", "a.b/c": "1e3", __proto: "x" };
    await cluster.ask(
      "team",
      create(configMap, { name: "odd", owners, labels: { app: "web" }, fields: { data: odd } }),
      create(configMap, { name: "held", owners, finalizers: ["x/held"] }),
      create(configMap, { name: "large", owners, fields: { data: { text: "x".repeat(50_000) } } }),
      create(kindOf("limitranges"), {
        name: "numbers",
        owners,
        fields: { spec: { limits: [{ type: "Pod", n: [1.5, -0.25, 1e21, 12345678901234] }] } },
      }),
    );
    const before = await bodies(cluster);
    await cluster.ask("team", remove(configMap, "owner", orphan));
    await cluster.settle();
    const after = await bodies(cluster);
    expect([...after.keys()]).toEqual(["held", "large", "numbers", "odd"]);
    for (const [name, body] of after) expect(body, name).toBe(released(before.get(name)));
  });

  it("is a change that watchers see, under a version of its own, and is found by its owner no more", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "owner" });
    const made = await cluster.make(configMap, {
      name: "d",
      labels: { app: "web" },
      owners: [ownedBy(owner)],
    });
    await cluster.ask("team", remove(configMap, "owner", orphan));
    await cluster.settle();
    const now = await cluster.find(configMap, "d");
    expect(Number(now?.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    const { results } = await DB.prepare(
      "SELECT type, id & ?2 AS version, previous, body FROM changes WHERE id >> 40 = ?1 AND name = 'd' ORDER BY id",
    )
      .bind(cluster.id, 2 ** 40 - 1)
      .all();
    expect(results).toHaveLength(2);
    expect(results[1]).toMatchObject({
      type: "MODIFIED",
      version: Number(now?.metadata.resourceVersion),
      previous: Number(made.metadata.resourceVersion),
      body: (await bodies(cluster)).get("d"),
    });
    const left = await DB.prepare("SELECT count(*) AS count FROM owner_refs WHERE cluster = ?1")
      .bind(cluster.id)
      .first();
    expect(left).toEqual({ count: 0 });
  });

  it("keeps the owners it has besides", async () => {
    const cluster = await TestCluster.create();
    const [owner, other] = [
      await cluster.make(configMap, { name: "owner" }),
      await cluster.make(configMap, { name: "other" }),
    ];
    await cluster.make(configMap, { name: "d", owners: [ownedBy(owner), ownedBy(other)] });
    await cluster.ask("team", remove(configMap, "owner", orphan));
    await cluster.settle();
    expect((await cluster.find(configMap, "d"))?.metadata.ownerReferences).toEqual([ownedBy(other)]);
    await cluster.ask("team", remove(configMap, "other"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("is released also where a sweep asks for its owners", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "owner" });
    const set = {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } } },
    };
    await cluster.make(kindOf("replicasets.apps"), {
      name: "rs",
      owners: [{ ...ownedBy(owner), apiVersion: "v1", controller: true }],
      fields: { spec: set },
    });
    await cluster.ask("team", remove(configMap, "owner", orphan));
    await cluster.settle();
    expect((await cluster.find(kindOf("replicasets.apps"), "rs"))?.metadata.ownerReferences).toBeUndefined();
  });
});
