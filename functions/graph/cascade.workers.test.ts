import { describe, expect, it, test } from "vitest";
import type { KubeObject, OwnerReference } from "../objects/object.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { blocking, create, ownedBy, patch, remove, TestCluster } from "./graph.fixture.ts";

const configMap = kindOf("configmaps");
const controller = kindOf("replicationcontrollers");
const pod = kindOf("pods");
const node = kindOf("nodes");

const missing: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "none" };
const unresolvable: OwnerReference = { apiVersion: "nowhere.io/v1", kind: "Thing", name: "x", uid: "x" };

const ownersOf = async (cluster: TestCluster, name: string, kind = configMap) => {
  const object = await cluster.find(kind, name);
  return object && (object.metadata.ownerReferences ?? []).map((reference) => reference.name);
};

/** `a` ← `b` ← `c`, as given by their names: each is owned by the one before. */
async function chain(cluster: TestCluster, names: string[], link = blocking): Promise<KubeObject[]> {
  const made: KubeObject[] = [];
  for (const name of names) {
    const owner = made.at(-1);
    made.push(await cluster.make(configMap, { name, owners: owner ? [link(owner)] : [] }));
  }
  return made;
}

describe("without any DELETE", () => {
  it("#84 an object goes whose owners are all absent, and one with a live owner loses the others", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(controller, { name: "rc", fields: { spec: { replicas: 0 } } });
    await cluster.make(configMap, { name: "a", owners: [ownedBy(owner)] });
    await cluster.make(configMap, { name: "b", owners: [missing] });
    await cluster.make(configMap, { name: "c", owners: [ownedBy(owner), missing] });
    await cluster.settle();
    expect(await cluster.left()).toEqual([
      "team/configmaps/a",
      "team/configmaps/c",
      "team/replicationcontrollers/rc",
    ]);
    expect(await ownersOf(cluster, "c")).toEqual(["rc"]);
  });

  it("#85 an object created for an owner that is gone goes too", async () => {
    const cluster = await TestCluster.create();
    const [owner] = await chain(cluster, ["owner"]);
    await cluster.ask("team", remove(configMap, "owner"));
    await cluster.make(configMap, { name: "late", owners: owner ? [ownedBy(owner)] : [] });
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("a healthy object goes when an update gives it an owner that never was", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "healthy" });
    await cluster.ask("team", patch(configMap, "healthy", { metadata: { ownerReferences: [missing] } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("an object goes when what stood in the way of deciding about it is taken out of its references", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "kept", owners: [missing, unresolvable] });
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/kept"]);
    await cluster.ask("team", patch(configMap, "kept", { metadata: { ownerReferences: [missing] } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("an object that owns itself stays", async () => {
    const cluster = await TestCluster.create();
    const object = await cluster.make(configMap, { name: "self" });
    const owners = [ownedBy(object)];
    await cluster.ask("team", patch(configMap, "self", { metadata: { ownerReferences: owners } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/self"]);
  });

  it("#128 the unresolvable protects, and a claim of the wrong kind brings only its dependent down", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const parent = await cluster.make(configMap, { name: "parent" }, "other");
    const secret = kindOf("secrets");
    for (let i = 0; i < 10; i++) {
      await cluster.make(secret, { name: `good${i}`, owners: [ownedBy(parent)] }, "other");
    }
    const wrongKind = ownedBy(parent, { kind: "Pod" });
    const unknown = Array.from({ length: 25 }, (_, i) => ({ ...unresolvable, uid: `u${i}` }));
    await cluster.make(configMap, { name: "many", owners: [...unknown, wrongKind] });
    await cluster.make(secret, { name: "bad", owners: [wrongKind] });
    await cluster.settle();
    const left = (await cluster.left()).filter((path) => !path.includes("/events/"));
    expect(left).toEqual([
      "other/configmaps/parent",
      ...Array.from({ length: 10 }, (_, i) => `other/secrets/good${i}`),
      "team/configmaps/many",
    ]);
  });
});

describe("a DELETE in the background", () => {
  it("#89 takes the owner at once and the rest level by level", async () => {
    const cluster = await TestCluster.create();
    await chain(cluster, ["a", "b", "c", "d"], (owner) => ownedBy(owner));
    await cluster.ask("team", remove(configMap, "a"));
    expect(await cluster.left()).toEqual(["team/configmaps/b", "team/configmaps/c", "team/configmaps/d"]);
    await cluster.slice("team");
    expect(await cluster.left()).toEqual(["team/configmaps/c", "team/configmaps/d"]);
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("#99 takes a whole cycle", async () => {
    const cluster = await TestCluster.create();
    const [, , c] = await chain(cluster, ["a", "b", "c"]);
    const owners = c ? [blocking(c)] : [];
    await cluster.ask("team", patch(configMap, "a", { metadata: { ownerReferences: owners } }));
    await cluster.settle();
    expect(await cluster.left()).toHaveLength(3);
    await cluster.ask("team", remove(configMap, "a"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("#103 goes on as the finalizers of a dependent say: orphan releases its dependents", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    const b = await cluster.make(configMap, { name: "b", owners: [ownedBy(a)], finalizers: ["orphan"] });
    await cluster.make(configMap, { name: "c", owners: [blocking(b)] });
    await cluster.ask("team", remove(configMap, "a"));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/c"]);
    expect(await ownersOf(cluster, "c")).toEqual([]);
  });

  it("#108 leaves the dependents of an owner that something else holds", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a", finalizers: ["x/a"] });
    await cluster.make(configMap, { name: "b", owners: [blocking(a)] });
    await cluster.ask("team", remove(configMap, "a"));
    await cluster.settle();
    expect(await cluster.left()).toHaveLength(2);
    await cluster.ask("team", patch(configMap, "a", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("reaches dependents in every namespace, and the cluster's", async () => {
    const cluster = await TestCluster.create(["a", "b", "c"]);
    const owner = await cluster.make(node, { name: "n" });
    for (const namespace of ["a", "b"]) {
      await cluster.make(configMap, { name: "d", owners: [ownedBy(owner)] }, namespace);
    }
    await cluster.make(node, { name: "m", owners: [ownedBy(owner)] });
    await cluster.make(configMap, { name: "other" }, "c");
    await cluster.ask("", remove(node, "n"));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["c/configmaps/other"]);
  });

  it("#65 of an owner that is going in the foreground takes it at once", async () => {
    const cluster = await TestCluster.create();
    await chain(cluster, ["a", "b"]);
    await cluster.ask("team", remove(configMap, "a", { propagationPolicy: "Foreground" }));
    await cluster.ask("team", remove(configMap, "a", { propagationPolicy: "Background" }));
    expect(await cluster.left()).toEqual(["team/configmaps/b"]);
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });
});

describe("a DELETE in the foreground", () => {
  const foreground = { propagationPolicy: "Foreground" } as const;

  it("#101 takes the leaves first and the owner last", async () => {
    const cluster = await TestCluster.create();
    await chain(cluster, ["a", "b", "c"]);
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    const gone = (await cluster.deletions()).sort(
      (one, other) => (one.removed_version ?? 0) - (other.removed_version ?? 0),
    );
    expect(gone.map(({ name, policy }) => [name, policy])).toEqual([
      ["c", "Background"],
      ["b", "Foreground"],
      ["a", "Foreground"],
    ]);
  });

  it("#92 #93 leaves what another owner has, without its reference and unmarked", async () => {
    const cluster = await TestCluster.create();
    const [a] = await chain(cluster, ["a"]);
    const other = await cluster.make(configMap, { name: "other" });
    await cluster.make(configMap, { name: "shared", owners: a ? [blocking(a), ownedBy(other)] : [] });
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/other", "team/configmaps/shared"]);
    expect(await ownersOf(cluster, "shared")).toEqual(["other"]);
    expect((await cluster.find(configMap, "shared"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("#94 does not wait for dependents that do not block", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    await cluster.make(configMap, { name: "b", owners: [ownedBy(a)], finalizers: ["x/a"] });
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/b"]);
    expect((await cluster.find(configMap, "b"))?.metadata.deletionTimestamp).toBeDefined();
  });

  describe("#95 waits for one that blocks and is held,", () => {
    async function waiting(): Promise<TestCluster> {
      const cluster = await TestCluster.create();
      const a = await cluster.make(configMap, { name: "a" });
      await cluster.make(configMap, { name: "b", owners: [blocking(a)], finalizers: ["x/a"] });
      await cluster.make(configMap, { name: "c", owners: [ownedBy(a)], finalizers: ["x/a"] });
      await cluster.ask("team", remove(configMap, "a", foreground));
      await cluster.settle();
      expect(await ownersOf(cluster, "a")).toEqual([]);
      return cluster;
    }

    const unblocked = (object: KubeObject | undefined) =>
      object?.metadata.ownerReferences?.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    test.each<[string, (object: KubeObject | undefined) => object]>([
      ["until that has gone", () => ({ finalizers: null })],
      ["#96 until that blocks no more", (object) => ({ ownerReferences: unblocked(object) })],
      ["#97 until that names it no more", () => ({ ownerReferences: null })],
    ])("%s", async (_, change) => {
      const cluster = await waiting();
      const metadata = change(await cluster.find(configMap, "b"));
      await cluster.ask("team", patch(configMap, "b", { metadata }));
      await cluster.settle();
      expect(await cluster.find(configMap, "a")).toBeUndefined();
    });
  });

  it("#98 takes a whole cycle of blocking owners", async () => {
    const cluster = await TestCluster.create();
    const [, , c] = await chain(cluster, ["a", "b", "c"]);
    const owners = c ? [blocking(c)] : [];
    await cluster.ask("team", patch(configMap, "a", { metadata: { ownerReferences: owners } }));
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("#100 of one that blocks itself waits, until it blocks itself no more", async () => {
    const cluster = await TestCluster.create();
    const object = await cluster.make(configMap, { name: "self" });
    const ownerReferences = [blocking(object)];
    await cluster.ask("team", patch(configMap, "self", { metadata: { ownerReferences } }));
    await cluster.ask("team", remove(configMap, "self", foreground));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/self"]);
    const released = [{ ...ownedBy(object), blockOwnerDeletion: false }];
    await cluster.ask("team", patch(configMap, "self", { metadata: { ownerReferences: released } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("#104 is stronger than a dependent's own finalizer", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    const b = await cluster.make(configMap, { name: "b", owners: [blocking(a)], finalizers: ["orphan"] });
    await cluster.make(configMap, { name: "c", owners: [blocking(b)] });
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("#109 takes one whose other owner is absent", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    await cluster.make(configMap, { name: "b", owners: [blocking(a), missing] });
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("takes a blocking dependent that came while the owner waited", async () => {
    const cluster = await TestCluster.create();
    const a = await cluster.make(configMap, { name: "a" });
    await cluster.make(configMap, { name: "held", owners: [blocking(a)], finalizers: ["x/a"] });
    await cluster.ask("team", remove(configMap, "a", foreground));
    await cluster.settle();
    await cluster.make(configMap, { name: "late", owners: [blocking(a)] });
    await cluster.ask("team", patch(configMap, "held", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("#64 that is repeated while something else holds it sets the finalizer, and loses it again", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "a", finalizers: ["x/lucy"] });
    for (const _ of [1, 2]) {
      await cluster.ask("team", remove(configMap, "a", foreground));
      expect((await cluster.find(configMap, "a"))?.metadata.finalizers).toContain("foregroundDeletion");
      await cluster.settle();
      expect((await cluster.find(configMap, "a"))?.metadata.finalizers).toEqual(["x/lucy"]);
    }
  });

  it("takes dependents that do not block as well, in whatever order the graphs get to it", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(node, { name: "n", finalizers: ["x/a"] });
    await cluster.make(configMap, { name: "blocks", owners: [blocking(owner)] });
    await cluster.make(configMap, { name: "free", owners: [ownedBy(owner)] });
    await cluster.ask("", remove(node, "n", foreground));
    // The cluster's graph looks at the owner before the namespace's has looked at the dependents.
    while (await cluster.slice(""));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["nodes/n"]);
  });
});

describe("a DELETE that orphans", () => {
  const orphan = { propagationPolicy: "Orphan" } as const;

  it("#102 of the middle of a chain releases what is below and leaves what is above", async () => {
    const cluster = await TestCluster.create();
    await chain(cluster, ["a", "b", "c"]);
    await cluster.ask("team", remove(configMap, "b", orphan));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/a", "team/configmaps/c"]);
    expect(await ownersOf(cluster, "c")).toEqual([]);
  });

  it("#87 keeps the dependents, and their other owners", async () => {
    const cluster = await TestCluster.create();
    const [a, b] = [
      await cluster.make(configMap, { name: "a" }),
      await cluster.make(configMap, { name: "b" }),
    ];
    await cluster.make(configMap, { name: "d", owners: [blocking(a), ownedBy(b)] });
    await cluster.ask("team", remove(configMap, "a", orphan));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/b", "team/configmaps/d"]);
    expect(await ownersOf(cluster, "d")).toEqual(["b"]);
  });

  it("#88 is what a v1 ReplicationController does by itself", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(controller, { name: "rc", fields: { spec: { replicas: 0 } } });
    await cluster.make(configMap, { name: "d", owners: [blocking(owner)] });
    await cluster.ask("team", remove(controller, "rc"));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/d"]);
    expect(await cluster.deletions()).toMatchObject([{ name: "rc", policy: "Orphan" }]);
  });

  it("keeps a dependent that came while it was released", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const owner = await cluster.make(node, { name: "n" });
    await cluster.make(configMap, { name: "early", owners: [ownedBy(owner)] });
    await cluster.ask("", remove(node, "n", orphan));
    while (await cluster.slice("team"));
    await cluster.make(configMap, { name: "late", owners: [ownedBy(owner)] }, "other");
    await cluster.settle();
    expect(await cluster.left()).toEqual(["other/configmaps/late", "team/configmaps/early"]);
  });

  it("#66 that another DELETE turns into the foreground takes the dependents", async () => {
    const cluster = await TestCluster.create();
    await chain(cluster, ["a", "b"]);
    await cluster.ask("team", remove(configMap, "a", orphan));
    await cluster.ask("team", remove(configMap, "a", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect(await cluster.deletions()).toMatchObject([
      { name: "a", policy: "Foreground", rule: "request" },
      { name: "b", rule: "owner-deleting" },
    ]);
  });

  it("#143 keeps a cluster-scoped dependent", async () => {
    const cluster = await TestCluster.create();
    const owner = await cluster.make(node, { name: "n" });
    await cluster.make(node, { name: "m", owners: [ownedBy(owner)] });
    await cluster.ask("", remove(node, "n", orphan));
    await cluster.settle();
    expect(await cluster.left()).toEqual(["nodes/m"]);
    expect(await ownersOf(cluster, "m", node)).toEqual([]);
  });
});

describe("an owner in another namespace", () => {
  const events = async (cluster: TestCluster) =>
    (await cluster.left()).filter((path) => path.includes("/events/"));

  it("#130 is no owner: the dependent goes, a Warning tells why, and the owner is left alone", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const owner = await cluster.make(configMap, { name: "owner" }, "other");
    await cluster.make(configMap, { name: "child", owners: [ownedBy(owner)] }, "other");
    await cluster.make(configMap, { name: "child", owners: [ownedBy(owner)] });
    await cluster.settle();
    const [event, ...others] = await events(cluster);
    expect(others).toEqual([]);
    expect(event).toMatch(/^team\/events\/child\.[0-9a-f]{16}$/);
    expect((await cluster.left()).filter((path) => path !== event)).toEqual([
      "other/configmaps/child",
      "other/configmaps/owner",
    ]);
  });

  it("is told once for each dependent, though many of one name were written at once", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const owner = await cluster.make(configMap, { name: "owner" }, "other");
    const owners = [ownedBy(owner)];
    await cluster.ask(
      "team",
      ...["configmaps", "secrets", "serviceaccounts"].map((store) =>
        create(kindOf(store), { name: "child", owners }),
      ),
    );
    await cluster.settle();
    expect(await events(cluster)).toHaveLength(3);
  });

  it("is told although another owner is absent, whichever is named first", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const owner = await cluster.make(configMap, { name: "owner" }, "other");
    await cluster.make(configMap, { name: "a", owners: [missing, ownedBy(owner)] });
    await cluster.make(configMap, { name: "b", owners: [ownedBy(owner), missing] });
    await cluster.settle();
    expect(await events(cluster)).toHaveLength(2);
  });

  it("#132 never takes a cluster-scoped dependent, whose Warning is in the namespace `default`", async () => {
    const cluster = await TestCluster.create(["team", "default"]);
    const owner = await cluster.make(configMap, { name: "owner" });
    await cluster.make(node, { name: "n", owners: [ownedBy(owner)] });
    await cluster.settle();
    await cluster.ask("team", remove(configMap, "owner"));
    await cluster.settle();
    const [event] = await events(cluster);
    expect(event).toMatch(/^default\/events\/n\./);
    expect(await cluster.left()).toEqual(["nodes/n", event]);
  });

  it("that waits for its dependents does not wait for one elsewhere", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    const owner = await cluster.make(configMap, { name: "owner" }, "other");
    await cluster.make(configMap, { name: "d", owners: [blocking(owner), unresolvable] });
    await cluster.ask("other", remove(configMap, "owner", { propagationPolicy: "Foreground" }));
    await cluster.settle();
    // The dependent cannot be decided about, so it holds the owner until it goes.
    expect((await cluster.left()).filter((path) => path.includes("configmaps"))).toHaveLength(2);
    await cluster.ask("team", remove(configMap, "d"));
    await cluster.settle();
    expect((await cluster.left()).filter((path) => path.includes("configmaps"))).toEqual([]);
  });
});

it("#82 #98 a Pod in its grace period goes when its node says so, and its dependents then", async () => {
  const cluster = await TestCluster.create();
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  const owner = await cluster.make(pod, { name: "p", fields: { spec } });
  await cluster.make(configMap, { name: "d", owners: [blocking(owner)] });
  await cluster.ask("team", remove(pod, "p"));
  await cluster.settle();
  expect(await cluster.left()).toEqual(["team/configmaps/d", "team/pods/p"]);
  await cluster.ask("team", remove(pod, "p", { gracePeriodSeconds: 0 }));
  await cluster.settle();
  expect(await cluster.left()).toEqual([]);
});
