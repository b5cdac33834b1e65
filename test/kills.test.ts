import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureCluster } from "../functions/local/demo-cluster.ts";
import { type Runtime, startRuntime } from "../functions/local/runtime.ts";
import { readWorkerConfig } from "../functions/local/worker-config.ts";
import { call, eventually } from "./server.ts";
import { query, unexplained, unindexed } from "./store.ts";

// workerd, which holds the database, every Durable Object and every alarm, is killed again and again among creates and
// cascades, without a chance to finish anything. What hosts it starts it anew each time, as the local server does.

/** `KILLS=500 npm test -- kills` for more. */
const KILLS = Number(process.env.KILLS || 50);
const CLIENTS = 8;
const NAMESPACES = ["one", "two"];
const POLICIES = ["Background", "Foreground", "Orphan"];

const root = resolve(import.meta.dirname, "..");
let folder: string;
let runtime: Runtime;
let token: string;
let over = false;
/** What was acknowledged, as `uid version` and `uid`. */
const written: string[] = [];
const deleted: string[] = [];
let answers = 0;
let kills = 0;

beforeAll(
  async () => {
    folder = mkdtempSync(join(tmpdir(), "kubegc-kills-"));
    const config = readWorkerConfig(join(root, "wrangler.toml"));
    runtime = await startRuntime(config, {
      host: "127.0.0.1",
      port: 0,
      state: join(folder, "state"),
      workerdRecord: join(folder, "workerd.pid"),
      bindings: { ROOT_TOKEN_SHA256: createHash("sha256").update("root").digest("hex") },
      onRestart: cron,
      // So many deaths in so short a time are a reason to give up for the server, and the aim here.
      onFault: () => {},
    });
    token = (await ensureCluster(runtime.url, "demo", "root")) ?? "";
    for (const name of NAMESPACES) await ask("POST", "/api/v1/namespaces", { metadata: { name } });
    await Promise.all([...Array.from({ length: CLIENTS }, (_, number) => client(number)), killer()]);
    cron();
    await eventually(
      async () => {
        await ask("GET", "/version");
        return query<{ n: number }>(folder, "SELECT count(*) AS n FROM work WHERE due_at <= 0")[0]?.n;
      },
      (left) => left === 0,
      60_000,
    );
  },
  60_000 + KILLS * 20_000,
);

afterAll(async () => {
  await runtime?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function cron(): void {
  runtime?.scheduled("* * * * *", new Date()).catch(() => undefined);
}

/** Undefined when nobody answered, or nothing that says what happened. */
async function ask(method: string, path: string, body?: unknown) {
  const base = `${runtime.url.origin}/clusters/demo`;
  const answer = await call(base, token, method, path, body).catch(() => undefined);
  if (answer === undefined || answer.code >= 500) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return undefined;
  }
  answers++;
  return answer;
}

/** Lets some requests through, and then kills at a moment that nobody can foresee. */
async function killer(): Promise<void> {
  for (; kills < KILLS; kills++) {
    const wanted = answers + CLIENTS + Math.random() * 150;
    while (answers < wanted) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    process.kill(Number.parseInt(readFileSync(join(folder, "workerd.pid"), "utf8"), 10), "SIGKILL");
  }
  over = true;
}

/** Makes an owner with dependents, and theirs, and deletes it. */
async function client(number: number): Promise<void> {
  const path = `/api/v1/namespaces/${NAMESPACES[number % NAMESPACES.length]}/configmaps`;
  const create = async (name: string, owner?: { name: string; uid: string }) => {
    const reference = { apiVersion: "v1", kind: "ConfigMap", blockOwnerDeletion: true, ...owner };
    const metadata = { name, labels: { app: "kills" }, ...(owner && { ownerReferences: [reference] }) };
    const answer = await ask("POST", path, { metadata });
    if (answer?.code !== 201) return undefined;
    const { uid, resourceVersion } = answer.body.metadata;
    written.push(`${uid} ${resourceVersion}`);
    return { name, uid: uid as string };
  };
  for (let i = 0; !over; i++) {
    const owner = await create(`c${number}-${i}`);
    if (owner === undefined) continue;
    const made = [1, 2, 3, 4, 5, 6].map((n) => create(`${owner.name}-${n}`, owner));
    const [child] = await Promise.all(made);
    if (child) await create(`${child.name}-1`, child);
    const policy = POLICIES[i % POLICIES.length];
    const answer = await ask("DELETE", `${path}/${owner.name}?propagationPolicy=${policy}`);
    if (answer?.code === 200) deleted.push(owner.uid);
  }
}

describe(`after ${KILLS} kills`, () => {
  it("everything that was acknowledged is there", () => {
    expect(kills).toBe(KILLS);
    expect(deleted.length).toBeGreaterThan(KILLS / 2);
    const changes = query<{ uid: string; version: number; type: string }>(
      folder,
      "SELECT uid, id & ((1 << 40) - 1) AS version, type FROM changes",
    );
    const there = new Set(changes.map(({ uid, version }) => `${uid} ${version}`));
    expect(written.filter((one) => !there.has(one))).toEqual([]);
    const gone = new Set(changes.filter(({ type }) => type === "DELETED").map(({ uid }) => uid));
    expect(deleted.filter((uid) => !gone.has(uid))).toEqual([]);
  });

  it("everything that was begun has ended: nobody goes any more, and nobody is left without an owner", () => {
    const going = query(folder, "SELECT name FROM objects WHERE deletion IS NOT NULL");
    expect(going).toEqual([]);
    const left = query(
      folder,
      `SELECT r.dependent_uid FROM owner_refs r WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.uid = r.owner_uid)`,
    );
    expect(left).toEqual([]);
  });

  it("every object that is gone has a cause", () => {
    expect(unexplained(folder)).toEqual([]);
  });

  it("the database is whole, and its indexes say what the objects say", () => {
    expect(query(folder, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(unindexed(folder)).toEqual([]);
  });
});
