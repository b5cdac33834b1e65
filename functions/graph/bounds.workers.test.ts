import { describe, expect, it } from "vitest";
import { WatchedDatabase } from "./database.fixture.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, DB, ownedBy, patch, remove, TestCluster } from "./graph.fixture.ts";

// Whatever the objects weigh, one turn holds and sends only so much of them.

const configMap = kindOf("configmaps");
const MB = 1_000_000;

/** The longest parameter and the most text that came back in one answer, in characters. */
function measured() {
  const most = { sent: 0, received: 0 };
  const lengthOf = (value: unknown) => (typeof value === "string" ? value.length : 0);
  const inner = new WatchedDatabase(DB);
  const watch = <T extends object>(statement: T): T =>
    new Proxy(statement, {
      get(target, name) {
        const found = Reflect.get(target, name, target) as unknown;
        if (name === "bind") {
          return (...values: unknown[]) => {
            most.sent = Math.max(most.sent, ...values.map(lengthOf));
            return watch((found as (...values: unknown[]) => T).apply(target, values));
          };
        }
        if (name !== "all") return typeof found === "function" ? found.bind(target) : found;
        return async () => {
          const result = await (found as () => Promise<D1Result<object>>).apply(target);
          const sizes = result.results.flatMap((row) => Object.values(row).map(lengthOf));
          most.received = Math.max(
            most.received,
            sizes.reduce((sum, size) => sum + size, 0),
          );
          return result;
        };
      },
    });
  const prepare = inner.prepare.bind(inner);
  inner.prepare = (text) => watch(prepare(text));
  return { most, db: inner.asD1 };
}

describe("objects of a megabyte", { timeout: 30_000 }, () => {
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
  const data = { text: "x".repeat(MB) };

  async function heavy(owners: boolean) {
    const { most, db } = measured();
    const cluster = await TestCluster.create(["team"], db);
    const owner = await cluster.make(configMap, { name: "owner" });
    const requests = names.map((name) =>
      create(configMap, { name, fields: { data }, owners: owners ? [ownedBy(owner)] : [] }),
    );
    await cluster.ask("team", ...requests);
    await cluster.settle();
    return { cluster, most };
  }

  it("are changed and deleted, however many are asked for at once", async () => {
    const { cluster, most } = await heavy(false);
    const marked = await cluster.ask(
      "team",
      ...names.map((name) => patch(configMap, name, { metadata: { finalizers: ["x/a"] } })),
    );
    expect(marked.every((reply) => reply.ok)).toBe(true);
    await cluster.ask("team", ...names.map((name) => remove(configMap, name)));
    const released = await cluster.ask(
      "team",
      ...names.map((name) => patch(configMap, name, { metadata: { finalizers: null } })),
    );
    expect(released.every((reply) => reply.ok)).toBe(true);
    expect(await cluster.left()).toEqual(["team/configmaps/owner"]);
    expect(most.sent).toBeLessThan(2 * MB);
    expect(most.received).toBeLessThan(3 * MB);
  });

  it.each(["Background", "Foreground", "Orphan"] as const)("are collected: %s", async (propagationPolicy) => {
    const { cluster, most } = await heavy(true);
    most.received = 0;
    await cluster.ask("team", remove(configMap, "owner", { propagationPolicy }));
    await cluster.settle();
    expect(await cluster.left()).toHaveLength(propagationPolicy === "Orphan" ? names.length : 0);
    expect(most.sent).toBeLessThan(2 * MB);
    expect(most.received).toBeLessThan(3 * MB);
  });

  it("go with their namespace", async () => {
    const { cluster, most } = await heavy(true);
    most.received = 0;
    await cluster.ask("", remove(kindOf("namespaces"), "team"));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect(most.sent).toBeLessThan(2 * MB);
    expect(most.received).toBeLessThan(3 * MB);
  });

  it("that name thousands of owners are examined a few at a time", async () => {
    const { most, db } = measured();
    const cluster = await TestCluster.create(["team"], db);
    const owner = await cluster.make(configMap, { name: "owner" });
    const gone = Array.from({ length: 5000 }, (_, i) => ({
      ...ownedBy(owner),
      name: `a-name-that-is-rather-long-${"x".repeat(100)}`,
      uid: `u${i}`,
    }));
    const owners = [ownedBy(owner), ...gone];
    const some = names.slice(0, 6);
    for (const name of some) await cluster.make(configMap, { name, owners });
    expect(await cluster.left()).toHaveLength(some.length + 1);
    await cluster.ask("team", remove(configMap, "owner"));
    most.received = 0;
    expect(await cluster.settle()).toBeGreaterThan(2);
    expect(await cluster.left()).toEqual([]);
    expect(most.received).toBeLessThan(6 * MB);
  });
});
