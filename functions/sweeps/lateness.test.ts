import { expect, test } from "vitest";
import { countLateness, LATENESS_BOUNDS, latenessOf } from "./lateness.ts";

test("buckets are upstream's", () => {
  expect(LATENESS_BOUNDS).toHaveLength(14);
  expect([LATENESS_BOUNDS[0], LATENESS_BOUNDS[1], LATENESS_BOUNDS.at(-1)]).toEqual([0.1, 0.2, 819.2]);
});

test.each([
  ["at its moment", 0, "0.1", 0],
  ["before it, by another clock", -500, "0.1", 0],
  ["at a bound", 200, "0.2", 200],
  ["beyond a bound", 201, "0.4", 201],
  ["beyond them all", 3_600_000, "+Inf", 3_600_000],
])("a Job that went %s counts in its bucket", (_, late, bucket, sum) => {
  expect(countLateness(late)).toEqual([
    [bucket, 1],
    ["sum", sum],
  ]);
});

test("what was counted is read back", () => {
  const counted = new Map<string, number>();
  for (const late of [0, 50, 150, 3_600_000]) {
    for (const [label, more] of countLateness(late)) counted.set(label, (counted.get(label) ?? 0) + more);
  }
  const { counts, sum } = latenessOf(counted);
  expect(counts).toEqual([2, 1, ...new Array<number>(12).fill(0), 1]);
  expect(sum).toBeCloseTo(3600.2);
});
