import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startServer, type TestServer } from "./server.ts";

// The whole server is killed in the middle of something, as by a power cut, and started again on the same folder.

let dataDir: string;
let server: TestServer;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "kubegc-crash-"));
  server = await startServer({ dataDir });
});

afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function crash(): Promise<void> {
  await server.kill();
}

async function restart(): Promise<void> {
  server = await startServer({ dataDir });
}

/** The database as it is on disk, read beside the server: looking at it is no request. */
function query<T>(sql: string, ...values: string[]): T[] {
  const database = new DatabaseSync(databaseFile(), { readOnly: true, timeout: 5000 });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
}

let found: string | undefined;
function databaseFile(): string {
  if (found !== undefined && existsSync(found)) return found;
  const files = readdirSync(join(dataDir, "state"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sqlite"))
    .map((file) => join(dataDir, "state", file));
  found = files.find((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'namespaces_owner'").all();
    database.close();
    return tables.length > 0;
  });
  if (found === undefined) throw new Error("no database");
  return found;
}

const count = (sql: string, namespace: string): number =>
  query<{ n: number }>(`SELECT count(*) AS n ${sql}`, namespace)[0]?.n ?? 0;

const alive = (namespace: string) =>
  count("FROM objects WHERE resource = 'configmaps' AND namespace = ?", namespace);
const owned = (namespace: string) => count("FROM owner_refs WHERE namespace = ?", namespace);
const workLeft = (namespace: string) => count("FROM work WHERE namespace = ?", namespace);

const path = (namespace: string, name = "") =>
  `/api/v1/namespaces/${namespace}/configmaps${name === "" ? "" : `/${name}`}`;

async function createObject(namespace: string, name: string, owner?: string, data = ""): Promise<string> {
  const [ownerName = "", uid = ""] = owner?.split("#") ?? [];
  const reference = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: ownerName,
    uid,
    blockOwnerDeletion: true,
  };
  const { code, body } = await server.call("POST", path(namespace), {
    metadata: { name, ...(owner === undefined ? {} : { ownerReferences: [reference] }) },
    data: { data },
  });
  expect(code).toBe(201);
  return `${name}#${body.metadata.uid}`;
}

async function createNamespace(name: string): Promise<void> {
  const { code } = await server.call("POST", "/api/v1/namespaces", { metadata: { name } });
  expect(code).toBe(201);
}

const LEVELS = 100;
const WIDTH = 20;

/** 2,000 dependents in levels of twenty: the first of a level owns the next one. The collector goes level by level. */
async function tower(namespace: string): Promise<void> {
  await createNamespace(namespace);
  let owner = await createObject(namespace, "owner");
  const others: Promise<unknown>[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const current = owner;
    owner = await createObject(namespace, `level${level}-0`, current);
    for (let i = 1; i < WIDTH; i++) others.push(createObject(namespace, `level${level}-${i}`, current));
  }
  await Promise.all(others);
}

/** Every object that is gone has a record, and its causes lead to the request. */
function expectRecords(namespace: string, head: string): void {
  const removed = query<{ uid: string; name: string }>(
    "SELECT uid, name FROM changes WHERE type = 'DELETED' AND namespace = ?",
    namespace,
  );
  const records = new Map(
    query<{ uid: string; cause: string | null; root: string; rule: string; removed_at: number | null }>(
      "SELECT uid, cause, root, rule, removed_at FROM deletions WHERE namespace = ?",
      namespace,
    ).map((row) => [row.uid, row]),
  );
  const root = removed.find(({ name }) => name === head)?.uid;
  expect(root).toBeDefined();
  for (const { uid, name } of removed) {
    const record = records.get(uid);
    expect(record, name).toMatchObject({ root });
    expect(record?.removed_at, name).not.toBeNull();
    if (uid === root) expect(record).toMatchObject({ rule: "request", cause: null });
    else expect(records.has(record?.cause ?? ""), name).toBe(true);
  }
}

const ORPHANS = Array.from({ length: 400 }, (_, i) => `d${i}`);

async function orphans(namespace: string): Promise<void> {
  await createNamespace(namespace);
  const owner = await createObject(namespace, "owner");
  const data = "x".repeat(50_000);
  await Promise.all(ORPHANS.map((name) => createObject(namespace, name, owner, data)));
}

describe("a cascade of 2,000 that the server is killed in goes on by itself afterwards", () => {
  const all = LEVELS * WIDTH + 1;
  const begin = async (namespace: string, policy: string) => {
    const answer = await server.call("DELETE", `${path(namespace, "owner")}?propagationPolicy=${policy}`);
    expect(answer.code).toBe(200);
  };
  /** How many of them a deletion has come to. In the foreground they go from the leaves up. */
  const touched = (namespace: string) => count("FROM deletions WHERE namespace = ?", namespace);

  beforeAll(async () => {
    await Promise.all([tower("background"), tower("foreground"), orphans("orphan")]);
    await Promise.all([begin("background", "Background"), begin("foreground", "Foreground")]);
    await eventually(
      async () => Math.min(touched("background"), touched("foreground")),
      (seen) => seen > WIDTH,
    );
    await begin("orphan", "Orphan");
    await eventually(
      async () => owned("orphan"),
      (left) => left < ORPHANS.length,
    );
    await crash();
    for (const namespace of ["background", "foreground", "orphan"]) {
      expect(touched(namespace), namespace).toBeLessThan(all);
      expect(workLeft(namespace), namespace).toBeGreaterThan(0);
      expect(owned(namespace), namespace).toBeGreaterThan(0);
    }
    await restart();
  }, 120_000);

  it.each(["background", "foreground"])("in the %s", async (namespace) => {
    await eventually(
      async () => alive(namespace),
      (left) => left === 0,
      30_000,
    );
    expect(workLeft(namespace)).toBe(0);
    expect(owned(namespace)).toBe(0);
    expectRecords(namespace, "owner");
  });

  it("releasing the rest of its dependents", async () => {
    await eventually(
      async () => alive("orphan"),
      (left) => left === ORPHANS.length,
      30_000,
    );
    expect(owned("orphan")).toBe(0);
    expectRecords("orphan", "owner");
    const { body } = await server.call("GET", path("orphan", "d7"));
    expect(body.metadata.ownerReferences).toBeUndefined();
  });
});

it("everything that was acknowledged is there after the server was killed among creates", async () => {
  await createNamespace("creates");
  const acknowledged: string[] = [];
  let killed = false;
  const client = async (number: number) => {
    for (let i = 0; !killed; i++) {
      const name = `c${number}-${i}`;
      const answer = await server
        .call("POST", path("creates"), { metadata: { name } })
        .catch(() => undefined);
      if (answer?.code === 201) acknowledged.push(`${name}#${answer.body.metadata.resourceVersion}`);
      else return;
    }
  };
  const clients = Array.from({ length: 16 }, (_, number) => client(number));
  await eventually(
    async () => acknowledged.length,
    (seen) => seen > 200,
  );
  killed = true;
  await crash();
  await Promise.all(clients);

  await restart();
  const { body } = await server.call("GET", path("creates"));
  const there = new Set(
    body.items.map(
      ({ metadata }: { metadata: { name: string; resourceVersion: string } }) =>
        `${metadata.name}#${metadata.resourceVersion}`,
    ),
  );
  expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
  const changes = count(
    "FROM changes WHERE type = 'ADDED' AND resource = 'configmaps' AND namespace = ?",
    "creates",
  );
  expect(changes).toBe(there.size);
});
