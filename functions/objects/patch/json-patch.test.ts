import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { jsonPatch } from "./json-patch.ts";

const object = (): JsonObject => ({
  metadata: {
    name: "o",
    finalizers: ["x/a", "x/b"],
    labels: { "app/name": "web" },
    owners: [{ uid: "1" }, { uid: "2" }],
  },
  data: { k: "v" },
});

const patched = (...operations: Json[]) => {
  const outcome = jsonPatch(object(), operations);
  return outcome.ok ? outcome.value : outcome.failure;
};

describe("operations", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["add sets a field", { op: "add", path: "/data/l", value: "w" }, { data: { k: "v", l: "w" } }],
    ["replace sets a field that is there", { op: "replace", path: "/data/k", value: 1 }, { data: { k: 1 } }],
    ["remove takes a field away", { op: "remove", path: "/data/k" }, { data: {} }],
    ["move renames", { op: "move", from: "/data/k", path: "/data/l" }, { data: { l: "v" } }],
    ["copy doubles", { op: "copy", from: "/data/k", path: "/data/l" }, { data: { k: "v", l: "v" } }],
    ["test passes on an equal value", { op: "test", path: "/data", value: { k: "v" } }, { data: { k: "v" } }],
    ["test for null passes on an absent field", { op: "test", path: "/data/x", value: null }, {}],
  ])("%s", (_, operation, expected) => {
    expect(patched(operation)).toEqual({ ...object(), ...expected });
  });

  test.each<[string, JsonObject, string[]]>([
    ["add inserts", { op: "add", path: "/metadata/finalizers/1", value: "x/c" }, ["x/a", "x/c", "x/b"]],
    ["add appends", { op: "add", path: "/metadata/finalizers/-", value: "x/c" }, ["x/a", "x/b", "x/c"]],
    ["remove closes the gap", { op: "remove", path: "/metadata/finalizers/0" }, ["x/b"]],
    [
      "move puts behind what is left",
      { op: "move", from: "/metadata/finalizers/0", path: "/metadata/finalizers/1" },
      ["x/b", "x/a"],
    ],
  ])("in a list %s", (_, operation, finalizers) => {
    expect(patched(operation)).toMatchObject({ metadata: { finalizers } });
  });

  test("an escaped slash is part of the field's name", () => {
    const labels = { "app/name": "db" };
    expect(patched({ op: "replace", path: "/metadata/labels/app~1name", value: "db" })).toMatchObject({
      metadata: { labels },
    });
  });

  test("a moved item is gone before the place it moves to is looked up", () => {
    const list = [{ a: 1 }, { b: 2 }, { c: 3 }];
    expect(jsonPatch({ list }, [{ op: "move", from: "/list/0", path: "/list/1/x" }])).toEqual({
      ok: true,
      value: { list: [{ b: 2 }, { c: 3, x: { a: 1 } }] },
    });
  });
});

describe("what cannot be applied is unprocessable", () => {
  test.each<[string, Json]>([
    ["test fails", { op: "test", path: "/metadata/name", value: "other" }],
    ["test for null where a value is", { op: "test", path: "/metadata/name", value: null }],
    ["test below an absent object", { op: "test", path: "/spec/x", value: null }],
    ["op is unknown", { op: "dance", path: "/x" }],
    ["op is missing", { path: "/x" }],
    ["operation is null", null],
    ["path is missing", { op: "remove" }],
    ["path has no leading slash", { op: "add", path: "data/l", value: 1 }],
    ["path is the whole document", { op: "replace", path: "", value: {} }],
    ["add without value", { op: "add", path: "/data/l" }],
    ["add below an absent object", { op: "add", path: "/spec/x", value: 1 }],
    ["add below a scalar", { op: "add", path: "/metadata/name/x", value: 1 }],
    ["add beyond a list's end", { op: "add", path: "/metadata/finalizers/3", value: "x" }],
    ["add at something that is no index", { op: "add", path: "/metadata/finalizers/01", value: "x" }],
    ["replace of an absent field", { op: "replace", path: "/data/x", value: 1 }],
    ["replace of an inherited field", { op: "replace", path: "/data/toString", value: 1 }],
    ["replace at a list's end", { op: "replace", path: "/metadata/finalizers/-", value: "x" }],
    ["replace at something that is no index", { op: "replace", path: "/metadata/finalizers/x", value: "x" }],
    ["remove of an absent field", { op: "remove", path: "/data/x" }],
    ["remove of a list's length", { op: "remove", path: "/metadata/finalizers/length" }],
    ["move from an absent field", { op: "move", from: "/data/x", path: "/data/y" }],
    ["move into itself", { op: "move", from: "/data", path: "/data/y" }],
    [
      "move of an item into itself, though another takes its place",
      { op: "move", from: "/metadata/owners/0", path: "/metadata/owners/0/x" },
    ],
    ["move beyond a list's end", { op: "move", from: "/data", path: "/metadata/finalizers/9" }],
    ["copy of an inherited field", { op: "copy", from: "/data/toString", path: "/data/x" }],
    ["copy without from", { op: "copy", path: "/data/x" }],
    ["prototype in a path", { op: "add", path: "/__proto__/polluted", value: 1 }],
    ["constructor in a path", { op: "add", path: "/constructor/prototype/polluted", value: 1 }],
    ["prototype in from", { op: "copy", from: "/__proto__", path: "/data/x" }],
  ])("%s", (_, operation) => {
    expect(patched(operation)).toEqual({ reason: "UnprocessablePatch" });
    expect({}).not.toHaveProperty("polluted");
  });

  test("a patch that fails late fails as a whole", () => {
    expect(
      patched({ op: "remove", path: "/data" }, { op: "test", path: "/metadata/name", value: "x" }),
    ).toEqual({
      reason: "UnprocessablePatch",
    });
  });
});

describe("bounds", () => {
  test.each<[Json, string]>([
    [{}, "error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
    ["x", "error decoding patch: json: cannot unmarshal string into Go value of type jsonpatch.Patch"],
    [[1], "error decoding patch: json: cannot unmarshal number into Go value of type jsonpatch.Operation"],
  ])("%j is no JSON patch", (patch, message) => {
    expect(jsonPatch(object(), patch)).toEqual({ ok: false, failure: { reason: "BadRequest", message } });
  });

  test("10,000 operations are carried out, one more is refused", () => {
    const operations = Array.from({ length: 10_000 }, () => ({ op: "test", path: "/data/k", value: "v" }));
    expect(patched(...operations)).toEqual(object());
    expect(patched(...operations, {})).toEqual({
      reason: "RequestEntityTooLarge",
      message: "The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  test("copies that double the object each time are refused", () => {
    const doubling = Array.from({ length: 40 }, (_, i) => ({
      op: "copy",
      from: "/data",
      path: `/data/copy${i}`,
    }));
    expect(patched(...doubling.slice(0, 10))).toMatchObject({ data: { copy9: { copy8: {} } } });
    expect(patched(...doubling)).toEqual({ reason: "UnprocessablePatch" });
  });

  test("an object nested more and more deeply is refused", () => {
    const deepen = Array.from({ length: 1000 }, () => [
      { op: "add", path: "/outer", value: {} },
      { op: "move", from: "/data", path: "/outer/data" },
      { op: "move", from: "/outer", path: "/data" },
    ]).flat();
    expect(patched(...deepen.slice(0, 300))).toMatchObject({ data: { data: {} } });
    expect(patched(...deepen)).toEqual({ reason: "UnprocessablePatch" });
  });
});
