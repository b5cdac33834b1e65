import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { makeToken } from "./cluster.ts";
import { call, eventually, startServer, type TestServer } from "./server.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let dataDir: string;
let server: TestServer;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "kubegc-metrics-"));
  server = await startServer({ dataDir });
});
afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What is counted of this: the outbox and newest runs move by themselves. */
const counted = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /_objects\{.*configmaps|_total\{.*"(request|owner-absent|ttl)"/.test(line));

describe("metrics", () => {
  it("count what was done, and go on counting after the server was killed", async () => {
    const owner = (await server.call("POST", CONFIG_MAPS, { metadata: { name: "owner" } })).body;
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    const annotations = { "gc.kubegc.dev/ttl": "1s" };
    for (const more of [{ ownerReferences }, { ownerReferences }, { annotations }, {}]) {
      await server.call("POST", CONFIG_MAPS, { metadata: { generateName: "a-", ...more } });
    }
    await server.call("DELETE", `${CONFIG_MAPS}/owner`);
    const wanted = [
      'apiserver_storage_objects{resource="configmaps"} 1',
      'kubegc_deletions_total{rule="owner-absent"} 2',
      'kubegc_deletions_total{rule="request"} 1',
      'kubegc_deletions_total{rule="ttl"} 1',
      'kubegc_sweep_deleted_total{sweep="ttl",rule="ttl"} 1',
      'kubegc_sweep_errors_total{sweep="ttl",rule="ttl"} 0',
    ];
    const scrape = async () => counted((await server.call("GET", "/metrics")).text);
    const settled = (seen: string[]) => wanted.every((line) => seen.includes(line));
    expect(await eventually(scrape, settled)).toEqual(wanted);

    await server.kill();
    server = await startServer({ dataDir });
    expect(await scrape()).toEqual(wanted);
  });

  test.each([
    ["admin", 200],
    ["view", 200],
    ["node", 403],
  ])("answer a token of role %s with %i", async (role, code) => {
    const token = await makeToken(server, "demo", `metrics-${role}`, role);
    expect((await call(server.base, token, "GET", "/metrics")).code).toBe(code);
  });

  it("are not there without a token, nor to be written", async () => {
    expect((await call(server.base, undefined, "GET", "/metrics")).code).toBe(401);
    expect((await server.call("POST", "/metrics", {})).code).toBe(404);
  });
});
