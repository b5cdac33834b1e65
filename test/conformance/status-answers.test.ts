import { beforeAll, describe, expect, it } from "vitest";
import document from "../recorded/status-answers-1.20.json" with { type: "json" };
import { type Answer, startServer, type TestServer } from "../server.ts";

interface RecordedAnswer {
  what: string;
  request: { method: string; path: string; body?: unknown; contentType?: string };
  code: number;
  headers: Record<string, string>;
  /** A Status; or that it is no JSON, or an object that was not recorded. */
  body: { notJSON: string } | { kind: string; note: string } | object;
}

const recorded = document as unknown as RecordedAnswer[];

/** The uid of `owner` when the answers were recorded. */
const RECORDED_UID = "0adf782e-03de-4b27-bf39-21ae43854b79";
const CONFIG_MAPS = "/api/v1/namespaces/err/configmaps";
let server: TestServer;
/** The ConfigMap that most requests are about. */
let owner: { uid: string; resourceVersion: string };

// The requests came one after another, the last one deletes what the others need.
beforeAll(async () => {
  server = await startServer();
  await server.call("POST", "/api/v1/namespaces", { metadata: { name: "err" } });
  owner = (await server.call("POST", CONFIG_MAPS, { metadata: { name: "owner" } })).body.metadata;
  const held = { metadata: { name: "held", finalizers: ["example.com/hold"] } };
  await server.call("POST", CONFIG_MAPS, held);
  const deleted = await server.call("DELETE", `${CONFIG_MAPS}/held`);
  expect(deleted.body.metadata.deletionTimestamp).toBeDefined();
  return () => server.stop();
});

function send({ what, request }: RecordedAnswer): Promise<Answer> {
  const { method, path, contentType } = request;
  const huge = { metadata: { name: "an", annotations: { a: "x".repeat(263_000) } } };
  const body = what === "create: annotations too large" ? huge : request.body;
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  return server.call(
    method,
    path,
    text?.replaceAll(RECORDED_UID, owner.uid),
    contentType ? { "content-type": contentType } : {},
  );
}

/** What was recorded, for a server on which `owner` has another uid and resourceVersion. */
function expected({ body }: RecordedAnswer): unknown {
  const here = JSON.stringify(body)
    .replaceAll(RECORDED_UID, owner.uid)
    .replace(/in record \(\d+\)/, `in record (${owner.resourceVersion})`);
  return comparable(JSON.parse(here));
}

/** Without what no two servers have in common: where Go kept a value, and how many writes there have been. */
function comparable(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/0xc[0-9a-f]{9}/g, "0xADDRESS")
    .replace(/(Too large resource version: \d+, current: )\d+/, "$1N");
  return JSON.parse(text);
}

describe("as Kubernetes 1.20 answered", () => {
  it("has all of them", () => expect(recorded).toHaveLength(67));

  it.each(recorded)("$code $what", async (each) => {
    const answer = await send(each);
    const { body } = each;
    expect(answer.code, answer.text).toBe(each.code);
    if ("notJSON" in body) expect(answer.text).toBe(body.notJSON);
    else if ("note" in body) expect(answer.body.kind).toBe(body.kind);
    else expect(comparable(answer.body)).toEqual(expected(each));
    for (const [name, value] of Object.entries(each.headers)) {
      expect(answer.headers.get(name), name).toBe(value.replaceAll(RECORDED_UID, owner.uid));
    }
  });
});
