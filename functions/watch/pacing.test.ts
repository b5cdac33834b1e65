import { describe, expect, it } from "vitest";
import { due, nextHeartbeat } from "./pacing.ts";

describe("the pace of a watch", () => {
  it("beats every 10 s, give or take 10 %", () => {
    expect([0, 0.5, 1].map((random) => nextHeartbeat(1_000, random))).toEqual([10_000, 11_000, 12_000]);
  });

  it.each([
    [9_999, undefined],
    [10_000, "heartbeat"],
    [60_000, "end"],
  ])("at %i ms: %s", (now, expected) => {
    expect(due({ heartbeatAt: 10_000, endsAt: 60_000 }, now)).toBe(expected);
  });
});
