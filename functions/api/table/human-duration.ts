import type { Millis } from "../../objects/object.ts";

/**
 * A length of time for people, with two or three significant figures: `45s`, `3m10s`, `5h20m`, `2d4h`, `3y12d`. Clocks that
 * differ by less than two seconds read as now; anything further ahead is `<invalid>`.
 *
 * As k8s.io/apimachinery `duration.HumanDuration`.
 */
export function humanDuration(length: Millis): string {
  const seconds = Math.trunc(length / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return twoUnits(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (hours < 24 * 365 * 8) return twoUnits(years, "y", days % 365, "d");
  return `${years}y`;
}

const twoUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;

/** How long ago a timestamp (RFC 3339) was: `<unknown>` when there is none, `<invalid>` when it is not a time. */
export function timeSince(time: unknown, now: Millis): string {
  if (time === undefined || time === null || time === "") return "<unknown>";
  const then = parseTime(time);
  return then === undefined ? "<invalid>" : humanDuration(now - then);
}

/** Milliseconds since 1970; undefined for what is not an RFC 3339 time. */
export function parseTime(time: unknown): Millis | undefined {
  if (typeof time !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(time)) {
    return undefined;
  }
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? undefined : parsed;
}
