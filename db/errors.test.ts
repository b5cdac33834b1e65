import { expect, test } from "vitest";
import { type StoreFault, storeFault } from "./errors.ts";

/** For every class the texts that stand for it, those of the platform as its documentation has them. */
const cases: Record<StoreFault, string[]> = {
  superseded: [
    "D1_ERROR: CHECK constraint failed: superseded: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)",
  ],
  stale: ["D1_ERROR: CHECK constraint failed: stale: SQLITE_CONSTRAINT"],
  closed: ["D1_ERROR: CHECK constraint failed: closed: SQLITE_CONSTRAINT"],
  moved: ["D1_ERROR: CHECK constraint failed: moved: SQLITE_CONSTRAINT"],
  taken: [
    "D1_ERROR: UNIQUE constraint failed: objects.cluster, objects.resource: SQLITE_CONSTRAINT",
    "D1_ERROR: UNIQUE constraint failed: objects.uid: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)",
  ],
  unknown: [
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
    "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: Failed to parse body as JSON, got: internal error; reference = abc",
    "fetch failed",
  ],
  overloaded: [
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
    "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  ],
  broken: [
    "D1_ERROR: no such column: nope at offset 7: SQLITE_ERROR",
    "D1_ERROR: NOT NULL constraint failed: work.task: SQLITE_CONSTRAINT",
    "D1_ERROR: CHECK constraint failed: something: SQLITE_CONSTRAINT",
    "x is not a function",
  ],
};
const all = Object.entries(cases).flatMap(([fault, texts]) => texts.map((text) => [text, fault]));

test.each(all)("%s is %s", (text, fault) => {
  expect(storeFault(new Error(text))).toBe(fault);
});

test("the original error is found under the ones that wrap it", () => {
  const original = new Error("D1_ERROR: CHECK constraint failed: stale: SQLITE_CONSTRAINT");
  expect(storeFault(new Error("Failed query", { cause: original }))).toBe("stale");
});
