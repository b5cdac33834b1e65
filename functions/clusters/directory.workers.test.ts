import { describe, expect, it } from "vitest";
import { DB } from "../graph/graph.fixture.ts";
import { Directory } from "./directory.ts";
import { issueToken } from "./tokens.ts";

const HOUR = 3_600_000;

async function cluster(name: string): Promise<number> {
  const row = await DB.prepare("INSERT INTO clusters (name, created_at) VALUES (?1, 0) RETURNING id")
    .bind(name)
    .first<{ id: number }>();
  if (row === null) throw new Error("no cluster was made");
  return row.id;
}

const object = (id: number, uid: string) =>
  DB.prepare(
    `INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
     VALUES (?1, 'serviceaccounts', 'default', ?2, ?2, 1, 1, '{}')`,
  )
    .bind(id, uid)
    .run();

const count = async (id: number): Promise<number> =>
  (await DB.prepare("SELECT COUNT(*) AS n FROM tokens WHERE cluster = ?1").bind(id).first<{ n: number }>())
    ?.n ?? 0;

describe("a token that ends", () => {
  it("passes until its last moment, however often it was asked about", async () => {
    const id = await cluster("ends");
    await object(id, "account-1");
    let now = 1_000_000;
    const directory = new Directory(
      DB,
      "",
      () => now,
      () => DB,
    );
    const limits = { expiresAt: now + HOUR, accountUid: "account-1", boundUid: undefined };
    const token = await issueToken(DB, { cluster: id, user: "u", role: "view", now, limits });
    now += HOUR - 1;
    expect(await directory.admit("ends", token)).toEqual({
      cluster: id,
      principal: { user: "u", role: "view" },
    });
    now += 1;
    expect(await directory.admit("ends", token)).toBeUndefined();
  });

  it("is taken away when another one is issued", async () => {
    const id = await cluster("garbage");
    const issue = (now: number) => {
      const limits = { expiresAt: now + HOUR, accountUid: "account-2", boundUid: undefined };
      return issueToken(DB, { cluster: id, user: "u", role: "view", now, limits });
    };
    await issue(0);
    await issue(1);
    expect(await count(id)).toBe(2);
    await issue(2 * HOUR);
    expect(await count(id)).toBe(1);
  });

  it("passes only while what it is bound to exists, and is gone with it", async () => {
    const id = await cluster("bound");
    await object(id, "account-3");
    await object(id, "pod-3");
    let now = 1_000_000;
    const directory = new Directory(
      DB,
      "",
      () => now,
      () => DB,
    );
    const limits = { expiresAt: now + HOUR, accountUid: "account-3", boundUid: "pod-3" };
    const token = await issueToken(DB, { cluster: id, user: "u", role: "view", now, limits });
    expect(await directory.admit("bound", token)).toBeDefined();
    await DB.prepare("DELETE FROM objects WHERE uid = 'pod-3'").run();
    now += 10_000;
    expect(await directory.admit("bound", token)).toBeUndefined();
    expect(await count(id)).toBe(0);
  });

  it("is stored as a hash only", async () => {
    const id = await cluster("hashed");
    const token = await issueToken(DB, { cluster: id, user: "u", role: "view", now: 0 });
    const { results } = await DB.prepare("SELECT * FROM tokens WHERE cluster = ?1").bind(id).all();
    expect(JSON.stringify(results)).not.toContain(token);
    expect(results).toMatchObject([{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });
});
