import { describe, expect, it, test } from "vitest";
import { type OpenCommit, writeCommit } from "../../db/commit.ts";
import { type StoreFault, storeFault } from "../../db/errors.ts";
import { WatchedDatabase } from "./database.fixture.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, DB, ownedBy, remove, TestCluster, tables } from "./graph.fixture.ts";

const configMap = kindOf("configmaps");

describe("what a request writes", () => {
  it("is there as a whole, or not at all, and is answered afterwards", async () => {
    const watched = new WatchedDatabase(DB);
    const cluster = await TestCluster.create(["team"], watched.asD1);
    const owner = await cluster.make(configMap, { name: "owner" });
    const before = await tables(cluster.id);

    let after: typeof before | undefined;
    let answered = false;
    watched.around = async (_, send) => {
      expect(await tables(cluster.id)).toEqual(before);
      const results = await send();
      after = await tables(cluster.id);
      expect(answered).toBe(false);
      return results;
    };
    const replies = cluster.ask(
      "team",
      create(configMap, { name: "d", labels: { app: "web" }, owners: [ownedBy(owner)] }),
      remove(configMap, "owner"),
    );
    await replies.then(() => {
      answered = true;
    });
    const { uid } = owner.metadata;
    expect(after?.objects).toHaveLength(before.objects.length);
    expect(after?.objects).toContainEqual(expect.objectContaining({ name: "d" }));
    expect(after?.labels).toContainEqual(expect.objectContaining({ name: "d", key: "app", value: "web" }));
    expect(after?.owner_refs).toEqual([expect.objectContaining({ owner_uid: uid })]);
    expect(after?.changes.slice(before.changes.length)).toEqual([
      expect.objectContaining({ type: "ADDED", name: "d" }),
      expect.objectContaining({ type: "DELETED", name: "owner" }),
    ]);
    expect(after?.deletions).toEqual([expect.objectContaining({ uid, rule: "request", actor: "jane" })]);
    expect(after?.work).toEqual([expect.objectContaining({ task: "dependents", uid, namespace: "team" })]);
    expect(await tables(cluster.id)).toEqual(after);
  });

  it("takes a resourceVersion for each change, and they are in order", async () => {
    const cluster = await TestCluster.create();
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    await cluster.ask("team", ...names.map((name) => create(configMap, { name })));
    await cluster.ask("team", ...names.map((name) => remove(configMap, name)));
    const { changes, clusters } = await tables(cluster.id);
    const versions = changes.map((row) => Number((row as { id: number }).id) % 2 ** 40);
    expect(versions).toEqual(versions.map((_, i) => i + 1));
    expect(clusters).toMatchObject([{ resource_version: versions.length }]);
  });
});

it("the changes of a cluster have its own numbers, however high that of the cluster is", async () => {
  const id = 4_000_000;
  await DB.prepare("INSERT INTO clusters (id, name, created_at) VALUES (?1, 'high', 0)").bind(id).run();
  const high = await TestCluster.create(["team"], DB, id);
  for (const name of ["a", "b"]) await high.make(configMap, { name });
  await high.ask("team", remove(configMap, "a"));
  // A product of REALs would be rounded to multiples of 512 here.
  const { results } = await DB.prepare(
    "SELECT id >> 40 AS cluster, id & ?2 AS version FROM changes WHERE id > CAST(?1 AS INTEGER) << 40 ORDER BY id",
  )
    .bind(id, 2 ** 40 - 1)
    .all();
  expect(results).toEqual([1, 2, 3, 4].map((version) => ({ cluster: id, version })));
  await DB.prepare("DELETE FROM clusters WHERE id = ?1").bind(id).run();
});

describe("a batch in which something is wrong leaves nothing behind:", () => {
  /** A commit that would write something of everything, were it not for what is wrong with it. */
  async function commitOf(cluster: TestCluster): Promise<OpenCommit> {
    const [updated, removed] = await Promise.all(
      ["updated", "removed"].map((name) => cluster.find(configMap, name)),
    );
    if (!updated || !removed) throw new Error("not there");
    const commit = await cluster.graph("team").store.begin();
    const row = { resource: "configmaps", plain: true, sweepAt: null, hasLabels: true, hasOwners: true };
    commit.creates.push({
      ...row,
      name: "new",
      uid: crypto.randomUUID(),
      body: '{"metadata":{"name":"new","labels":{"a":"b"},"ownerReferences":[{"uid":"x"}]}}',
    });
    const version = (object: typeof updated) => Number(object.metadata.resourceVersion);
    commit.updates.push({
      uid: updated.metadata.uid,
      expected: version(updated),
      deletion: "orphan",
      plain: false,
      sweepAt: null,
      body: '{"metadata":{"name":"updated"}}',
      labelsChanged: true,
      ownersChanged: true,
    });
    const cause = { rule: "request", actor: "jane", policy: "Background", cause: null };
    commit.begun.push({ ...cause, uid: updated.metadata.uid });
    commit.removals.push({
      ...cause,
      uid: removed.metadata.uid,
      resource: "configmaps",
      name: "removed",
      labels: JSON.stringify(removed.metadata.labels ?? {}),
      owners: [],
      expected: version(removed),
    });
    commit.releaseDue.push(updated.metadata.uid);
    commit.work.push({ namespace: "team", task: "examine", uid: "x", stage: 0, detail: null, dueAt: 0 });
    return commit;
  }

  const wrongs: [string, StoreFault, (commit: OpenCommit, cluster: TestCluster) => void | Promise<void>][] = [
    ["another graph's epoch", "superseded", (commit) => void commit.epoch++],
    [
      "an object that has changed",
      "stale",
      (commit) => {
        for (const row of commit.updates) row.expected--;
      },
    ],
    [
      "an object that has gone",
      "stale",
      (commit) => {
        for (const row of commit.removals) row.uid = "gone";
      },
    ],
    [
      "a namespace that goes",
      "closed",
      async (commit, cluster) => {
        commit.requiresOpenNamespace = true;
        await cluster.ask("", remove(kindOf("namespaces"), "team"));
      },
    ],
    [
      "a kind without a definition",
      "closed",
      (commit) => void commit.requiresDefinitions.push("widgets.example.com"),
    ],
    [
      "an owner that waits no longer",
      "moved",
      async (commit, cluster) => {
        const other = await cluster.find(configMap, "other");
        commit.stillForeground.push(other?.metadata.uid ?? "");
      },
    ],
    [
      "a name that is taken",
      "taken",
      (commit) => {
        for (const row of commit.creates) row.name = "other";
      },
    ],
    [
      "a fault in one of its last rows",
      "broken",
      (commit) => {
        for (const row of commit.work) row.task = null as unknown as string;
      },
    ],
  ];
  test.each(wrongs)("%s", async (_, fault, spoil) => {
    const cluster = await TestCluster.create();
    for (const name of ["updated", "removed", "other"]) {
      await cluster.make(configMap, { name, labels: { app: name } });
    }
    const commit = await commitOf(cluster);
    await spoil(commit, cluster);
    const before = await tables(cluster.id);
    const failure = await writeCommit(DB, commit).catch((error: unknown) => error);
    expect(storeFault(failure)).toBe(fault);
    expect(await tables(cluster.id)).toEqual(before);
  });

  it("and without it everything is written", async () => {
    const cluster = await TestCluster.create();
    for (const name of ["updated", "removed", "other"]) await cluster.make(configMap, { name });
    await writeCommit(DB, await commitOf(cluster));
    expect(await cluster.left()).toEqual([
      "team/configmaps/new",
      "team/configmaps/other",
      "team/configmaps/updated",
    ]);
  });
});
