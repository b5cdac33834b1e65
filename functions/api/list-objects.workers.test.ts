import { env } from "cloudflare:test";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Databases } from "../../db/database.ts";
import type { KubeObject } from "../objects/object.ts";
import { parseLabelSelector } from "../objects/selectors/label-selector.ts";
import { COMPACTION_LIMITS, compactCluster } from "../watch/compaction.ts";
import { History } from "../watch/history.fixture.ts";
import { kindNamed } from "../watch/watch-spec.fixture.ts";
import { type Key, type ListQuery, listObjects } from "./list-objects.ts";

const { DB } = env as unknown as Databases;
const kind = kindNamed("configmaps");

let history: History;
beforeEach(async () => {
  history = await new History(DB).begin();
});

const query = (differences: Partial<ListQuery> = {}): ListQuery => ({
  cluster: history.cluster,
  kind,
  version: "v1",
  namespace: undefined,
  labels: [],
  fields: [],
  limit: 0,
  after: undefined,
  ...differences,
});

function shown(item: string): string {
  const { metadata, ...rest } = JSON.parse(item) as KubeObject & { data: { text: string } };
  return `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion} ${rest.data.text}`;
}

/** What the list shows, or why it does not. */
async function list(differences: Partial<ListQuery> = {}): Promise<string[] | string> {
  const listed = await listObjects(DB, query(differences));
  return listed.ok ? listed.value.items.map(shown) : listed.failure.reason;
}

const labels = (text: string) => {
  const parsed = parseLabelSelector(text);
  return parsed.ok ? parsed.value : [];
};

/** Something to do to one of a few names. Whether it creates, changes or removes depends on what there is. */
const write = fc.record({
  namespace: fc.constantFrom("a", "b"),
  name: fc.constantFrom("k1", "k2", "k3", "k4", "k5"),
  removes: fc.boolean(),
  text: fc.constantFrom("", "x", "y".repeat(30)),
  app: fc.constantFrom("web", "api"),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

function apply({ namespace, name, removes, text, app }: Write): Promise<void> {
  const type = !history.exists(namespace, name) ? "ADDED" : removes ? "DELETED" : "MODIFIED";
  return history.write(namespace, { type, name, text, labels: { app } });
}

describe("a list at a resourceVersion", () => {
  it("shows exactly that state, whatever was written since, as long as it is not compacted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.nat(),
        async (writes, cut, wanted) => {
          history = await new History(DB).begin();
          for (const each of writes) await apply(each);
          const compacted = cut % (history.version + 1);
          const retention = {
            changes: 0,
            newestChanges: history.version - compacted,
            deletions: 0,
            records: 0,
          };
          await compactCluster(DB, history.cluster, 1, retention, COMPACTION_LIMITS);
          const at = wanted % (history.version + 1);
          const isKept = at >= compacted;
          expect(await list({ at })).toEqual(isKept ? history.at(at) : "Expired");
          if (!isKept) return;
          expect(await list({ at, namespace: "b" })).toEqual(history.at(at, (_, place) => place === "b"));
          const web = history.at(at, ({ app }) => app === "web");
          expect(await list({ at, labels: labels("app=web") })).toEqual(web);
          expect(await list({ at, labels: labels("app!=api") })).toEqual(web);
          const one = {
            namespace: "a",
            fields: [{ field: "metadata.name", operator: "=", value: "k2" }],
          } as const;
          const named = history.at(at).filter((text) => text.startsWith("a/k2@"));
          expect(await list({ at, ...one })).toEqual(named);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  it("pages through it while every page is followed by a write", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { minLength: 5, maxLength: 25 }),
        fc.array(write, { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 4 }),
        async (before, between, limit) => {
          history = await new History(DB).begin();
          for (const each of before) await apply(each);
          const at = history.version;
          const seen: string[] = [];
          let after: Key | undefined;
          let pages = 0;
          do {
            const page = await listObjects(DB, query({ limit, after, at: pages === 0 ? undefined : at }));
            if (!page.ok) throw new Error(page.failure.reason);
            expect(page.value.resourceVersion).toBe(at);
            seen.push(...page.value.items.map(shown));
            after = page.value.next;
            const each = between[pages++ % between.length];
            if (each) await apply(each);
          } while (after !== undefined);
          expect(seen).toEqual(history.at(at));
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  it("is one state also when it takes several reads", async () => {
    const text = "x".repeat(600_000);
    for (let i = 0; i < 9; i++) await history.write("a", { type: "ADDED", name: `k${i}`, text });
    const at = history.version;
    let reads = 0;
    const meddling = new Proxy(DB, {
      get: (db, name: keyof D1Database) =>
        name !== "batch"
          ? db[name].bind(db)
          : async (statements: D1PreparedStatement[]) => {
              const answer = await db.batch(statements);
              reads++;
              await history.write("a", { type: "MODIFIED", name: "k8", text: `${reads}` });
              await history.write("a", { type: "ADDED", name: `k8${reads}` });
              return answer;
            },
    });
    const listed = await listObjects(meddling, query());
    if (!listed.ok) throw new Error(listed.failure.reason);
    expect(reads).toBeGreaterThan(1);
    expect(listed.value.items.map(shown)).toEqual(history.at(at));
  });

  it("is refused when it is yet to come, alone or as a lower bound", async () => {
    await history.write("a", { type: "ADDED", name: "k" });
    expect(await list({ at: 2 })).toBe("Timeout");
    expect(await list({ atLeast: 2 })).toBe("Timeout");
    expect(await list({ atLeast: 1 })).toEqual(history.at(1));
  });
});

describe("a first page without selectors", () => {
  it("counts what is left", async () => {
    await history.write("a", ...["k1", "k2", "k3"].map((name) => ({ type: "ADDED" as const, name })));
    await history.write("b", { type: "ADDED", name: "k1" });
    const remaining = async (differences: Partial<ListQuery>) => {
      const listed = await listObjects(DB, query(differences));
      return listed.ok ? listed.value.remaining : listed.failure.reason;
    };
    expect(await remaining({ limit: 1 })).toBe(3);
    expect(await remaining({ limit: 1, namespace: "a" })).toBe(2);
    expect(await remaining({ limit: 4 })).toBe(0);
    expect(await remaining({})).toBeUndefined();
    expect(await remaining({ limit: 1, labels: labels("app=web") })).toBeUndefined();
  });
});
