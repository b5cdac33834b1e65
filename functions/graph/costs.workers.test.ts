import { describe, expect, it, test } from "vitest";
import { GET_OBJECT } from "../../db/reads.ts";
import { WatchedDatabase } from "./database.fixture.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { blocking, create, DB, ownedBy, patch, remove, TestCluster } from "./graph.fixture.ts";

// In D1's own counts: rows are what it costs, and round trips are what it takes.

const configMap = kindOf("configmaps");
const namespaces = kindOf("namespaces");
const labels = { app: "web" };

/** A cascade of one slice, and one of several. */
const [FEW, MANY] = [500, 6000];

async function watchedCluster() {
  const watched = new WatchedDatabase(DB);
  const cluster = await TestCluster.create(["team"], watched.asD1);
  return { watched, cluster };
}

describe("one object among a thousand costs", () => {
  it("to get, create, update and delete, no more than it would alone", async () => {
    const { watched, cluster } = await watchedCluster();
    const names = Array.from({ length: 1000 }, (_, i) => `n${i}`);
    await cluster.ask("team", ...names.map((name) => create(configMap, { name, labels })));
    const costs = async (act: () => Promise<unknown>) => {
      watched.reset();
      await act();
      return watched.costs;
    };
    const owner = await cluster.make(configMap, { name: "owner" });
    const get = watched.prepare(GET_OBJECT).bind(cluster.id, "configmaps", "team", "n500");
    expect(await costs(() => get.first())).toEqual({ calls: 1, statements: 1, rowsRead: 1, rowsWritten: 0 });
    const made = await costs(() =>
      cluster.make(configMap, { name: "new", labels, owners: [blocking(owner)] }),
    );
    expect(made).toMatchObject({ calls: 2, rowsWritten: 9 });
    expect(made.rowsRead).toBeLessThan(40);
    const updated = await costs(() => cluster.ask("team", patch(configMap, "new", { data: { k: "v" } })));
    expect(updated).toMatchObject({ calls: 2, rowsWritten: 4 });
    expect(updated.rowsRead).toBeLessThan(30);
    const deleted = await costs(() => cluster.ask("team", remove(configMap, "n500")));
    expect(deleted).toMatchObject({ calls: 2 });
    expect(deleted.rowsWritten).toBeLessThan(12);
    expect(deleted.rowsRead).toBeLessThan(60);
    expect((await costs(() => cluster.settle())).rowsWritten).toBe(0);
  });

  it("in a group of a hundred one read and one batch, at most", async () => {
    const { watched, cluster } = await watchedCluster();
    const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
    watched.reset();
    await cluster.ask("team", ...names.map((name) => create(configMap, { name })));
    expect(watched.costs.calls).toBeLessThanOrEqual(3);
    watched.reset();
    await cluster.ask("team", ...names.map((name) => remove(configMap, name)));
    expect(watched.costs).toMatchObject({ calls: 2 });
  });
});

describe("a write in a namespace of 150,000 objects", () => {
  /** As if so many had been created: copies of an object, and of its rows in the indexes. */
  async function fill(cluster: TestCluster, name: string, count: number): Promise<void> {
    const copies = `WITH RECURSIVE n(i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)`;
    for (let from = 0; from < count; from += 10_000) {
      const bind = (text: string) => DB.prepare(text).bind(cluster.id, from, from + 10_000, name);
      await DB.batch([
        bind(`${copies} INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
          SELECT o.cluster, o.resource, o.namespace, o.name || '-' || n.i, 'copy-' || o.cluster || '-' || n.i,
            o.resource_version, o.plain, o.body
          FROM objects o CROSS JOIN n WHERE o.cluster = ?1 AND o.resource = 'configmaps' AND o.namespace = 'team'
            AND o.name = ?4`),
        bind(`${copies} INSERT INTO labels (cluster, resource, key, value, namespace, name)
          SELECT l.cluster, l.resource, l.key, l.value, l.namespace, l.name || '-' || n.i
          FROM labels l CROSS JOIN n WHERE l.cluster = ?1 AND l.name = ?4`),
        bind(`${copies} INSERT INTO owner_refs (cluster, owner_uid, namespace, dependent_uid, position, blocking)
          SELECT r.cluster, r.owner_uid, r.namespace, 'copy-' || r.cluster || '-' || n.i, r.position, r.blocking
          FROM owner_refs r JOIN objects o ON o.uid = r.dependent_uid CROSS JOIN n
          WHERE r.cluster = ?1 AND o.name = ?4`),
      ]);
    }
  }

  /** What each verb costs, of objects that have an owner with very many dependents. */
  async function costsAmong(count: number) {
    const { watched, cluster } = await watchedCluster();
    const owner = await cluster.make(configMap, { name: "owner" });
    const owners = [blocking(owner)];
    await cluster.make(configMap, { name: "d", labels, owners });
    await fill(cluster, "d", count);
    const costs = async (act: () => Promise<unknown>) => {
      watched.reset();
      await act();
      return watched.costs;
    };
    return {
      create: await costs(() => cluster.make(configMap, { name: "new", labels, owners })),
      update: await costs(() => cluster.ask("team", patch(configMap, "d-77", { data: { k: "v" } }))),
      relabel: await costs(() =>
        cluster.ask("team", patch(configMap, "d-78", { metadata: { labels: { app: "shop" } } })),
      ),
      delete: await costs(() => cluster.ask("team", remove(configMap, "d-79"))),
      work: await costs(() => cluster.settle()),
    };
  }

  it("costs no more than in one of 150", { timeout: 120_000 }, async () => {
    const few = await costsAmong(150);
    const many = await costsAmong(150_000);
    expect(many).toEqual(few);
    expect(many.delete.calls).toBeLessThanOrEqual(2);
  });
});

type Rows = { read: number; written: number };

interface PerObject extends Rows {
  calls: number;
  /** The same for each statement. */
  bySql: Map<string, Rows>;
}

/** Rows for each object of a cascade of so many, from the DELETE to rest. */
async function perObject(
  count: number,
  begin: (cluster: TestCluster, count: number) => Promise<void>,
): Promise<PerObject> {
  const { watched, cluster } = await watchedCluster();
  watched.reset();
  await begin(cluster, count);
  await cluster.settle();
  const { calls, rowsRead, rowsWritten } = watched.costs;
  const each = (rows: { rowsRead: number; rowsWritten: number }): Rows => ({
    read: rows.rowsRead / count,
    written: rows.rowsWritten / count,
  });
  const bySql = new Map([...watched.bySql].map(([sql, rows]) => [sql, each(rows)]));
  return { calls, ...each({ rowsRead, rowsWritten }), bySql };
}

async function dependents(cluster: TestCluster, count: number, fields: object, before = "owner") {
  const watched = cluster.db as unknown as WatchedDatabase;
  const owner = await cluster.make(configMap, { name: before });
  const requests = Array.from({ length: count }, (_, i) =>
    create(configMap, { name: `d${i}`, labels, owners: [blocking(owner)], ...fields }),
  );
  await cluster.ask("team", ...requests);
  await cluster.settle();
  watched.reset();
  return owner;
}

/**
 * The most rows for one object, whatever the size of the cascade; and how many objects one round trip deals with, at
 * least. `again`: by how much a slice that looks into bodies may have read more than it could take.
 */
const cascades: [
  string,
  { read: number; written: number; perCall: number; again?: number },
  (cluster: TestCluster, count: number) => Promise<void>,
][] = [
  [
    "in the background",
    { read: 35, written: 6.2, perCall: 150 },
    async (cluster, count) => {
      await dependents(cluster, count, {});
      await cluster.ask("team", remove(configMap, "owner"));
    },
  ],
  [
    "in the foreground",
    { read: 40, written: 6.2, perCall: 150 },
    async (cluster, count) => {
      await dependents(cluster, count, {});
      await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Foreground" }));
    },
  ],
  [
    "that orphans",
    { read: 35, written: 6.2, perCall: 100 },
    async (cluster, count) => {
      await dependents(cluster, count, {});
      await cluster.ask("team", remove(configMap, "owner", { propagationPolicy: "Orphan" }));
    },
  ],
  [
    "over dependents with finalizers",
    { read: 35, written: 8, perCall: 100, again: 1.3 },
    async (cluster, count) => {
      await dependents(cluster, count, { finalizers: ["x/a"] });
      await cluster.ask("team", remove(configMap, "owner"));
    },
  ],
  [
    "of a Namespace",
    { read: 40, written: 8, perCall: 80 },
    async (cluster, count) => {
      await dependents(cluster, count, {});
      await cluster.ask("", remove(namespaces, "team"));
    },
  ],
  [
    "of a Namespace whose objects finalizers hold",
    { read: 45, written: 8, perCall: 80 },
    async (cluster, count) => {
      await dependents(cluster, count, { finalizers: ["x/a"] });
      await cluster.ask("", remove(namespaces, "team"));
    },
  ],
];

describe("a cascade costs so much for each object, however many there are,", () => {
  test.each(cascades)("%s", { timeout: 30_000 }, async (_, { again = 1.1, ...most }, begin) => {
    const few = await perObject(FEW, begin);
    const many = await perObject(MANY, begin);
    for (const costs of [few, many]) {
      expect(costs.read).toBeLessThan(most.read);
      expect(costs.written).toBeLessThan(most.written);
    }
    expect(MANY / many.calls).toBeGreaterThan(most.perCall);
    for (const [sql, { read, written }] of many.bySql) {
      const before = few.bySql.get(sql) ?? { read: 0, written: 0 };
      expect(read, sql).toBeLessThan(before.read * again + 0.2);
      expect(written, sql).toBeLessThan(before.written * again + 0.2);
    }
  });

  it("and one that is examined in vain nothing to write", async () => {
    const { watched, cluster } = await watchedCluster();
    const other = await cluster.make(configMap, { name: "other" });
    const owner = await cluster.make(configMap, { name: "owner" });
    const requests = Array.from({ length: 500 }, (_, i) =>
      create(configMap, { name: `d${i}`, owners: [ownedBy(other), ownedBy(owner)] }),
    );
    await cluster.ask("team", ...requests);
    watched.reset();
    await cluster.settle();
    expect(watched.costs.rowsWritten).toBe(0);
  });
});
