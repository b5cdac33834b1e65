import { describe, expect, it } from "vitest";
import { transition } from "./transition.ts";

describe("what a watcher with selectors is told", () => {
  it.each([
    ["ADDED", false, true, "ADDED current"],
    ["ADDED", false, false, undefined],
    ["MODIFIED", true, true, "MODIFIED current"],
    ["MODIFIED", false, true, "ADDED current"],
    ["MODIFIED", true, false, "DELETED previous"],
    ["MODIFIED", false, false, undefined],
    ["MODIFIED", "unknown", true, "MODIFIED current"],
    ["MODIFIED", "unknown", false, "DELETED current"],
    ["DELETED", true, true, "DELETED current"],
    ["DELETED", false, false, undefined],
  ] as const)("%s of an object that matched: %s, matches: %s → %s", (type, before, now, told) => {
    const seen = transition(type, before, now);
    expect(seen && `${seen.type} ${seen.state}`).toBe(told);
  });
});
