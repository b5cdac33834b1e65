import { expect, test } from "vitest";
import { type StoreFault, storeFault } from "./errors.ts";

const cases: [string, StoreFault][] = [
  [
    "D1_ERROR: CHECK constraint failed: superseded: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)",
    "superseded",
  ],
  ["D1_ERROR: CHECK constraint failed: stale: SQLITE_CONSTRAINT", "stale"],
  ["D1_ERROR: CHECK constraint failed: closed: SQLITE_CONSTRAINT", "closed"],
  ["D1_ERROR: UNIQUE constraint failed: objects.cluster, objects.resource: SQLITE_CONSTRAINT", "taken"],
  ["D1_ERROR: Network connection lost.", "unknown"],
  ["D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.", "unknown"],
  ["D1_ERROR: D1 DB is overloaded. Too many requests queued.", "overloaded"],
  ["D1_ERROR: no such column: nope at offset 7: SQLITE_ERROR", "broken"],
];

test.each(cases)("%s is %s", (text, fault) => {
  expect(storeFault(new Error(text))).toBe(fault);
});

test("the original error is found under the ones that wrap it", () => {
  const original = new Error("D1_ERROR: CHECK constraint failed: stale: SQLITE_CONSTRAINT");
  expect(storeFault(new Error("Failed query", { cause: original }))).toBe("stale");
});
