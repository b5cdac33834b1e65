import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { histories, NAMESPACES } from "../../../test/model/history.ts";
import { kindRegistry } from "../../objects/kinds/registry.ts";
import { asUid } from "../../objects/object.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { create, DB, ownedBy, remove, TestCluster } from "../graph.fixture.ts";
import { History, pathOf } from "../history.fixture.ts";
import { FEW, parameters, timeout } from "../model.fixture.ts";
import { commitRestore } from "./commit-restore.ts";
import { readLost, readThere } from "./read-lost.ts";
import { outsideOwners, type Relinked, relink } from "./relink.ts";
import type { RestoreReply } from "./restore-request.ts";

const kinds = kindRegistry([]);
const configMap = kindOf("configmaps");

async function lostWith(cluster: TestCluster, uid: string, tree = true) {
  const reading = await readLost(DB, cluster.id, { uid, tree }, kinds);
  if (reading.found !== "lost") throw new Error(reading.found);
  return reading;
}

async function comeBack(cluster: TestCluster, uid: string, tree = true): Promise<Relinked[]> {
  const { lost } = await lostWith(cluster, uid, tree);
  const there = await readThere(DB, cluster.id, outsideOwners(lost));
  const newUid = () => asUid(crypto.randomUUID());
  return relink(lost, there, { now: cluster.now, newUid }).objects;
}

async function restore(
  cluster: TestCluster,
  objects: readonly Relinked[],
  dryRun = false,
): Promise<RestoreReply[]> {
  const replies: RestoreReply[] = [];
  const places = Map.groupBy(objects, ({ object }) => object.metadata.namespace ?? "");
  for (const [namespace, some] of [...places].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { store, kindsCache } = cluster.graph(namespace);
    const bodies = some.map(({ kind, object }) => ({ kind, body: JSON.stringify(object) }));
    replies.push((await commitRestore({ restore: bodies, dryRun }, store, kindsCache)).reply);
  }
  return replies;
}

/** Every object with the owners that it has, by their places: the graph without its uids. */
async function graphOf(history: History): Promise<string[]> {
  const state = await history.state();
  return [...state.values()]
    .map((object) => {
      const owners = object.owners
        .filter(({ uid }) => state.has(uid))
        .map(({ uid, blocking }) => `${pathOf(state.get(uid) ?? object)}${blocking ? "!" : ""}`);
      return `${pathOf(object)} ← ${owners.sort().join(", ")}`;
    })
    .sort();
}

test(`after ${FEW} histories a deletion that is undone leaves the same graph`, { timeout }, async () => {
  const property = fc.asyncProperty(histories(10), fc.nat(), async (steps, which) => {
    const history = new History(await TestCluster.create(NAMESPACES));
    const { cluster } = history;
    for (const step of steps) {
      // What finalizers hold would not be gone.
      const free = step.do === "create" ? { ...step, finalizers: [] } : step;
      const asked = free.do === "finalizers" ? undefined : history.request(free, await history.state());
      if (asked === undefined) continue;
      await history.send(asked, free);
      await history.cluster.settle();
    }
    const state = [...(await history.state()).values()];
    const target = state[which % Math.max(1, state.length)];
    if (target === undefined) return;
    const before = await graphOf(history);
    const { kind, namespace, name } = target;
    const step = { do: "delete", place: { kind, namespace, name }, policy: "Background" } as const;
    await history.send({ do: "delete", uid: target.uid, policy: "Background" }, step);
    await cluster.settle();
    const released = (await graphOf(history)).filter((line) => !before.includes(line));
    // Who lost a reference and lives on is another object now than the one that was deleted around.
    if (released.length > 0) return;
    for (const reply of await restore(cluster, await comeBack(cluster, target.uid))) {
      expect(reply).toMatchObject({ ok: true });
    }
    await cluster.settle();
    expect(await graphOf(history)).toEqual(before);
  });
  await fc.assert(property, { ...parameters, numRuns: FEW });
});

describe("a restore", () => {
  async function deleted(): Promise<{ cluster: TestCluster; root: string; leaf: string }> {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root", labels: { app: "web" } });
    const leaf = await cluster.make(configMap, { name: "leaf", owners: [ownedBy(root)] });
    await cluster.ask("team", remove(configMap, "root"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    return { cluster, root: root.metadata.uid, leaf: leaf.metadata.uid };
  }

  it("brings a tree back, and its labels and references count again", async () => {
    const { cluster, root } = await deleted();
    expect(await restore(cluster, await comeBack(cluster, root))).toMatchObject([{ ok: true }]);
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/leaf", "team/configmaps/root"]);
    await cluster.ask("team", remove(configMap, "root"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("of one object leaves out the reference to an owner that is gone, and it stays", async () => {
    const { cluster, leaf } = await deleted();
    const objects = await comeBack(cluster, leaf, false);
    expect(objects.map(({ object }) => object.metadata.ownerReferences)).toEqual([undefined]);
    await restore(cluster, objects);
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/leaf"]);
  });

  it("is refused with every name that is taken, and writes nothing", async () => {
    const { cluster, root } = await deleted();
    await cluster.ask("team", create(configMap, { name: "leaf" }));
    const [reply] = await restore(cluster, await comeBack(cluster, root));
    expect(reply).toMatchObject({ ok: false, failure: { reason: "Conflict" } });
    expect(JSON.stringify(reply)).toContain("ConfigMap team/leaf");
    expect(await cluster.left()).toEqual(["team/configmaps/leaf"]);
  });

  it("that is tried writes nothing", async () => {
    const { cluster, root } = await deleted();
    expect(await restore(cluster, await comeBack(cluster, root), true)).toMatchObject([{ ok: true }]);
    expect(await cluster.left()).toEqual([]);
  });

  it("needs a namespace that is there and open", async () => {
    const { cluster, root } = await deleted();
    await cluster.ask("", remove(kindOf("namespaces"), "team"));
    const objects = await comeBack(cluster, root);
    expect(await restore(cluster, objects)).toMatchObject([{ ok: false, failure: { reason: "Forbidden" } }]);
    await cluster.settle();
    expect(await restore(cluster, objects)).toMatchObject([{ ok: false, failure: { reason: "NotFound" } }]);
  });

  it("says what is still there, and what is not kept any more", async () => {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root" });
    await cluster.make(configMap, { name: "held", owners: [ownedBy(root)], finalizers: ["x/a"] });
    await cluster.ask("team", remove(configMap, "root"));
    await cluster.settle();
    await DB.prepare("DELETE FROM changes WHERE uid = ?1").bind(root.metadata.uid).run();
    const { lost, unrestorable } = await lostWith(cluster, root.metadata.uid);
    expect(lost).toEqual([]);
    expect(unrestorable.map(({ what, why }) => `${what} ${why}`).sort()).toEqual([
      "configmaps team/held still-there",
      "configmaps team/root forgotten",
    ]);
  });
});
