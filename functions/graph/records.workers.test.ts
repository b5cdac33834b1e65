import { describe, expect, it } from "vitest";
import { definition, kindOf } from "./decide/decide.fixture.ts";
import { GARBAGE_COLLECTOR, NAMESPACE_CONTROLLER } from "./drain/actors.ts";
import { blocking, DB, type Deletion, ownedBy, patch, remove, TestCluster } from "./graph.fixture.ts";

// Each object that goes leaves a record of why, and the causes lead to a request.

const configMap = kindOf("configmaps");
const pod = kindOf("pods");
const node = kindOf("nodes");
const namespaces = kindOf("namespaces");
const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");

/** Checks what holds for all records, whatever happened. */
async function checkRecords(cluster: TestCluster): Promise<Map<string, Deletion>> {
  const records = new Map((await cluster.deletions()).map((row) => [row.uid, row]));
  const { results: removed } = await DB.prepare(
    "SELECT uid, id & ?2 AS version FROM changes WHERE id >> 40 = ?1 AND type = 'DELETED'",
  )
    .bind(cluster.id, 2 ** 40 - 1)
    .all<{ uid: string; version: number }>();
  for (const { uid, version } of removed) {
    expect(records.get(uid), uid).toMatchObject({ removed_version: version });
  }
  for (const record of records.values()) {
    let head = record;
    for (let steps = 0; head.cause !== null; steps++) {
      const cause = records.get(head.cause);
      if (cause === undefined) throw new Error(`${head.name} has no cause`);
      if (steps > records.size) throw new Error(`the causes of ${record.name} go round in a circle`);
      head = cause;
    }
    expect(head.rule).toBe("request");
    expect(record.root).toBe(head.uid);
  }
  return records;
}

const told = (records: Map<string, Deletion>) =>
  [...records.values()]
    .map(({ name, rule, policy, actor, cause }) => {
      const owner = cause === null ? null : (records.get(cause)?.name ?? cause);
      return { name, rule, policy, actor, cause: owner };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));

describe("a record says", () => {
  it("who asked, by which policy, and when it was gone", async () => {
    const cluster = await TestCluster.create();
    const object = await cluster.make(configMap, { name: "a" });
    await cluster.ask("team", remove(configMap, "a"));
    expect(await cluster.deletions()).toEqual([
      {
        cluster: cluster.id,
        uid: object.metadata.uid,
        resource: "configmaps",
        namespace: "team",
        name: "a",
        rule: "request",
        actor: "jane",
        policy: "Background",
        cause: null,
        root: object.metadata.uid,
        began_at: cluster.now,
        removed_at: cluster.now,
        removed_version: 3,
      },
    ]);
  });

  it("when it began, while the object is still going", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a", finalizers: ["x/a"] });
    await cluster.ask("team", remove(configMap, "a"));
    const began = cluster.now;
    expect(await cluster.deletions()).toMatchObject([{ began_at: began, removed_at: null }]);
    await cluster.ask("team", patch(configMap, "a", { metadata: { finalizers: null } }));
    expect(await cluster.deletions()).toMatchObject([{ began_at: began, removed_at: cluster.now }]);
    await checkRecords(cluster);
  });

  it("the collector's cause for each level of a cascade", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    const b = await cluster.make(configMap, { name: "b", owners: [ownedBy(a)] });
    await cluster.make(configMap, { name: "c", owners: [ownedBy(b)] });
    await cluster.ask("team", remove(configMap, "a"));
    await cluster.settle();
    const collected = { rule: "owner-absent", actor: GARBAGE_COLLECTOR, policy: "Background" };
    expect(told(await checkRecords(cluster))).toEqual([
      { name: "a", rule: "request", actor: "jane", policy: "Background", cause: null },
      { name: "b", ...collected, cause: "a" },
      { name: "c", ...collected, cause: "b" },
    ]);
  });

  it("the same in the foreground, where the owner goes last", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    const b = await cluster.make(configMap, { name: "b", owners: [blocking(a)] });
    await cluster.make(configMap, { name: "c", owners: [blocking(b)] });
    await cluster.ask("team", remove(configMap, "a", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    const collected = { rule: "owner-deleting", actor: GARBAGE_COLLECTOR };
    expect(told(await checkRecords(cluster))).toEqual([
      { name: "a", rule: "request", actor: "jane", policy: "Foreground", cause: null },
      { name: "b", ...collected, policy: "Foreground", cause: "a" },
      { name: "c", ...collected, policy: "Background", cause: "b" },
    ]);
  });

  it("the policy that came true, whether it was asked for, set by hand, or the kind's", async () => {
    const cluster = await TestCluster.create();
    const job = kindOf("jobs.batch");
    const template = { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } };
    await cluster.make(configMap, { name: "asked" });
    await cluster.make(configMap, { name: "by-hand", finalizers: ["foregroundDeletion"] });
    await cluster.make(job, { name: "default", fields: { spec: { template } } });
    await cluster.make(configMap, { name: "changed", finalizers: ["x/a"] });
    await cluster.ask("team", remove(configMap, "asked", { orphanDependents: true }));
    await cluster.ask("team", remove(configMap, "by-hand"));
    await cluster.ask("team", remove(job, "default"));
    await cluster.ask("team", remove(configMap, "changed"));
    await cluster.ask("team", remove(configMap, "changed", { propagationPolicy: "Orphan" }));
    await cluster.settle();
    expect(told(await checkRecords(cluster)).map(({ name, policy }) => [name, policy])).toEqual([
      ["asked", "Orphan"],
      ["by-hand", "Foreground"],
      ["changed", "Orphan"],
      ["default", "Orphan"],
    ]);
  });

  it("the Namespace for what was in it, and for what that owned elsewhere", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(configMap, { name: "a" });
    await cluster.make(configMap, { name: "b", owners: [blocking(owner)] });
    await cluster.make(pod, { name: "p", fields: { spec: { containers: [{ name: "c", image: "i" }] } } });
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    const controlled = { actor: NAMESPACE_CONTROLLER, policy: "Background", cause: "team" };
    expect(told(await checkRecords(cluster))).toEqual([
      { name: "a", rule: "namespace", ...controlled },
      { name: "b", rule: "namespace", ...controlled },
      { name: "p", rule: "namespace", ...controlled },
      { name: "team", rule: "request", actor: "jane", policy: "Background", cause: null },
    ]);
  });

  it("the definition for its objects, and those for what they owned", async () => {
    const cluster = await TestCluster.create();
    const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
    await cluster.make(definitions, { name: metadata.name, fields });
    const owner = await cluster.make(await cluster.kind(metadata.name), { name: "w" });
    await cluster.make(configMap, { name: "c", owners: [ownedBy(owner)] });
    await cluster.ask("", remove(definitions, metadata.name));
    await cluster.settle();
    expect(told(await checkRecords(cluster)).map(({ name, rule, cause }) => [name, rule, cause])).toEqual([
      ["c", "owner-absent", "w"],
      ["w", "kind-removed", metadata.name],
      [metadata.name, "request", null],
    ]);
  });

  it("one cause for an object that two owners would take along, the first", async () => {
    const cluster = await TestCluster.create();
    const [a, b] = [
      await cluster.make(configMap, { name: "a" }),
      await cluster.make(configMap, { name: "b" }),
    ];
    await cluster.make(configMap, { name: "c", owners: [ownedBy(a), ownedBy(b)] });
    await cluster.ask("team", remove(configMap, "b"), remove(configMap, "a"));
    await cluster.settle();
    expect(told(await checkRecords(cluster)).at(-1)).toMatchObject({ name: "c", cause: "a" });
  });

  it("a cause in another graph for what a cluster-scoped owner took along", async () => {
    const cluster = await TestCluster.create(["a", "b"]);
    const owner = await cluster.make(node, { name: "n" });
    for (const namespace of ["a", "b"]) {
      await cluster.make(configMap, { name: `d-${namespace}`, owners: [ownedBy(owner)] }, namespace);
    }
    await cluster.ask("", remove(node, "n"));
    await cluster.settle();
    expect(told(await checkRecords(cluster)).map(({ name, cause }) => [name, cause])).toEqual([
      ["d-a", "n"],
      ["d-b", "n"],
      ["n", null],
    ]);
  });

  it("the uid that was claimed, when there never was such an owner", async () => {
    const cluster = await TestCluster.create();
    const missing = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "never-was" };
    await cluster.make(configMap, { name: "a", owners: [missing] });
    await cluster.settle();
    expect(await cluster.deletions()).toMatchObject([
      { rule: "owner-absent", cause: "never-was", root: "never-was" },
    ]);
  });
});
