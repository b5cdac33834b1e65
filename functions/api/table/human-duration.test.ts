import { describe, expect, test } from "vitest";
import { humanDuration, timeSince } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe("humanDuration", () => {
  test.each<[length: number, text: string]>([
    [-2 * second, "<invalid>"],
    [-1.9 * second, "0s"],
    [0, "0s"],
    [999, "0s"],
    [second, "1s"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [2 * minute + 5 * second, "2m5s"],
    [10 * minute - second, "9m59s"],
    [10 * minute + second, "10m"],
    [3 * hour - second, "179m"],
    [3 * hour, "3h"],
    [5 * hour + 20 * minute, "5h20m"],
    [8 * hour + 20 * minute, "8h"],
    [48 * hour - second, "47h"],
    [2 * day, "2d"],
    [7 * day + 23 * hour, "7d23h"],
    [8 * day + 5 * hour, "8d"],
    [2 * year - second, "729d"],
    [2 * year, "2y"],
    [3 * year + 12 * day, "3y12d"],
    [8 * year + 40 * day, "8y"],
  ])("%d ms is %j", (length, text) => {
    expect(humanDuration(length)).toBe(text);
  });
});

describe("timeSince", () => {
  const now = Date.parse("2026-11-20T16:00:00Z");

  test.each<[time: unknown, text: string]>([
    ["2026-11-20T15:55:00Z", "5m"],
    ["2026-11-20T15:59:59.123456Z", "0s"],
    ["2026-11-20T17:55:00+02:00", "5m"],
    [undefined, "<unknown>"],
    [null, "<unknown>"],
    ["", "<unknown>"],
    ["yesterday", "<invalid>"],
    ["2026-13-45T00:00:00Z", "<invalid>"],
    ["2026-11-20T16:00:05Z", "<invalid>"],
  ])("%j was %j ago", (time, text) => {
    expect(timeSince(time, now)).toBe(text);
  });
});
