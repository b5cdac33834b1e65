import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { difference, type FieldSet, intersection, pathsOf, setOf, setsEqual, union } from "./field-set.ts";
import { parseFieldsV1, printFieldsV1, printPath } from "./fields-v1.ts";

function parsed(fields: JsonObject): FieldSet {
  const set = parseFieldsV1(fields);
  if (set === undefined) throw new Error(`not understood: ${JSON.stringify(fields)}`);
  return set;
}

const A: JsonObject = { "f:a": { ".": {}, "f:x": {} }, "f:b": {} };
const B: JsonObject = { "f:a": { "f:x": {}, "f:y": {} }, "f:c": {} };

describe("sets", () => {
  test.each<[string, (a: FieldSet, b: FieldSet) => FieldSet, JsonObject]>([
    ["have in common what is in both", intersection, { "f:a": { "f:x": {} } }],
    [
      "come together with all members",
      union,
      { "f:a": { ".": {}, "f:x": {}, "f:y": {} }, "f:b": {}, "f:c": {} },
    ],
    ["lose what is in the other, path by path", difference, { "f:a": {}, "f:b": {} }],
  ])("%s", (_, operation, expected) => {
    expect(printFieldsV1(operation(parsed(A), parsed(B)))).toEqual(expected);
  });

  test("a parent that is taken away leaves its children", () => {
    const left = difference(parsed({ "f:a": { ".": {}, "f:x": {} } }), setOf(["a"]));
    expect(printFieldsV1(left)).toEqual({ "f:a": { "f:x": {} } });
  });

  test("are told path by path, the members of a level before what lies below", () => {
    const paths = pathsOf(
      parsed({
        "f:b": { ".": {}, "f:z": {} },
        "f:a": { 'k:{"name":"x"}': { "f:v": {} }, "v:1": {} },
        "f:c": {},
      }),
    );
    expect(paths.map(printPath)).toEqual([".b", ".c", ".a[=1]", '.a[name="x"].v', ".b.z"]);
  });
});

describe("fieldsV1", () => {
  test("is printed in upstream's order", () => {
    const set = parsed({ 'v:"x"': {}, "f:b": {}, "i:0": {}, 'k:{"b":1,"a":"x"}': {}, "f:a": {} });
    expect(Object.keys(printFieldsV1(set))).toEqual(["f:a", "f:b", 'k:{"a":"x","b":1}', 'v:"x"', "i:0"]);
  });

  test("reads a key however it is written", () => {
    const one = parsed({ "f:l": { 'k:{ "protocol": "TCP", "port": 80 }': {} } });
    expect(setsEqual(one, parsed({ "f:l": { 'k:{"port":80,"protocol":"TCP"}': {} } }))).toBe(true);
  });

  test("leaves out steps of a kind nobody knows", () => {
    expect(printFieldsV1(parsed({ "f:a": {}, "z:new": { "f:b": {} } }))).toEqual({ "f:a": {} });
  });

  test.each([
    ["no object", []],
    ["a step without a kind", { a: {} }],
    ["a key that is no object", { "k:1": {} }],
    ["a key that is no JSON", { "k:{": {} }],
    ["an index that is no number", { "i:x": {} }],
    ["a node that is no object", { "f:a": 1 }],
  ])("is not understood: %s", (_, fields) => {
    expect(parseFieldsV1(fields as JsonObject)).toBeUndefined();
  });
});
