import { env, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Databases } from "../../db/database.ts";
import { CHANGES_PER_CLUSTER } from "../../db/sql.ts";
import type { Clock } from "../objects/clock.ts";
import { parseLabelSelector } from "../objects/selectors/label-selector.ts";
import type { ClusterFeed } from "./cluster-feed.ts";
import { kindNamed, watchSpec } from "./watch-spec.fixture.ts";
import { type WatchSpec, watchRequest } from "./watch-spec.ts";

const { DB, CLUSTER_FEED } = env as unknown as Databases & {
  CLUSTER_FEED: DurableObjectNamespace<ClusterFeed>;
};
/** What a test turns that no client can. */
type Turnable = { clock: Clock; maxWatchers: number; tick(): void };
const turn = (act: (feed: Turnable) => void) =>
  runInDurableObject(feed(), (instance) => act(instance as unknown as Turnable));

let cluster = 0;
const feed = () => CLUSTER_FEED.getByName(String(cluster));
const opened: Watch[] = [];

beforeEach(async () => {
  const row = await DB.prepare("INSERT INTO clusters (name, created_at) VALUES (?1, 0) RETURNING id")
    .bind(crypto.randomUUID())
    .first<{ id: number }>();
  cluster = row?.id ?? 0;
});

afterEach(async () => {
  for (const watch of opened.splice(0)) await watch.leave();
});

interface Write {
  type?: "MODIFIED" | "DELETED";
  name: string;
  namespace?: string;
  resource?: string;
  labels?: Record<string, string>;
  padding?: number;
}

/** Commits writes as the graph does: the counter, the objects and the changes in one batch. Returns the newest version. */
async function commit(...writes: Write[]): Promise<number> {
  const rows = writes.map((write, i) => {
    const { type = "ADDED", name, namespace = "team", resource = "configmaps", labels, padding = 0 } = write;
    const metadata = { name, namespace, uid: `${cluster}-${resource}-${namespace}-${name}`, labels };
    const body = JSON.stringify({ metadata, data: { text: "x".repeat(padding) } });
    return { type, name, namespace, resource, uid: metadata.uid, body, k: i + 1 };
  });
  const set = JSON.stringify(rows);
  const version = `(SELECT resource_version FROM clusters WHERE id = ?1) - ${rows.length} + (e.value ->> 'k')`;
  const column = (name: string) => `e.value ->> '${name}'`;
  await DB.batch([
    DB.prepare("UPDATE clusters SET resource_version = resource_version + ?2 WHERE id = ?1").bind(
      cluster,
      rows.length,
    ),
    DB.prepare(
      `INSERT INTO changes (id, type, resource, namespace, name, uid, at, previous, body)
       SELECT ?1 * ${CHANGES_PER_CLUSTER} + ${version}, ${column("type")}, ${column("resource")},
              ${column("namespace")}, ${column("name")}, ${column("uid")}, 0,
              (SELECT resource_version FROM objects o WHERE o.uid = ${column("uid")}), ${column("body")}
       FROM json_each(?2) e`,
    ).bind(cluster, set),
    DB.prepare(
      `INSERT OR REPLACE INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
       SELECT ?1, ${column("resource")}, ${column("namespace")}, ${column("name")}, ${column("uid")}, ${version}, 1,
              ${column("body")}
       FROM json_each(?2) e WHERE ${column("type")} <> 'DELETED'`,
    ).bind(cluster, set),
    DB.prepare(
      `DELETE FROM objects WHERE uid IN (
         SELECT ${column("uid")} FROM json_each(?1) e WHERE ${column("type")} = 'DELETED')`,
    ).bind(set),
  ]);
  const row = await DB.prepare("SELECT resource_version FROM clusters WHERE id = ?1")
    .bind(cluster)
    .first<{ resource_version: number }>();
  return row?.resource_version ?? 0;
}

async function compact(version: number): Promise<void> {
  await DB.batch([
    DB.prepare("UPDATE clusters SET compacted_version = ?2 WHERE id = ?1").bind(cluster, version),
    DB.prepare("DELETE FROM changes WHERE id BETWEEN ?1 AND ?2").bind(
      cluster * CHANGES_PER_CLUSTER,
      cluster * CHANGES_PER_CLUSTER + version,
    ),
  ]);
}

interface Event {
  type: string;
  object: {
    kind: string;
    metadata: { name: string; resourceVersion: string; annotations?: Record<string, string> };
    columnDefinitions: unknown[];
    code?: number;
    message?: string;
  };
}

/** A client that reads only when it is asked to. */
class Watch {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("no body");
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next line with its end; undefined at the end of the stream. */
  async line(): Promise<string | undefined> {
    while (!this.#text.includes("\n")) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
    const end = this.#text.indexOf("\n") + 1;
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    return line;
  }

  async event(): Promise<Event | undefined> {
    const line = await this.line();
    return line === undefined ? undefined : (JSON.parse(line) as Event);
  }

  /** The next events as `ADDED a@1`. */
  async told(count: number): Promise<string[]> {
    const told: string[] = [];
    for (let i = 0; i < count; i++) {
      const event = await this.event();
      told.push(event === undefined ? "end" : summary(event));
    }
    return told;
  }

  leave = () => this.#reader.cancel().catch(() => {});
}

const summary = ({ type, object: { metadata } }: Event) =>
  type === "BOOKMARK"
    ? `BOOKMARK ${metadata.resourceVersion}`
    : `${type} ${metadata.name}@${metadata.resourceVersion}`;

async function watch(differences: Partial<WatchSpec> = {}): Promise<Watch> {
  const response = await feed().fetch(watchRequest(watchSpec({ cluster, ...differences })));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("content-encoding")).toBe("identity");
  const watch = new Watch(response);
  opened.push(watch);
  return watch;
}

describe("a watch from now", () => {
  it("begins with what exists and goes on with what happens", async () => {
    await commit({ name: "b" }, { name: "a" }, { name: "s", resource: "secrets" });
    const client = await watch();
    expect(await client.told(2)).toEqual(["ADDED a@2", "ADDED b@1"]);
    await commit({ type: "MODIFIED", name: "a" }, { name: "s2", resource: "secrets" });
    await feed().poke(await commit({ type: "DELETED", name: "b" }));
    expect(await client.told(2)).toEqual(["MODIFIED a@4", "DELETED b@6"]);
  });

  it("sends a bookmark after the initial events when that was asked for", async () => {
    const newest = await commit({ name: "a" });
    const client = await watch({ sendInitialEvents: true, bookmarks: true });
    expect(await client.told(1)).toEqual(["ADDED a@1"]);
    const end = await client.event();
    expect(end).toMatchObject({
      type: "BOOKMARK",
      object: {
        metadata: {
          resourceVersion: String(newest),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
  });

  it("gives each object's states in order and ends in the true state, though writes happen while it lists", async () => {
    const names = Array.from({ length: 1_500 }, (_, i) => `o${String(i).padStart(4, "0")}`);
    for (let i = 0; i < names.length; i += 300) {
      await commit(...names.slice(i, i + 300).map((name) => ({ name, padding: 2_000 })));
    }
    const client = await watch({ sendInitialEvents: true, bookmarks: true });
    const seen = new Map<string, number>();
    const apply = (event: Event | undefined) => {
      if (event === undefined || event.type === "BOOKMARK") return;
      const { name, resourceVersion } = event.object.metadata;
      expect(Number(resourceVersion)).toBeGreaterThan(seen.get(name) ?? 0);
      if (event.type === "DELETED") seen.delete(name);
      else seen.set(name, Number(resourceVersion));
    };
    for (let i = 0; i < 10; i++) apply(await client.event());
    await commit(
      { type: "MODIFIED", name: "o0001" },
      { type: "MODIFIED", name: "o1499" },
      { name: "o0001a" },
    );
    await feed().poke(await commit({ type: "DELETED", name: "o0002" }, { type: "DELETED", name: "o1498" }));
    for (;;) {
      const event = await client.event();
      apply(event);
      if (event?.type === "BOOKMARK") break;
    }
    await feed().poke(await commit({ name: "zz" }));
    while (!seen.has("zz")) apply(await client.event());
    const { results } = await DB.prepare(
      "SELECT name, resource_version AS version FROM objects WHERE cluster = ?1",
    )
      .bind(cluster)
      .all<{ name: string; version: number }>();
    expect(seen).toEqual(new Map(results.map(({ name, version }) => [name, version])));
  });
});

describe("a watch from a resourceVersion", () => {
  it("begins after it and sees only its own namespace, resource and cluster", async () => {
    await commit({ name: "a" }, { name: "b" }, { name: "c", namespace: "other" });
    await commit({ name: "s", resource: "secrets" }, { name: "d" });
    const client = await watch({ from: 1, namespace: "team" });
    expect(await client.told(2)).toEqual(["ADDED b@2", "ADDED d@5"]);
    const mine = cluster;
    const row = await DB.prepare(
      "INSERT INTO clusters (name, created_at) VALUES ('next', 0) RETURNING id",
    ).first<{ id: number }>();
    cluster = row?.id ?? 0;
    await commit({ name: "foreign" });
    cluster = mine;
    await feed().poke(await commit({ name: "e" }));
    expect(await client.told(1)).toEqual(["ADDED e@6"]);
  });

  it("waits when that version is still to come", async () => {
    await commit({ name: "a" });
    const client = await watch({ from: 2 });
    await feed().poke(await commit({ name: "b" }, { name: "c" }));
    expect(await client.told(1)).toEqual(["ADDED c@3"]);
  });

  it("is told that the past is gone, and ended, when that has been compacted", async () => {
    await commit({ name: "a" }, { name: "b" }, { name: "c" });
    await compact(2);
    const late = await watch({ from: 1 });
    expect(await late.event()).toMatchObject({
      type: "ERROR",
      object: { code: 410, message: "too old resource version: 1 (2)" },
    });
    expect(await late.event()).toBeUndefined();
    expect(await (await watch({ from: 2 })).told(1)).toEqual(["ADDED c@3"]);
  });

  it("is ended the same way when changes went that it had not been told of", async () => {
    const client = await watch({ from: await commit({ name: "a" }) });
    await commit({ name: "b" }, { name: "c" });
    await compact(3);
    await feed().poke(3);
    expect(await client.event()).toMatchObject({ type: "ERROR", object: { code: 410 } });
    expect(await client.event()).toBeUndefined();
  });

  it("learns of changes without a poke", async () => {
    const client = await watch({ from: await commit({ name: "a" }) });
    await commit({ name: "b" });
    expect(await client.told(1)).toEqual(["ADDED b@2"]);
  });
});

describe("a watch with selectors", () => {
  const labels = () => {
    const parsed = parseLabelSelector("app=web");
    return parsed.ok ? parsed.value : [];
  };
  const [web, api] = [{ app: "web" }, { app: "api" }];

  it("sees objects come and go as their labels change, live and replayed alike", async () => {
    const from = await commit({ name: "a", labels: api });
    const live = await watch({ from, labels: labels() });
    await commit({ type: "MODIFIED", name: "a", labels: web }, { name: "b", labels: api });
    await commit({ type: "MODIFIED", name: "a", labels: web });
    await commit({ type: "MODIFIED", name: "a", labels: api });
    await feed().poke(await commit({ type: "DELETED", name: "a", labels: api }, { name: "c", labels: web }));
    const expected = ["ADDED a@2", "MODIFIED a@4", "DELETED a@5", "ADDED c@7"];
    expect(await live.told(4)).toEqual(expected);
    expect(await (await watch({ from, labels: labels() })).told(4)).toEqual(expected);
  });

  it("by name sees that object alone", async () => {
    await commit({ name: "a" }, { name: "b" });
    const client = await watch({ fields: [{ field: "metadata.name", operator: "=", value: "b" }] });
    expect(await client.told(1)).toEqual(["ADDED b@2"]);
    await feed().poke(await commit({ type: "MODIFIED", name: "a" }, { type: "MODIFIED", name: "b" }));
    expect(await client.told(1)).toEqual(["MODIFIED b@4"]);
  });
});

describe("many clients", () => {
  it("that watch in different forms are told the same", async () => {
    const from = await commit({ name: "a" });
    const forms = await Promise.all([
      watch({ from }),
      watch({ from, namespace: "team", representation: "partial" }),
      watch({ from, representation: "table" }),
      watch({ from, representation: "table", bookmarks: true }),
    ]);
    await feed().poke(await commit({ name: "b" }, { name: "c" }));
    const kinds = await Promise.all(forms.map(async (client) => (await client.event())?.object.kind));
    expect(kinds).toEqual(["ConfigMap", "PartialObjectMetadata", "Table", "Table"]);
    expect((await forms[2]?.event())?.object.columnDefinitions).toEqual([]);
  });

  it("all get everything", async () => {
    const from = await commit({ name: "a" });
    const clients = await Promise.all(Array.from({ length: 100 }, () => watch({ from })));
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
    await feed().poke(await commit(...names.map((name) => ({ name }))));
    const expected = names.map((name, i) => `ADDED ${name}@${i + 2}`);
    for (const client of clients) expect(await client.told(50)).toEqual(expected);
  });

  it("beyond the limit are asked to come back, until one has left", async () => {
    await turn((feed) => {
      feed.maxWatchers = 1;
    });
    const first = await watch({ bookmarks: true });
    const refused = await feed().fetch(watchRequest(watchSpec({ cluster })));
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ kind: "Status", reason: "TooManyRequests", code: 429 });
    await first.leave();
    await expect
      .poll(
        async () => {
          await turn((feed) => {
            feed.clock = () => Date.now() + 11_000;
            feed.tick();
            feed.clock = () => Date.now();
          });
          const response = await feed().fetch(watchRequest(watchSpec({ cluster })));
          await response.body?.cancel();
          return response.status;
        },
        { timeout: 10_000 },
      )
      .toBe(200);
  });
});

describe("a slow client", () => {
  it("gets everything in order, though its queue overflowed while it did not read", async () => {
    const from = await commit({ name: "first" });
    const slow = await watch({ from });
    const quick = await watch({ from });
    const total = 4_000;
    for (let i = 0; i < total; i += 500) {
      const names = Array.from({ length: 500 }, (_, j) => `n${i + j}`);
      await feed().poke(await commit(...names.map((name) => ({ name, padding: 1_000 }))));
    }
    const expected = Array.from({ length: total }, (_, i) => `ADDED n${i}@${i + 2}`);
    expect(await quick.told(total)).toEqual(expected);
    expect(await slow.told(total)).toEqual(expected);
    await feed().poke(await commit({ name: "last" }));
    expect(await slow.told(1)).toEqual([`ADDED last@${total + 2}`]);
  });
});

describe("a quiet watch", () => {
  const later = (seconds: number) =>
    turn((feed) => {
      const now = Date.now() + seconds * 1000;
      feed.clock = () => now;
      feed.tick();
    });

  it("shows that it lives by bookmarks, which say how far it has come", async () => {
    const from = await commit({ name: "a" });
    const client = await watch({ from, bookmarks: true });
    await feed().poke(await commit({ name: "s", resource: "secrets" }));
    const told: string[] = [];
    for (let seconds = 12; seconds < 60 && !told.includes("BOOKMARK 2"); seconds += 12) {
      await later(seconds);
      told.push(...(await client.told(1)));
    }
    expect(told).toContain("BOOKMARK 2");
  });

  it("shows it by blank lines when bookmarks are not allowed", async () => {
    const client = await watch({ from: await commit({ name: "a" }) });
    await later(12);
    expect(await client.line()).toBe("\n");
  });

  it("ends when its time is up, with a last bookmark to go on from", async () => {
    await commit({ name: "a" });
    const client = await watch({ timeoutSeconds: 1, bookmarks: true, kind: kindNamed("secrets") });
    expect(await client.told(2)).toEqual(["BOOKMARK 1", "end"]);
  });
});
