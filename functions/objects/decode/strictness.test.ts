import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { duplicateFields } from "./duplicate-fields.ts";
import { METADATA } from "./object-types.ts";
import { unknownFields } from "./unknown-fields.ts";

describe("fields that come twice", () => {
  test.each<[string, string[]]>([
    ["{}", []],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"a":2,"a":3}', ["a"]],
    [
      '{"spec":{"ports":[{"port":1},{"port":1, "port" : 2}],"x":"a","x":"b"}}',
      ["spec.ports[1].port", "spec.x"],
    ],
    ['{"a":{"b":1},"a":{"b":1}}', ["a"]],
    ['{"a\\"b":"{\\"a\\":1,\\"a\\":2}","c":"\\\\","c":1}', ["c"]],
    ['{"\\u0061":1,"a":2}', ["a"]],
    ['{"a":["x","x",{"b":[[1,{"c":1,"c":1}]]}]}', ["a[2].b[0][1].c"]],
  ])("%s", (json, paths) => {
    expect(JSON.parse(json)).toBeDefined();
    expect(duplicateFields(json)).toEqual(paths);
  });

  test("are told up to a number, in time that grows with the text", () => {
    expect(
      duplicateFields(`{${Array.from({ length: 500 }, (_, i) => `"f${i}":1,"f${i}":2`).join(",")}}`).length,
    ).toBe(50);
    const began = performance.now();
    duplicateFields(`{"a":"${"\\\\".repeat(500_000)}","b":[${"{},".repeat(100_000)}{}]}`);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe("fields that metadata does not have", () => {
  test.each<[Json, string[]]>([
    [{ name: "a", labels: { anything: "x" }, annotations: {} }, []],
    [{ name: "a", lables: {} }, ["metadata.lables"]],
    [
      { ownerReferences: [{ uid: "u" }, { uid: "v", namespace: "x" }] },
      ["metadata.ownerReferences[1].namespace"],
    ],
    [{ managedFields: [{ anything: 1 }] }, []],
    ["text", []],
  ])("%j", (metadata, paths) => {
    expect(unknownFields(metadata, METADATA, "metadata")).toEqual(paths);
  });
});
