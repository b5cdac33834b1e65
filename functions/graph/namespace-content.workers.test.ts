import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { WatchedDatabase } from "./database.fixture.ts";
import { definition, kindOf } from "./decide/decide.fixture.ts";
import {
  blocking,
  create,
  DB,
  finalize,
  objectOf,
  ownedBy,
  patch,
  remove,
  TestCluster,
} from "./graph.fixture.ts";

const configMap = kindOf("configmaps");
const pod = kindOf("pods");
const node = kindOf("nodes");
const namespaces = kindOf("namespaces");
const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");
const unresolvable = { apiVersion: "nowhere.io/v1", kind: "Thing", name: "x", uid: "x" };
const running = { spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] } };

const conditionsOf = (namespace: KubeObject | undefined): Record<string, unknown> => {
  const status = isJsonObject(namespace?.status) ? namespace.status : {};
  const conditions = Array.isArray(status.conditions) ? (status.conditions as JsonObject[]) : [];
  return Object.fromEntries(conditions.map(({ type, status: is }) => [String(type), is]));
};

async function withWidgets(scope: "Namespaced" | "Cluster" = "Namespaced"): Promise<TestCluster> {
  const cluster = await TestCluster.create();
  const { metadata, ...fields } = definition("Widget", "widgets", scope);
  await cluster.make(definitions, { name: metadata.name, fields });
  return cluster;
}

describe("a Namespace that is deleted", () => {
  it("#155 takes everything in it along, and a new one of the name has nothing in it", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    await cluster.make(pod, { name: "p", fields: { spec: { containers: [{ name: "c", image: "i" }] } } });
    for (const store of ["configmaps", "secrets", "deployments.apps"]) {
      await cluster.make(kindOf(store), { name: "x", fields: store.includes("apps") ? deployment : {} });
    }
    await cluster.make(configMap, { name: "x" }, "other");
    const [reply] = await cluster.ask("", remove(namespaces, "team"));
    expect(objectOf(reply).status).toMatchObject({ phase: "Terminating" });
    await cluster.settle();
    expect(await cluster.left()).toEqual(["other/configmaps/x"]);
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
    await cluster.make(namespaces, { name: "team" });
    await cluster.settle();
    expect(await cluster.left()).toEqual(["other/configmaps/x"]);
  });

  it("goes as well when it was given back the finalizer that its content is deleted for", async () => {
    const cluster = await TestCluster.create(["team"]);
    const spec = (...finalizers: string[]) => ({ metadata: { name: "team" }, spec: { finalizers } });
    await cluster.ask("", finalize("team", spec("x.io/hold")));
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    await cluster.ask("", finalize("team", spec("kubernetes")));
    await cluster.settle();
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
  });

  it("#153 takes nothing new", async () => {
    const cluster = await TestCluster.create();
    await cluster.ask("", remove(namespaces, "team"));
    const [reply] = await cluster.ask("team", create(configMap, { name: "x" }));
    expect(reply).toMatchObject({ ok: false, failure: { reason: "Forbidden" } });
  });

  it("#160 waits for its Pods before anything else goes, and says so", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(pod, {
      name: "p",
      finalizers: ["x/a"],
      fields: { spec: { containers: [{ name: "c", image: "i" }] } },
    });
    await cluster.make(configMap, { name: "c" });
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/c", "team/pods/p"]);
    expect((await cluster.find(configMap, "c"))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await cluster.find(pod, "p"))?.metadata.deletionTimestamp).toBeDefined();
    expect(conditionsOf(await cluster.find(namespaces, "team"))).toMatchObject({
      NamespaceContentRemaining: "True",
      NamespaceFinalizersRemaining: "True",
      NamespaceDeletionContentFailure: "False",
    });
    await cluster.ask("team", patch(pod, "p", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
  });

  it("#157 waits for what finalizers hold, and goes with the last of it", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a", finalizers: ["x/a"] });
    await cluster.make(configMap, { name: "b", finalizers: ["orphan"] });
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/a"]);
    await cluster.ask("team", patch(configMap, "a", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
  });

  it("#159 is not written again and again while it waits", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a", finalizers: ["x/a", "x/b"] });
    await cluster.make(configMap, { name: "b", finalizers: ["x/a"] });
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    const before = (await cluster.find(namespaces, "team"))?.metadata.resourceVersion;
    await cluster.ask("team", patch(configMap, "a", { metadata: { labels: { a: "b" } } }));
    await cluster.settle();
    expect((await cluster.find(namespaces, "team"))?.metadata.resourceVersion).toBe(before);
  });

  it("comes to rest while a Pod in its grace period is held by its dependents", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(pod, { name: "p", fields: running });
    await cluster.make(configMap, { name: "d", owners: [blocking(owner)], finalizers: ["x/a"] });
    await cluster.ask("team", remove(pod, "p", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    expect((await cluster.find(pod, "p"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await cluster.ask("", remove(namespaces, "team"));
    expect(await cluster.settle()).toBeLessThan(20);

    await cluster.ask("team", patch(configMap, "d", { metadata: { finalizers: null } }));
    await cluster.ask("team", remove(pod, "p", { gracePeriodSeconds: 0 }));
    await cluster.settle();
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
  });

  it("tells an owner outside that waited for something in it", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(node, { name: "n" });
    await cluster.make(configMap, { name: "d", owners: [blocking(owner), unresolvable] });
    await cluster.ask("", remove(node, "n", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["nodes/n", "team/configmaps/d"]);
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("tells an owner outside that begins to wait while it is being emptied", async () => {
    const watched = new WatchedDatabase(DB);
    const cluster = await TestCluster.create(["team"], watched.asD1);
    const owner = await cluster.make(node, { name: "n" });
    await cluster.make(configMap, { name: "d", owners: [blocking(owner), unresolvable] });
    await cluster.ask("", remove(namespaces, "team"));
    let interrupted = false;
    watched.around = async (sql, send) => {
      if (!interrupted && sql.some((text) => text.includes("DELETE FROM objects"))) {
        interrupted = true;
        await cluster.ask("", remove(node, "n", { propagationPolicy: "Foreground" }));
        while (await cluster.slice(""));
      }
      return send();
    };
    await cluster.settle();
    expect(interrupted).toBe(true);
    expect(await cluster.left()).toEqual([]);
  });

  it("#147 in the foreground waits for its dependents too, wherever they are", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const team = await cluster.find(namespaces, "team");
    if (!team) throw new Error("no namespace");
    await cluster.make(configMap, { name: "d", owners: [blocking(team)], finalizers: ["x/a"] }, "other");
    await cluster.ask("", remove(namespaces, "team", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    expect((await cluster.find(namespaces, "team"))?.spec).toEqual({ finalizers: [] });
    await cluster.ask("other", patch(configMap, "d", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
  });

  it("#150 goes when its finalizer is taken off by hand", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a", finalizers: ["x/a"] });
    await cluster.ask("", remove(namespaces, "team"));
    await cluster.settle();
    const team = await cluster.find(namespaces, "team");
    await cluster.ask("", finalize("team", { ...team, spec: { finalizers: [] } }));
    expect(await cluster.find(namespaces, "team")).toBeUndefined();
  });
});

const deployment = {
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

describe("a CustomResourceDefinition that is deleted", () => {
  it("#161 takes its objects along and what they own, again when it was made anew", async () => {
    const cluster = await withWidgets();
    for (const round of [1, 2]) {
      const widget = await cluster.kind("widgets.example.com");
      const owner = await cluster.make(widget, { name: "w" });
      await cluster.make(configMap, { name: `c${round}`, owners: [ownedBy(owner)] });
      await cluster.ask("", remove(definitions, "widgets.example.com"));
      await cluster.settle();
      expect(await cluster.left()).toEqual([]);
      expect(await cluster.find(definitions, "widgets.example.com")).toBeUndefined();
      const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
      await cluster.make(definitions, { name: metadata.name, fields });
    }
  });

  it("#162 waits for an object that a finalizer holds, takes no new ones, and then goes", async () => {
    const cluster = await withWidgets();
    const widget = await cluster.kind("widgets.example.com");
    await cluster.make(widget, { name: "w", finalizers: ["x/a"] });
    await cluster.ask("", remove(definitions, "widgets.example.com"));
    await cluster.settle();
    expect((await cluster.find(widget, "w"))?.metadata.deletionTimestamp).toBeDefined();
    const [refused] = await cluster.ask("team", create(widget, { name: "v" }));
    expect(refused).toMatchObject({ ok: false, failure: { reason: "MethodNotAllowed" } });
    await cluster.ask("team", patch(widget, "w", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.find(definitions, "widgets.example.com")).toBeUndefined();
  });

  it("takes cluster-scoped objects along", async () => {
    const cluster = await withWidgets("Cluster");
    const widget = await cluster.kind("widgets.example.com");
    const owner = await cluster.make(widget, { name: "w" });
    await cluster.make(widget, { name: "v", owners: [ownedBy(owner)] });
    await cluster.ask("", remove(definitions, "widgets.example.com"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect(await cluster.find(definitions, "widgets.example.com")).toBeUndefined();
  });

  describe("and whose finalizer is taken off by hand leaves objects behind, which", () => {
    const orphaned = { finalizers: ["x/a"] };
    async function leftover(): Promise<TestCluster> {
      const cluster = await withWidgets();
      const widget = await cluster.kind("widgets.example.com");
      const owner = await cluster.make(configMap, { name: "owner" });
      const made = await cluster.make(widget, { name: "w", owners: [blocking(owner)], ...orphaned });
      await cluster.make(configMap, { name: "d", owners: [ownedBy(made)] });
      await cluster.ask("", remove(definitions, "widgets.example.com"));
      await cluster.ask("", patch(definitions, "widgets.example.com", { metadata: { finalizers: null } }));
      await cluster.settle();
      expect(await cluster.left()).toEqual([
        "team/configmaps/d",
        "team/configmaps/owner",
        "team/widgets.example.com/w",
      ]);
      return cluster;
    }

    it("are released by an owner that orphans", async () => {
      const cluster = await leftover();
      await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Orphan" }));
      await cluster.settle();
      expect(await cluster.left()).toEqual(["team/configmaps/d", "team/widgets.example.com/w"]);
    });

    it.each(["Background", "Foreground"] as const)("are deleted with their owner: %s", async (policy) => {
      const cluster = await leftover();
      await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: policy }));
      await cluster.settle();
      const going = (await cluster.deletions()).map((row) => row.name);
      expect(going.sort()).toEqual(["owner", "w", "widgets.example.com"]);
    });
  });

  it("leaves no object behind that is created while it goes", async () => {
    const watched = new WatchedDatabase(DB);
    const cluster = await TestCluster.create(["team"], watched.asD1);
    const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
    await cluster.make(definitions, { name: metadata.name, fields });
    const widget = await cluster.kind("widgets.example.com");
    let interrupted = false;
    watched.around = async (sql, send) => {
      if (!interrupted && sql.some((text) => text.includes("INSERT INTO objects"))) {
        interrupted = true;
        await cluster.ask("", remove(definitions, "widgets.example.com"));
        await cluster.settle();
      }
      return send();
    };
    const [reply] = await cluster.ask("team", create(widget, { name: "late" }));
    await cluster.settle();
    expect(interrupted).toBe(true);
    expect(reply).toMatchObject({ ok: false, failure: { reason: "NoSuchResource" } });
    expect(await cluster.left()).toEqual([]);
  });
});
