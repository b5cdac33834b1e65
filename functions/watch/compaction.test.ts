import { describe, expect, it, test } from "vitest";
import { sliceEnd } from "./compaction.ts";
import { retentionOf } from "./retention.ts";

const row = (version: number, at: number, size = 1) => ({ version, at, size });

describe("a slice ends", () => {
  test.each([
    ["at its last row when all are old", [row(1, 10), row(2, 20)], 2],
    ["before the first change that is too young", [row(1, 10), row(2, 101), row(3, 50)], 1],
    ["nowhere when the first is too young", [row(1, 101)], undefined],
    ["nowhere when there is nothing", [], undefined],
    ["before its bytes are too many", [row(1, 10, 60), row(2, 10, 40), row(3, 10, 1)], 2],
    ["after one row, however large", [row(1, 10, 5_000), row(2, 10)], 1],
  ])("%s", (_, rows, end) => {
    expect(sliceEnd(rows, 100, 100)).toBe(end);
  });
});

describe("retention", () => {
  it("is an hour and 10,000 changes, a week for what was deleted, and a month for its record", () => {
    expect(retentionOf({})).toEqual({
      changes: 3_600_000,
      newestChanges: 10_000,
      deletions: 7 * 24 * 3_600_000,
      records: 30 * 24 * 3_600_000,
    });
  });

  it("can be said by the Worker's variables", () => {
    expect(
      retentionOf({
        CHANGES_KEPT_SECONDS: "60",
        CHANGES_KEPT_COUNT: "0",
        DELETIONS_KEPT_SECONDS: "3600",
        DELETION_RECORDS_KEPT_SECONDS: "7200",
      }),
    ).toEqual({ changes: 60_000, newestChanges: 0, deletions: 3_600_000, records: 7_200_000 });
  });

  it.each(["", "-1", "1h", "0x10", "1e3"])("does not take %j for a number", (text) => {
    expect(retentionOf({ CHANGES_KEPT_SECONDS: text }).changes).toBe(3_600_000);
  });
});
