import type { Millis } from "./object.ts";

/** A span of time in nanoseconds, in the range of Go's `time.Duration`: 64 bits with a sign, about 292 years. */
export type Duration = bigint & { readonly __brand: "Duration" };

export type DurationReading = { duration: Duration } | { fault: string };

export interface DurationUnits {
  /**
   * Also `d`, 24 hours, and `w`, 7 days: `3d12h`. Kubernetes' own fields refuse them; its documentation of
   * `imageMaximumGCAge`, and tools with `go-str2duration`, use them.
   */
  days?: boolean;
}

const GO_UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const WITH_DAYS: ReadonlyMap<string, bigint> = new Map([
  ...GO_UNITS,
  ["d", 86_400_000_000_000n],
  ["w", 604_800_000_000_000n],
]);

/** One past the largest: the magnitude of the smallest. */
const LIMIT = 2n ** 63n;
const LARGEST_FRACTION = (LIMIT - 1n) / 10n;

/**
 * Reads a duration such as `1h15m30.918s`, or says what is wrong with it in Go's words. Fractions are cut to
 * nanoseconds, with the same floating point steps as there.
 *
 * Source: Go's `time.ParseDuration`.
 */
export function parseDuration(text: string, { days = false }: DurationUnits = {}): DurationReading {
  const invalid = { fault: `time: invalid duration ${quote(text)}` };
  const units = days ? WITH_DAYS : GO_UNITS;
  const negative = text.startsWith("-");
  let rest = negative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return { duration: 0n as Duration };
  if (rest === "") return invalid;
  let total = 0n;
  while (rest !== "") {
    const [number = "", digits = "", fraction = ""] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
    if (digits === "" && fraction === "") return invalid;
    rest = rest.slice(number.length);
    const value = magnitude(digits);
    if (value === undefined) return invalid;
    const name = /^[^0-9.]*/.exec(rest)?.[0] ?? "";
    if (name === "") return { fault: `time: missing unit in duration ${quote(text)}` };
    const unit = units.get(name);
    if (unit === undefined) return { fault: `time: unknown unit ${quote(name)} in duration ${quote(text)}` };
    rest = rest.slice(name.length);
    if (value > LIMIT / unit) return invalid;
    total += value * unit + fractionOf(fraction, unit);
    if (total > LIMIT) return invalid;
  }
  if (!negative && total === LIMIT) return invalid;
  return { duration: (negative ? -total : total) as Duration };
}

/** Undefined when it is beyond 64 bits; that a text is longer than 19 digits says so without reading it. */
function magnitude(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, "");
  if (significant.length > 19) return undefined;
  const value = BigInt(significant);
  return value > LIMIT ? undefined : value;
}

function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    // What does not fit adds no precision.
    if (value > LARGEST_FRACTION || next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** As Go quotes in these messages: what is not printable ASCII by the bytes of its UTF-8. */
function quote(text: string): string {
  let quoted = "";
  for (const char of text) {
    if (char === '"' || char === "\\") quoted += `\\${char}`;
    else if (char >= " " && char < "\u0080") quoted += char;
    else {
      for (const byte of new TextEncoder().encode(char)) {
        quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
      }
    }
  }
  return `"${quoted}"`;
}

const NANOS_PER_MILLI = 1_000_000n;
const SECOND = 1_000_000_000n;

/** As Go's `Duration.String` prints it: `1h15m30.918s`, without leading units that are zero; zero is `0s`. */
export function printDuration(duration: Duration): string {
  if (duration === 0n) return "0s";
  const nanos = duration < 0n ? -duration : duration;
  const sign = duration < 0n ? "-" : "";
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < NANOS_PER_MILLI) return `${sign}${decimal(nanos, 1_000n)}\u00b5s`;
  if (nanos < SECOND) return `${sign}${decimal(nanos, NANOS_PER_MILLI)}ms`;
  const minutes = nanos / (60n * SECOND);
  const seconds = `${decimal(nanos % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? "" : `${hours}h`}${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const width = unit.toString().length - 1;
  const fraction = (value % unit).toString().padStart(width, "0").replace(/0+$/, "");
  return `${value / unit}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Cut to whole milliseconds, toward zero. */
export const durationToMillis = (duration: Duration): Millis => Number(duration / NANOS_PER_MILLI);

/** `millis` is cut to a whole number. */
export const millisToDuration = (millis: Millis): Duration =>
  (BigInt(Math.trunc(millis)) * NANOS_PER_MILLI) as Duration;
