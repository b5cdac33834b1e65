import { describe, expect, it } from "vitest";
import { GET_OBJECT, type ObjectRow } from "../../../db/reads.ts";
import type { Kind } from "../../objects/kind.ts";
import { kindRegistry } from "../../objects/kinds/registry.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { blocking, DB, ownedBy, patch, remove, TestCluster } from "../graph.fixture.ts";
import { type Explained, explain } from "./explain.ts";
import { graceLeft, heldBy } from "./unblock.ts";

const configMap = kindOf("configmaps");

async function explained(cluster: TestCluster, kind: Kind, name: string): Promise<Explained> {
  const namespace = kind.namespaced ? "team" : "";
  const row = await DB.prepare(GET_OBJECT)
    .bind(cluster.id, kind.storedAs, namespace, name)
    .first<ObjectRow>();
  if (row === null) throw new Error(`there is no ${name}`);
  return explain(row, { db: DB, cluster: cluster.id, kinds: kindRegistry([]), now: cluster.now });
}

const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name);

describe("an owner in the foreground", () => {
  async function waiting(): Promise<TestCluster> {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root" });
    await cluster.make(configMap, { name: "free", owners: [blocking(root)] });
    await cluster.make(configMap, { name: "held", owners: [blocking(root)], finalizers: ["x/a"] });
    await cluster.make(configMap, { name: "other", owners: [ownedBy(root)], finalizers: ["x/b"] });
    await cluster.ask("team", remove(configMap, "root", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    return cluster;
  }

  it("waits for the dependents that block it, and says how far the cascade is", async () => {
    const { dependents, dependentCount, record, rest } = await explained(await waiting(), configMap, "root");
    expect(namesOf(dependents)).toEqual(["held"]);
    expect(dependentCount).toBe(2);
    expect(record).toMatchObject({ rule: "request", actor: "jane", policy: "Foreground" });
    expect(rest).toMatchObject({ gone: 1, removed: [] });
    expect(rest?.removedOnceUnblocked.map((node) => node.object.metadata.name).sort()).toEqual([
      "held",
      "other",
      "root",
    ]);
  });

  it("and goes when the finalizer that is named is taken off", async () => {
    const cluster = await waiting();
    const { rest } = await explained(cluster, configMap, "root");
    const blocked = rest?.blocked.map(({ node, finalizers }) => [node.object.metadata.name, ...finalizers]);
    expect(blocked?.sort()).toEqual([
      ["held", "x/a"],
      ["other", "x/b"],
    ]);
    await cluster.ask("team", patch(configMap, "held", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/other"]);
  });
});

it("a terminating Namespace says what is left in it, and which finalizers hold that", async () => {
  const cluster = await TestCluster.create();
  await cluster.make(configMap, { name: "a", finalizers: ["x/a"] });
  await cluster.make(configMap, { name: "b" });
  await cluster.ask("", remove(kindOf("namespaces"), "team"));
  await cluster.settle();
  const { content } = await explained(cluster, kindOf("namespaces"), "team");
  expect(content?.resources).toMatchObject([{ resource: "configmaps", count: 1 }]);
  expect(content?.finalizers).toEqual([{ finalizer: "x/a", count: 1 }]);
});

it("an object that lives says who owns it, what it owns, and what would go with it", async () => {
  const cluster = await TestCluster.create();
  const root = await cluster.make(configMap, { name: "root" });
  const missing = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: crypto.randomUUID() };
  const middle = await cluster.make(configMap, { name: "middle", owners: [ownedBy(root), missing] });
  await cluster.make(configMap, { name: "leaf", owners: [ownedBy(middle)] });
  const { owners, dependents, preview, rest } = await explained(cluster, configMap, "middle");
  expect(owners.map(({ reference, found }) => [reference.name, found])).toEqual([
    ["root", "solid"],
    ["nobody", "dangling"],
  ]);
  expect(namesOf(dependents)).toEqual(["leaf"]);
  expect(preview?.deletes.map((node) => node.object.metadata.name)).toEqual(["middle", "leaf"]);
  expect(rest).toBeUndefined();
});

describe("a finalizer", () => {
  const manager = (name: string, finalizer: string) => ({
    manager: name,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-11-20T16:20:03Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:finalizers": { ".": {}, [`v:${JSON.stringify(finalizer)}`]: {} } } },
  });
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      uid: "u",
      creationTimestamp: "2026-11-20T16:20:03Z",
      finalizers: ["x/a", "foregroundDeletion"],
      managedFields: [manager("someone", "x/b"), manager("kubectl-edit", "x/a")],
    },
  };

  it("names the manager that set it; the collector's has none", () => {
    expect(heldBy(object)).toMatchObject([
      { name: "x/a", setBy: "kubectl-edit", since: "2026-11-20T16:20:03Z" },
      { name: "foregroundDeletion", setBy: undefined },
    ]);
  });

  it("is not all: a Pod's node has its time", () => {
    const now = Date.parse("2026-11-20T16:20:00Z");
    const going = (seconds: number) => ({
      ...object,
      metadata: {
        ...object.metadata,
        deletionTimestamp: "2026-11-20T16:20:10Z",
        deletionGracePeriodSeconds: seconds,
      },
    });
    expect(graceLeft(going(30), now)).toBe(10);
    expect(graceLeft(going(30), now + 60_000)).toBe(0);
    expect(graceLeft(going(0), now)).toBeUndefined();
    expect(graceLeft(object, now)).toBeUndefined();
  });
});
