import { describe, expect, test } from "vitest";
import { body, message } from "../objects/protobuf/wire.fixture.ts";
import { readBody } from "./request-body.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";

const read = (content: string | Uint8Array<ArrayBuffer>, type: string) =>
  readBody(new Request("http://x/", { method: "POST", body: content, headers: { "content-type": type } }));
const bytes = (...[version, kind, raw]: Parameters<typeof body>) => new Uint8Array(body(version, kind, raw));
const configMap = (data: string) =>
  bytes("v1", "ConfigMap", message([1, message([1, "a"])], [2, message([1, "k"], [2, data])]));

describe("a body", () => {
  test.each([["application/json"], ["application/yaml"], ["application/merge-patch+json"], ["text/plain"]])(
    "of type %s is handed on as it is",
    async (mediaType) => {
      expect(await read("{ä: 1}", mediaType)).toEqual({ ok: true, value: { text: "{ä: 1}", mediaType } });
    },
  );

  test.each([[PROTOBUF], ["Application/VND.Kubernetes.Protobuf ; type=x"]])(
    "of type %s becomes JSON",
    async (type) => {
      const text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"ä"}}';
      expect(await read(configMap("ä"), type)).toEqual({
        ok: true,
        value: { text, mediaType: "application/json" },
      });
    },
  );

  test("that is not there is no fault, in protobuf either", async () => {
    const request = new Request("http://x/", { method: "DELETE", headers: { "content-type": PROTOBUF } });
    expect(await readBody(request)).toEqual({ ok: true, value: { text: "", mediaType: "application/json" } });
  });
});

describe("what is refused", () => {
  const tooLarge = (limit: number) => ({
    ok: false,
    failure: { reason: "RequestEntityTooLarge", message: `Request entity too large: limit is ${limit}` },
  });
  const secret = (size: number) =>
    bytes("v1", "Secret", message([2, message([1, "k"], [2, new Uint8Array(size)])]));

  test.each<[string, string | Uint8Array<ArrayBuffer>, string, unknown]>([
    ["more than 3 MiB", "x".repeat(3 * 1024 * 1024 + 1), "application/json", tooLarge(3 * 1024 * 1024)],
    ["an object larger than a row", "x".repeat(1_400_001), "application/json", tooLarge(1_400_000)],
    ["protobuf larger than a row", configMap("x".repeat(1_400_001)), PROTOBUF, tooLarge(1_400_000)],
    ["protobuf that is larger than a row as JSON", secret(1_200_000), PROTOBUF, tooLarge(1_400_000)],
    [
      "a custom resource in protobuf",
      bytes("example.com/v1", "Widget", message()),
      PROTOBUF,
      { ok: false, failure: { reason: "UnsupportedMediaType", message: expect.any(String) } },
    ],
    [
      "what is no protobuf",
      "{}",
      PROTOBUF,
      { ok: false, failure: { reason: "BadRequest", message: expect.any(String) } },
    ],
  ])("%s", async (_, content, type, expected) => {
    expect(await read(content, type)).toEqual(expected);
  });
});
