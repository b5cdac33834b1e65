import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { ACCEPTED_PATCH_TYPES, applyPatch, type PatchType, patchTypeOf } from "./patch.ts";

const configMap: Kind = {
  group: "",
  versions: ["v1"],
  kind: "ConfigMap",
  resource: "configmaps",
  singular: "configmap",
  shortNames: ["cm"],
  categories: [],
  namespaced: true,
  verbs: ["get", "patch"],
  subresources: [],
  storedAs: "configmaps" as Kind["storedAs"],
  traits: {
    returnsDeletedObject: false,
    deletion: "ordinary",
    orphansByDefaultIn: [],
    countsGenerations: false,
    nameSyntax: "subdomain",
    custom: false,
  },
};
const widget: Kind = {
  ...configMap,
  group: "example.com",
  kind: "Widget",
  traits: { ...configMap.traits, custom: true },
};

const stored = (): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "o", finalizers: ["x/a", "x/b"] },
  data: { k: "v" },
});

const patched = (type: PatchType, patch: unknown, kind = configMap) => {
  const outcome = applyPatch(stored(), type, typeof patch === "string" ? patch : JSON.stringify(patch), kind);
  return outcome.ok ? outcome.value : outcome.failure;
};

test.each([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json; charset=utf-8", "merge"],
  ["Application/Strategic-Merge-Patch+JSON", "strategic"],
  ["application/apply-patch+yaml", undefined],
  ["application/json", undefined],
  ["", undefined],
])("the media type %j is the patch type %s", (contentType, type) => {
  expect(patchTypeOf(contentType)).toBe(type);
});

test("every accepted media type has a patch type", () => {
  expect(ACCEPTED_PATCH_TYPES.map(patchTypeOf)).toEqual(["json", "merge", "strategic"]);
});

describe.each<[PatchType, unknown]>([
  ["json", [{ op: "remove", path: "/metadata/finalizers/0" }]],
  ["merge", { metadata: { finalizers: ["x/b"] } }],
  ["strategic", { metadata: { "$deleteFromPrimitiveList/finalizers": ["x/a"] } }],
])("a %s patch", (type, patch) => {
  test("makes a new object", () => {
    expect(patched(type, patch)).toEqual({ ...stored(), metadata: { name: "o", finalizers: ["x/b"] } });
  });

  test("leaves the stored object alone and shares nothing with it", () => {
    const current = stored();
    const outcome = applyPatch(current, type, JSON.stringify(patch), configMap);
    expect(current).toEqual(stored());
    expect(outcome.ok && outcome.value.data).not.toBe(current.data);
  });

  test.each(["", "{", "nope", "[1,]"])("that is %j does not decode", (text) => {
    expect(patched(type, text)).toMatchObject({
      reason: "BadRequest",
      message: expect.stringMatching(/^error decoding patch: /),
    });
  });

  test.each([
    '{"data":{"__proto__":{"polluted":1}}}',
    '[{"op":"add","path":"/data","value":{"\\u005f_proto__":{"polluted":1}}}]',
  ])("that is %j names a prototype and is refused", (text) => {
    expect(patched(type, text)).toEqual({
      reason: "BadRequest",
      message: 'error decoding patch: the field name "__proto__" is not allowed',
    });
    expect({}).not.toHaveProperty("polluted");
  });

  test("that is nested a hundred thousand levels deep is refused", () => {
    expect(patched(type, `${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toEqual({
      reason: "BadRequest",
      message: "error decoding patch: exceeded max depth",
    });
  });
});

describe("a patch of the wrong JSON type", () => {
  test.each(["5", "null", "[]", '"x"'])("%s is no merge patch", (text) => {
    expect(patched("merge", text)).toEqual({ reason: "Unknown", message: "Invalid JSON Patch" });
  });

  test("a list is no strategic merge patch", () => {
    expect(patched("strategic", [])).toEqual({
      reason: "BadRequest",
      message: "json: cannot unmarshal array into Go value of type map[string]interface {}",
    });
  });
});

describe("a custom kind", () => {
  test("has no strategic merge", () => {
    expect(patched("strategic", {}, widget)).toEqual({
      reason: "UnsupportedMediaType",
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    });
  });

  test("merges", () => {
    expect(patched("merge", { data: null }, widget)).not.toHaveProperty("data");
  });
});

describe("what a patch cannot take away", () => {
  test.each<[PatchType, unknown]>([
    ["json", [{ op: "remove", path: "/metadata" }]],
    ["json", [{ op: "replace", path: "/metadata", value: null }]],
    ["merge", { metadata: null }],
    ["strategic", { metadata: null }],
    ["strategic", { $patch: "delete" }],
    ["strategic", { $patch: "replace", data: {} }],
  ])("metadata, by %s patch %j", (type, patch) => {
    expect(patched(type, patch)).toEqual({
      reason: "BadRequest",
      message: "the name of the object (o based on URL) was undeterminable: name must be provided",
    });
  });

  test.each<[PatchType, unknown]>([
    ["json", [{ op: "replace", path: "/metadata", value: [] }]],
    ["merge", { metadata: [] }],
    ["strategic", { metadata: [] }],
  ])("metadata's shape, by %s patch %j", (type, patch) => {
    expect(patched(type, patch)).toEqual({
      reason: "BadRequest",
      message: "json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
    });
  });

  test("apiVersion and kind", () => {
    expect(patched("merge", { apiVersion: null, kind: null })).toEqual(stored());
  });
});
