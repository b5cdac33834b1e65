import { describe, expect, test } from "vitest";
import { parseJsonPath, readJsonPath } from "./json-path.ts";

const value = {
  a: { "b.c": 1, "x/y": 2, list: [{ n: "first" }, { n: "last" }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Synced", status: "False" },
    ],
  },
};

describe("a JSON path", () => {
  test.each<[text: string, found: unknown]>([
    [".a.list[0].n", "first"],
    [".a.list[-1].n", "last"],
    [".a.list[*].n", "first"],
    [".a.list[5].n", undefined],
    [".a.b\\.c", 1],
    [".a['b.c']", 1],
    ['.a["x/y"]', 2],
    [".a.x/y", 2],
    [".a.missing.deeper", undefined],
    [".a.constructor", undefined],
    ['.status.conditions[?(@.type=="Synced")].status', "False"],
    [".status.conditions[?(@.type == 'Ready')].status", "True"],
    ['.status.conditions[?(@.type=="Other")].status', undefined],
  ])("%s leads to %j", (text, found) => {
    const path = parseJsonPath(text);
    expect(path).toBeDefined();
    expect(path && readJsonPath(path, value)).toEqual(found);
  });

  test.each(["", "a.b", ".", ".a[", ".a[x]", ".a[?(@.b>1)]", "..a", ".a b"])("%j is not one", (text) => {
    expect(parseJsonPath(text)).toBeUndefined();
  });
});
