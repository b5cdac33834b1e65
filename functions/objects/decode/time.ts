import { type Timestamp, timestamp } from "../object.ts";

const LAYOUT = "2006-01-02T15:04:05Z07:00";

/** The parts of the layout with what each takes from the text; a part that stands for itself has no pattern. */
const PARTS: readonly (readonly [part: string, pattern: RegExp])[] = [
  ["2006", /^[0-9]{4}/],
  ["-", /^-/],
  ["01", /^[0-9]{2}/],
  ["-", /^-/],
  ["02", /^[0-9]{2}/],
  ["T", /^T/],
  ["15", /^[0-9]{2}/],
  [":", /^:/],
  ["04", /^[0-9]{2}/],
  [":", /^:/],
  ["05", /^[0-9]{2}(\.[0-9]+)?/],
  ["Z07:00", /^(Z|[+-][0-9]{2}:[0-9]{2})/],
];

/** A time in RFC 3339 as the API prints it, or what is wrong with it in the words of Go's `time.Parse`. */
export function readTime(text: string): { time: Timestamp } | { fault: string } {
  const fault = (what: string) => ({ fault: `parsing time "${text}"${what}` });
  let rest = text;
  for (const [part, pattern] of PARTS) {
    const match = pattern.exec(rest);
    if (match === null) return fault(` as "${LAYOUT}": cannot parse "${rest}" as "${part}"`);
    rest = rest.slice(match[0].length);
  }
  if (rest !== "") return fault(`: extra text: ${rest}`);
  const number = (from: number, to: number) => Number(text.slice(from, to));
  const [year, month, day] = [number(0, 4), number(5, 7), number(8, 10)];
  if (month < 1 || month > 12) return fault(": month out of range");
  if (day < 1 || day > daysIn(year, month)) return fault(": day out of range");
  if (number(11, 13) > 23) return fault(": hour out of range");
  if (number(14, 16) > 59) return fault(": minute out of range");
  if (number(17, 19) > 59) return fault(": second out of range");
  const millis = Date.parse(text);
  return Number.isNaN(millis) ? fault(": time zone offset out of range") : { time: timestamp(millis) };
}

const daysIn = (year: number, month: number): number => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
};
