import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { everyMinute, isDue, parseCron } from "./cron.ts";

describe("a cron expression", () => {
  const friday = "2026-11-20T16:30:00Z";
  it.each([
    ["* * * * *", friday, true],
    ["*/15 * * * *", friday, true],
    ["*/7 * * * *", friday, false],
    ["30 16 * * *", friday, true],
    ["30 17 * * *", friday, false],
    ["0,30 * * * *", friday, true],
    ["20-29 * * * *", friday, false],
    ["10/20 * * * *", friday, true],
    ["* * 20 11 *", friday, true],
    ["* * 20 12 *", friday, false],
    // Cloudflare's weekdays begin with 1 for Sunday.
    ["* * * * 6", friday, true],
    ["* * * * 5", friday, false],
  ])("%s at %s: due %s", (expression, at, due) => {
    expect(isDue(parseCron(expression), new Date(at))).toBe(due);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* * * * 0",
    "5-1 * * * *",
    "* * L * *",
    "* * * * sun",
    "*/0 * * * *",
  ])("%j is refused", (expression) => expect(() => parseCron(expression)).toThrow("cron"));
});

describe("every minute", () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-20T16:30:20.500Z") }));
  afterEach(() => void vi.useRealTimers());

  it("runs what is due on the minute, not when it was started", async () => {
    const runs: string[] = [];
    const stop = everyMinute(["* * * * *", "32 * * * *"], async (cron, at) => {
      runs.push(`${at.toISOString()} ${cron}`);
    });
    await vi.advanceTimersByTimeAsync(100_000);
    stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(runs).toEqual([
      "2026-11-20T16:31:00.000Z * * * * *",
      "2026-11-20T16:32:00.000Z * * * * *",
      "2026-11-20T16:32:00.000Z 32 * * * *",
    ]);
  });

  it("does not start a run beside one that is still going", async () => {
    let runs = 0;
    let finish = () => {};
    const stop = everyMinute(["* * * * *"], () => {
      runs += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await vi.advanceTimersByTimeAsync(180_000);
    expect(runs).toBe(1);
    finish();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toBe(2);
    stop();
  });
});
