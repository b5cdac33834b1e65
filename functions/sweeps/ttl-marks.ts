import { durationToMillis, parseDuration } from "../objects/duration.ts";
import type { KubeObject, Millis } from "../objects/object.ts";
import { createdAt, momentOf } from "./object-fields.ts";

/** Annotations and labels by which an object says when it is to go. */
const TTL = "gc.kubegc.dev/ttl";
const EXPIRES = "gc.kubegc.dev/expires";
export const JANITOR_TTL = "janitor/ttl";
export const JANITOR_EXPIRES = "janitor/expires";
export const TWIN_TTL = "k8s-ttl-controller.twin.sh/ttl";
const TWIN_REFRESHED_AT = "k8s-ttl-controller.twin.sh/refreshed-at";
export const KYVERNO_TTL = "cleanup.kyverno.io/ttl";

const ANNOTATIONS = [TTL, EXPIRES, JANITOR_TTL, JANITOR_EXPIRES, TWIN_TTL];

/** Parts of their keys, by which a body that may have one is found without being read. */
export const TTL_MARK_TEXTS = [
  "gc.kubegc.dev/",
  "janitor/",
  "k8s-ttl-controller.twin.sh/",
  "cleanup.kyverno.io/",
];

export interface TtlMark {
  key: string;
  value: string;
  /** The first moment, in whole milliseconds, at which the tool that reads this mark would delete; null for never. */
  at: Millis | null;
}

export interface UnreadableMark {
  key: string;
  value: string;
  fault: string;
}

/** Farther than any date. */
const END_OF_TIME = 8_640_000_000_000_000;

/** Whether `ttlMarks` would find any; asked for each object that is written. */
export function hasTtlMarks({ metadata: { annotations, labels } }: KubeObject): boolean {
  if (labels?.[KYVERNO_TTL] !== undefined) return true;
  return annotations !== undefined && ANNOTATIONS.some((key) => annotations[key] !== undefined);
}

/** All marks of an object, each read as the tool reads it that people have it for. */
export function ttlMarks(object: KubeObject): (TtlMark | UnreadableMark)[] {
  const { annotations = {}, labels = {} } = object.metadata;
  const marks: (TtlMark | UnreadableMark)[] = [];
  const read = (key: string, value: string | undefined, reader: (value: string) => Reading) => {
    if (value !== undefined) marks.push({ key, value, ...bounded(reader(value)) });
  };
  const created = createdAt(object);
  read(TTL, annotations[TTL], (value) => after(created, value, { days: true }));
  read(EXPIRES, annotations[EXPIRES], readExpires);
  read(JANITOR_TTL, annotations[JANITOR_TTL] || undefined, (value) => readJanitorTtl(value, created));
  read(JANITOR_EXPIRES, annotations[JANITOR_EXPIRES] || undefined, readJanitorExpires);
  read(TWIN_TTL, annotations[TWIN_TTL], (value) =>
    readTwinTtl(value, annotations[TWIN_REFRESHED_AT], created),
  );
  read(KYVERNO_TTL, labels[KYVERNO_TTL], (value) => readKyvernoTtl(value, created));
  return marks;
}

type Reading = { at: Millis | null } | { fault: string };

const bounded = (reading: Reading): Reading =>
  "at" in reading && reading.at !== null && reading.at > END_OF_TIME ? { at: null } : reading;

/** `exclusive`: tools that compare with "after" delete a moment later. */
function after(
  start: Millis | null,
  value: string,
  { days = false, exclusive = false }: { days?: boolean; exclusive?: boolean } = {},
): Reading {
  const reading = parseDuration(value, { days });
  if ("fault" in reading) return reading;
  if (reading.duration < 0n) return { fault: "a time to live cannot be negative" };
  return from(start, durationToMillis(reading.duration), exclusive);
}

const from = (start: Millis | null, age: Millis, exclusive: boolean): Reading =>
  start === null
    ? { fault: "its creationTimestamp cannot be read" }
    : { at: start + age + (exclusive ? 1 : 0) };

function readExpires(value: string): Reading {
  const at = momentOf(value) ?? dateOf(/^(\d{4})-(\d{2})-(\d{2})$/, value);
  return at === null ? { fault: "is neither an RFC 3339 time nor a date" } : { at };
}

const JANITOR_UNITS: Readonly<Record<string, Millis>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** One number and one unit, or `forever`; zero is for ever too. Source: kube-janitor `helper.py` (parse_ttl). */
function readJanitorTtl(value: string, created: Millis | null): Reading {
  if (value.toLowerCase() === "forever") return { at: null };
  const [, count = "", unit = ""] = /^(\d+)([smhdw])$/.exec(value) ?? [];
  if (unit === "") return { fault: "does not match the format (e.g. 60s, 5m, 8h, 7d, 2w)" };
  return Number(count) === 0 ? { at: null } : from(created, Number(count) * (JANITOR_UNITS[unit] ?? 0), true);
}

const JANITOR_TIMES = [
  /^(\d{4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2}):(\d{1,2})Z$/,
  /^(\d{4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2})$/,
  /^(\d{4})-(\d{1,2})-(\d{1,2})$/,
];

/** In UTC. Source: kube-janitor `helper.py` (parse_expiry). */
function readJanitorExpires(value: string): Reading {
  for (const pattern of JANITOR_TIMES) {
    const at = dateOf(pattern, value);
    if (at !== null) return { at: at + 1 };
  }
  return { fault: "does not match the format 2019-02-25T09:26:14Z, 2019-02-25T09:26, or 2019-02-25" };
}

/**
 * Counts from `refreshed-at`, where it is given. One that cannot be read makes the mark unreadable: the tool itself would
 * count from the creation instead, and so delete what somebody meant to keep.
 *
 * Source: k8s-ttl-controller `main.go`, with the durations of go-str2duration.
 */
function readTwinTtl(value: string, refreshedAt: string | undefined, created: Millis | null): Reading {
  const options = { days: true, exclusive: true };
  if (refreshedAt === undefined) return after(created, value, options);
  const start = momentOf(refreshedAt);
  return start === null
    ? { fault: `${TWIN_REFRESHED_AT} is not an RFC 3339 time: ${JSON.stringify(refreshedAt)}` }
    : after(start, value, options);
}

const KYVERNO_TIMES = [/^(\d{4})-(\d{2})-(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, /^(\d{4})-(\d{2})-(\d{2})$/];

/** A unit in words is recognised by how it begins: `7days`, `2weeks`. */
const KYVERNO_UNITS: readonly (readonly [unit: RegExp, millis: Millis])[] = [
  [/^(ns|nano.*)$/, 1e-6],
  [/^(us|µs|micro.*)$/, 1e-3],
  [/^(ms|milli.*)$/, 1],
  [/^(s|sec.*)$/, 1_000],
  [/^(m|min.*)$/, 60_000],
  [/^(h|hr|hour.*)$/, 3_600_000],
  [/^(d|day.*)$/, 86_400_000],
  [/^(w|wk|week.*)$/, 604_800_000],
];

/**
 * A Go duration, whole numbers with longer units, or a time. Kyverno takes any numbers with units out of the text and
 * leaves the rest; here the rest makes it unreadable.
 *
 * Source: kyverno `controllers/ttl` (parseDeletionTime), with the durations of kube-openapi `strfmt`.
 */
function readKyvernoTtl(value: string, created: Millis | null): Reading {
  const duration = after(created, value, { exclusive: true });
  if (!("fault" in duration) || value.startsWith("-")) return duration;
  for (const pattern of KYVERNO_TIMES) {
    const at = dateOf(pattern, value);
    if (at !== null) return { at: at + 1 };
  }
  const parts = /^(\d+[A-Za-zµ]+)+$/.test(value) ? [...value.matchAll(/(\d+)([A-Za-zµ]+)/g)] : [];
  const ages = parts.map(([, count, unit = ""]) => {
    const [, millis = Number.NaN] = KYVERNO_UNITS.find(([name]) => name.test(unit.toLowerCase())) ?? [];
    return Number(count) * millis;
  });
  const age = ages.reduce((sum, part) => sum + part, 0);
  return ages.length === 0 || Number.isNaN(age)
    ? { fault: "is neither a duration nor a time such as 2023-10-04T003000Z or 2023-10-04" }
    : from(created, Math.trunc(age), true);
}

/** The moment in UTC that a pattern's groups name: year, month, day, hour, minute, second. Null when there is none. */
function dateOf(pattern: RegExp, text: string): Millis | null {
  const [, ...groups] = pattern.exec(text) ?? [];
  if (groups.length === 0) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = groups.map(Number);
  const at = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  at.setUTCFullYear(year, month - 1, day);
  const same = at.getUTCMonth() === month - 1 && hour < 24 && minute < 60 && second < 60;
  return same ? at.getTime() : null;
}
