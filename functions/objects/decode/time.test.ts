import { expect, test } from "vitest";
import { readTime } from "./time.ts";

test.each([
  ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"],
  ["2020-02-29T23:59:59.999Z", "2020-02-29T23:59:59Z"],
  ["2020-01-01T00:00:00+02:00", "2019-12-31T22:00:00Z"],
])("%s is %s", (text, time) => {
  expect(readTime(text)).toEqual({ time });
});

test.each([
  ["", ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
  ["2020-1-1", ' as "2006-01-02T15:04:05Z07:00": cannot parse "1-1" as "01"'],
  ["2020-01-01", ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
  ["2020-01-01T00:00:00", ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
  ["2020-13-01T00:00:00Z", ": month out of range"],
  ["2021-02-29T00:00:00Z", ": day out of range"],
  ["2020-01-01T24:00:00Z", ": hour out of range"],
  ["2020-01-01T00:00:60Z", ": second out of range"],
  ["2020-01-01T00:00:00Zx", ": extra text: x"],
])("%s is not a time", (text, fault) => {
  expect(readTime(text)).toEqual({ fault: `parsing time "${text}"${fault}` });
});
