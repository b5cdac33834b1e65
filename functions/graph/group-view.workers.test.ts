import { describe, expect, it } from "vitest";
import { WatchedDatabase } from "./database.fixture.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, DB, objectOf, ownedBy, patch, remove, TestCluster, tables } from "./graph.fixture.ts";

// Creates of which nothing has to be known are not read for; what is assumed of them is checked by their batch.

const configMap = kindOf("configmaps");
const namespaces = kindOf("namespaces");

async function watchedCluster() {
  const watched = new WatchedDatabase(DB);
  const cluster = await TestCluster.create(["team"], watched.asD1);
  await cluster.make(configMap, { name: "taken" });
  watched.reset();
  return { watched, cluster };
}

describe("creates", () => {
  it("of new names cost one batch and no read", async () => {
    const { watched, cluster } = await watchedCluster();
    const replies = await cluster.ask("team", ...["a", "b"].map((name) => create(configMap, { name })));
    expect(watched.costs.calls).toBe(1);
    expect(replies.map((reply) => objectOf(reply))).toEqual([
      await cluster.find(configMap, "a"),
      await cluster.find(configMap, "b"),
    ]);
  });

  it("are read for when they name an owner, or a sweep may look at them", async () => {
    const { watched, cluster } = await watchedCluster();
    const owner = await cluster.find(configMap, "taken");
    if (owner === undefined) throw new Error("not there");
    await cluster.make(configMap, { name: "owned", owners: [ownedBy(owner)] });
    expect(watched.costs.calls).toBe(2);
    watched.reset();
    await cluster.make(kindOf("pods"), {
      name: "p",
      fields: { spec: { containers: [{ name: "a", image: "a" }] } },
    });
    expect(watched.costs.calls).toBe(2);
  });

  it("of a name that is taken are refused, and those beside them are not", async () => {
    const { cluster } = await watchedCluster();
    const before = await cluster.find(configMap, "taken");
    const replies = await cluster.ask(
      "team",
      ...["a", "taken", "b"].map((name) => create(configMap, { name })),
    );
    expect(replies).toMatchObject([
      { ok: true, code: 201 },
      { ok: false, failure: { reason: "AlreadyExists", name: "taken" } },
      { ok: true, code: 201 },
    ]);
    expect(await cluster.find(configMap, "taken")).toEqual(before);
    expect(await cluster.left()).toEqual(["team/configmaps/a", "team/configmaps/b", "team/configmaps/taken"]);
  });

  it("of names that are taken again and again cost one read each", async () => {
    const { watched, cluster } = await watchedCluster();
    await cluster.ask("team", create(configMap, { name: "taken" }));
    watched.reset();
    const [reply] = await cluster.ask("team", create(configMap, { name: "taken" }));
    expect(reply).toMatchObject({ ok: false, failure: { reason: "AlreadyExists" } });
    expect(watched.costs).toMatchObject({ calls: 1, rowsWritten: 0 });
    // One that is not refused ends the caution.
    await cluster.make(configMap, { name: "a" });
    watched.reset();
    await cluster.make(configMap, { name: "b" });
    expect(watched.costs.calls).toBe(1);
  });

  it("in a namespace that goes are refused, and nothing is written", async () => {
    const { cluster } = await watchedCluster();
    await cluster.ask("team", patch(configMap, "taken", { metadata: { finalizers: ["x/held"] } }));
    await cluster.ask("", remove(namespaces, "team"));
    const before = await tables(cluster.id);
    const [reply] = await cluster.ask("team", create(configMap, { name: "late" }));
    expect(reply).toMatchObject({ ok: false, failure: { reason: "Forbidden" } });
    expect(await tables(cluster.id)).toEqual(before);
  });
});
