import { describe, expect, test } from "vitest";
import { kindRegistry } from "../objects/kinds/registry.ts";
import { answerDocument } from "./documents.ts";

const served = { kinds: kindRegistry([]), definitions: new Map() };
const PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

function answer(path: string, headers: Record<string, string> = {}): Response {
  const request = new Request(`http://x/clusters/c/${path}`, { headers });
  const answered = answerDocument(new URL(request.url).pathname.split("/").slice(3), served, request);
  if (answered === undefined) throw new Error(`${path} is no document`);
  return answered;
}

describe("OpenAPI documents", () => {
  test.each([
    ["openapi/v2", PROTOBUF],
    ["openapi/v2", "application/json"],
    ["openapi/v3", "application/json"],
    ["openapi/v3/apis/apps/v1", "application/json"],
  ])("%s as %s is not sent again to a client that has it", async (path, accept) => {
    const first = answer(path, { accept });
    const etag = first.headers.get("etag") ?? "";
    expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    const second = answer(path, { accept, "if-none-match": etag });
    expect([second.status, await second.text()]).toEqual([304, ""]);
    expect(answer(path, { accept, "if-none-match": '"another"' }).status).toBe(200);
  });

  test("one that is asked for by its hash may be kept, another hash says nothing", async () => {
    const { paths } = JSON.parse(await answer("openapi/v3").text());
    const url: string = paths["apis/apps/v1"].serverRelativeURL;
    expect(answer(url.slice(1)).headers.get("cache-control")).toContain("immutable");
    expect(answer("openapi/v3/apis/apps/v1?hash=0").headers.get("cache-control")).toBe("private, no-cache");
  });
});
