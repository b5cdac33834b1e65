import { type Timestamp, timestamp } from "../object.ts";

/** The parts of a layout with what each takes from the text. */
type Layout = readonly (readonly [part: string, pattern: RegExp])[];

const DATE_AND_MINUTE: Layout = [
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
];
const ZONE: Layout = [["Z07:00", /^(Z|[+-][0-9]{2}:[0-9]{2})/]];

/** A fraction is taken although the layout has none. */
const RFC3339: Layout = [...DATE_AND_MINUTE, ["05", /^[0-9]{2}(\.[0-9]+)?/], ...ZONE];
const RFC3339_MICRO: Layout = [...DATE_AND_MINUTE, ["05", /^[0-9]{2}/], [".000000", /^\.[0-9]{6}/], ...ZONE];

/** A time in RFC 3339 as the API prints it, or what is wrong with it in the words of Go's `time.Parse`. */
export const readTime = (text: string): { time: Timestamp } | { fault: string } => parseTime(text, RFC3339);

/** What is wrong with a text as a time to the microsecond, which has to have all six digits of it. */
export function microTimeFault(text: string): string | undefined {
  const reading = parseTime(text, RFC3339_MICRO);
  return "fault" in reading ? reading.fault : undefined;
}

function parseTime(text: string, layout: Layout): { time: Timestamp } | { fault: string } {
  const fault = (what: string) => ({ fault: `parsing time "${text}"${what}` });
  let rest = text;
  for (const [part, pattern] of layout) {
    const match = pattern.exec(rest);
    if (match === null) {
      const whole = layout.map(([each]) => each).join("");
      return fault(` as "${whole}": cannot parse "${rest}" as "${part}"`);
    }
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
