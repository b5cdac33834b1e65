import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FencePolicy } from "../../functions/outbound/fence.ts";
import type { Answer, Question } from "../../functions/sweeps/decision.ts";
import { eventually } from "../server.ts";
import { inWorkerd } from "./in-workerd.ts";
import { reviewing, serving, stopServing } from "./serving.ts";

let asking: Awaited<ReturnType<typeof inWorkerd<[Question, FencePolicy], Answer>>>;

beforeAll(async () => {
  asking = await inWorkerd("functions/outbound/ask.ts", "ask");
});
afterEach(stopServing);
afterAll(() => asking.stop());

const LOCAL: FencePolicy = { allowPrivate: true, timeLimit: 300 };
const VERSION = "gc.kubegc.dev/v1alpha1";

function volume(path = "/srv/volumes/a") {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv", uid: "uid-pv", resourceVersion: "7", creationTimestamp: "2026-11-20T16:20:03Z" },
    spec: { hostPath: { path }, claimRef: { namespace: "team", name: "data", uid: "uid-claim" } },
  } as never;
}
const free = (url: string, policy = LOCAL) =>
  asking.call({ ask: "delete-volume", url, volume: volume() }, policy);
const empty = (url: string) => asking.call({ ask: "recycle-volume", url, volume: volume() }, LOCAL);
const exists = (url: string) =>
  asking.call({ ask: "instance-exists", url, node: "n1", providerID: "x://1" }, LOCAL);
const isShutdown = (url: string) =>
  asking.call({ ask: "instance-shutdown", url, node: "n1", providerID: "" }, LOCAL);

describe("a deleter", () => {
  test.each([
    [{ result: "Done" }, { result: "done" }],
    [{ result: "NotFound", message: "never heard of it" }, { result: "done" }],
    [
      { result: "InProgress", message: "attached to n1" },
      { result: "in-use", message: "attached to n1" },
    ],
    [{ result: "InProgress" }, { result: "in-use", message: "the deleter has not finished" }],
    [
      { result: "Refused", message: "has snapshots" },
      { result: "failed", message: "has snapshots" },
    ],
    [{ result: "Refused" }, { result: "failed", message: "the deleter refused" }],
    [
      { result: "Refused", message: "x".repeat(5000) },
      { result: "failed", message: "x".repeat(1000) },
    ],
  ])("that answers %j", async (response, answer) => {
    const { url } = await reviewing(() => response);
    expect(await free(url)).toEqual(answer);
  });

  test("is told the same each time, and by header too, so that it can do it once", async () => {
    const keys: (string | undefined)[] = [];
    const url = await serving((request, response) => {
      keys.push(String(request.headers["idempotency-key"]));
      response.end();
    });
    const { url: hook, asked } = await reviewing(() => ({ result: "Done" }));
    for (const each of [hook, hook, url, url]) await free(each);
    expect(asked).toEqual([
      { uid: "uid-pv", operation: "Delete", volume: volume() },
      { uid: "uid-pv", operation: "Delete", volume: volume() },
    ]);
    expect(keys).toEqual(['"uid-pv"', '"uid-pv"']);
  });

  test("is told to empty a volume once for each claim that left it", async () => {
    const { url, asked } = await reviewing(() => ({ result: "Done" }));
    expect(await empty(url)).toEqual({ result: "done" });
    expect(asked).toMatchObject([{ uid: "uid-pv.uid-claim", operation: "Recycle" }]);
  });
});

describe("an instance provider", () => {
  test.each([
    ["Running", { answer: true }, { answer: false }],
    ["Shutdown", { answer: true }, { answer: true }],
    ["NotFound", { answer: false }, { answer: false }],
    ["Refused", { problem: "no quota" }, { problem: "no quota" }],
  ])("that answers %s", async (result, existing, shutdown) => {
    const { url, asked } = await reviewing(() => ({ result, message: "no quota" }));
    expect(await exists(url)).toEqual(existing);
    expect(await isShutdown(url)).toEqual(shutdown);
    expect(asked).toMatchObject([
      { node: "n1", providerID: "x://1" },
      { node: "n1", providerID: "" },
    ]);
  });
});

describe("no answer, which frees nothing and deletes nothing, is", () => {
  const document = (change: object) => ({
    apiVersion: VERSION,
    kind: "VolumeReclaimReview",
    response: { uid: "uid-pv", result: "Done" },
    ...change,
  });
  const about = "did not answer with a VolumeReclaimReview for this request";

  test.each<[string, number, string, string]>([
    ["a page that was not found", 404, "404 page not found", "answered 404"],
    ["a document under another status", 404, JSON.stringify(document({})), "answered 404"],
    ["one that was only accepted", 202, JSON.stringify(document({})), "answered 202"],
    ["an error", 500, "oops", "answered 500"],
    ["nothing", 200, "", about],
    ["half a document", 200, '{"apiVersion":', about],
    ["a page", 200, "<html>Done</html>", about],
    ["a list", 200, "[]", about],
    ["another version", 200, JSON.stringify(document({ apiVersion: "v1" })), `${about}: apiVersion`],
    ["another kind", 200, JSON.stringify(document({ kind: "InstanceReview" })), `${about}: kind`],
    ["no response", 200, JSON.stringify(document({ response: undefined })), `${about}: response`],
    [
      "the response to another request",
      200,
      JSON.stringify(document({ response: { uid: "uid-other", result: "Done" } })),
      `${about}: response.uid`,
    ],
    [
      "a result that is none",
      200,
      JSON.stringify(document({ response: { uid: "uid-pv", result: "done" } })),
      `${about}: response.result`,
    ],
    [
      "a result of the other kind",
      200,
      JSON.stringify(document({ response: { uid: "uid-pv", result: "Running" } })),
      `${about}: response.result`,
    ],
  ])("%s", async (_, status, body, problem) => {
    const url = await serving((_, response) => response.writeHead(status).end(body));
    const message = `${url}/hook ${problem}`;
    expect(await free(`${url}/hook?token=secret`)).toEqual({ result: "failed", message });
    expect(await exists(`${url}/hook?token=secret`)).toMatchObject({ problem: expect.any(String) });
  });

  test("silence", async () => {
    const url = await serving(() => {});
    expect(await free(url)).toEqual({ result: "failed", message: `${url}/ did not answer within 0.3 s` });
    expect(await exists(url)).toEqual({ problem: `${url}/ did not answer within 0.3 s` });
  });

  test("an endpoint that is down", async () => {
    const url = await serving(() => {});
    await stopServing();
    expect(await free(url)).toEqual({ result: "failed", message: `${url}/ could not be reached` });
    expect(await exists(url)).toEqual({ problem: `${url}/ could not be reached` });
  });

  test("an endpoint that may not be called", async () => {
    const { url, asked } = await reviewing(() => ({ result: "Done" }));
    expect(await free(url, { allowPrivate: false })).toMatchObject({
      result: "failed",
      message: expect.stringContaining("not an address of the public internet"),
    });
    expect(asked).toEqual([]);
  });
});

describe("the server in the documentation", () => {
  let folder: string;
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    url = await serving(() => {});
    await stopServing();
    folder = mkdtempSync(join(tmpdir(), "kubegc-deleter-"));
    const readme = readFileSync(resolve(import.meta.dirname, "../../functions/outbound/README.md"), "utf8");
    const code = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const script = join(folder, "server.mjs");
    writeFileSync(
      script,
      code.replaceAll(String.raw`\/srv\/volumes`, folder.replaceAll("/", String.raw`\/`)),
    );
    server = spawn(process.execPath, [script], { env: { ...process.env, PORT: new URL(url).port } });
    await eventually(
      () =>
        fetch(url, { method: "POST", body: "{}" }).then(
          () => true,
          () => false,
        ),
      Boolean,
    );
  });
  afterAll(() => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("frees a volume, again and again, and no other folder", async () => {
    const path = join(folder, "data-1");
    mkdirSync(path);
    const order = { ask: "delete-volume", url, volume: volume(path) } as const;
    expect(await asking.call(order, LOCAL)).toEqual({ result: "done" });
    expect(existsSync(path)).toBe(false);
    expect(await asking.call(order, LOCAL)).toEqual({ result: "done" });
    const other = { ask: "delete-volume", url, volume: volume("/etc") } as const;
    expect(await asking.call(other, LOCAL)).toEqual({
      result: "failed",
      message: "/etc is not ours",
    });
  });

  test("knows its machines", async () => {
    const ask = (node: string) => asking.call({ ask: "instance-exists", url, node, providerID: "" }, LOCAL);
    expect(await ask("worker-1")).toEqual({ answer: true });
    expect(await ask("worker-9")).toEqual({ answer: false });
  });
});
