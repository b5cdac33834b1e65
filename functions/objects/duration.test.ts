import fc from "fast-check";
import { describe, expect, test } from "vitest";
import answers from "../../test/recorded/go-durations.json" with { type: "json" };
import {
  type Duration,
  durationToMillis,
  millisToDuration,
  parseDuration,
  printDuration,
} from "./duration.ts";

interface Recorded {
  text: string;
  nanoseconds?: string;
  printed?: string;
  fault?: string;
}

/** What Go 1.19 answered. */
const recorded: Recorded[] = answers;

describe("as Go reads and prints it", () => {
  test.each(recorded)("$text", ({ text, nanoseconds, printed, fault }) => {
    const reading = parseDuration(text);
    if (fault !== undefined) return expect(reading).toEqual({ fault });
    expect(reading).toEqual({ duration: BigInt(nanoseconds ?? "") });
    if ("duration" in reading) expect(printDuration(reading.duration)).toBe(printed);
  });
});

describe("days and weeks", () => {
  test.each([
    ["3d12h", 84n * 3_600_000_000_000n],
    ["7d", 7n * 86_400_000_000_000n],
    ["1w", 7n * 86_400_000_000_000n],
    ["1.5d", 36n * 3_600_000_000_000n],
  ])("%s is read where they are asked for, and only there", (text, nanoseconds) => {
    expect(parseDuration(text, { days: true })).toEqual({ duration: nanoseconds });
    expect(parseDuration(text)).toHaveProperty("fault");
  });

  test("are bounded like all others", () => {
    expect(parseDuration("15251w", { days: true })).toEqual({
      fault: 'time: invalid duration "15251w"',
    });
    expect(parseDuration("15250w", { days: true })).toHaveProperty("duration");
  });
});

const durations = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((nanos) => nanos as Duration);

test("what is printed is read as the same duration", () => {
  fc.assert(
    fc.property(durations, (duration) => {
      expect(parseDuration(printDuration(duration))).toEqual({ duration });
    }),
  );
});

test("any text is a duration within 64 bits, or refused with a reason that quotes it", () => {
  const texts = fc.oneof(
    fc.string(),
    fc
      .array(fc.tuple(fc.constantFrom("-", "", "1", "99", ".5", "1e9"), fc.constantFrom("h", "ns", "d", "")))
      .map((parts) => parts.flat().join("")),
  );
  fc.assert(
    fc.property(texts, fc.boolean(), (text, days) => {
      const reading = parseDuration(text, { days });
      if ("fault" in reading) expect(reading.fault).toMatch(/^time: .* duration "/);
      else expect(reading.duration).toBe(BigInt.asIntN(64, reading.duration));
    }),
  );
});

test("milliseconds are whole", () => {
  expect(durationToMillis(1_999_999n as Duration)).toBe(1);
  expect(durationToMillis(-1_999_999n as Duration)).toBe(-1);
  expect(printDuration(millisToDuration(90_061_001))).toBe("25h1m1.001s");
});
