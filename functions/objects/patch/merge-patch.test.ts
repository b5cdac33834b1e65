import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { mergePatch } from "./merge-patch.ts";

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["a field is replaced", { a: "b" }, { a: "c" }, { a: "c" }],
  ["a field is added", { a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  ["null deletes", { a: "b", b: "c" }, { a: null }, { b: "c" }],
  ["null for an absent field is no fault", { b: "c" }, { a: null }, { b: "c" }],
  ["a list is replaced", { a: ["b"] }, { a: "c" }, { a: "c" }],
  ["list items are never merged", { a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  ["objects merge", { a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  ["nulls of a new object are dropped", {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ["a scalar gives way to an object", { a: "foo" }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
  [
    "all finalizers are cleared",
    { metadata: { name: "o", finalizers: ["x/a"] } },
    { metadata: { finalizers: null } },
    { metadata: { name: "o" } },
  ],
  ["a field named as an inherited one is ordinary", {}, { constructor: { a: 1 } }, { constructor: { a: 1 } }],
])("%s", (_, target, patch, merged) => {
  expect(mergePatch(target, patch)).toEqual(merged);
});

const field = fc.constantFrom("a", "b", "c");
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, 1, "x"),
    fc.array(tie("json"), { maxLength: 2 }),
    fc.dictionary(field, tie("json"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(field, json, { maxKeys: 3, noNullPrototype: true });

/** RFC 7386, section 2, as it stands there. */
function byTheBook(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result = isJsonObject(target) ? target : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = byTheBook(result[name], value);
  }
  return result;
}

test("merges as RFC 7386 does, and modifies neither argument", () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = structuredClone({ target, patch });
      expect(mergePatch(target, patch)).toEqual(byTheBook(structuredClone(target), patch));
      expect({ target, patch }).toEqual(before);
    }),
  );
});
