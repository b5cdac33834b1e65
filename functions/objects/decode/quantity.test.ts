import { expect, test } from "vitest";
import { quantityFault } from "./quantity.ts";

test.each(["0", "1", "+1.5Gi", "-.5m", "1e3", "1E-3", "1.", "12E", "12Ei", " 1 ", "-", ".", "Ti", "e5", "n"])(
  "%j is an amount",
  (text) => {
    expect(quantityFault(text)).toBeUndefined();
  },
);

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

test.each([
  ["", FORMAT],
  ["  ", FORMAT],
  ["much", FORMAT],
  ["1.2.3", FORMAT],
  ["1 Gi", FORMAT],
  ["1GB", FORMAT],
  ["{}", FORMAT],
  ["1gi", FORMAT],
  ["1ki", "unable to parse quantity's suffix"],
  ["1K", "unable to parse quantity's suffix"],
  ["1e", "unable to parse quantity's suffix"],
  ["+-5", "unable to parse quantity's suffix"],
  ["Pi", "unable to parse numeric part of quantity"],
  ["e-10", "unable to parse numeric part of quantity"],
])("%j is none: %s", (text, fault) => {
  expect(quantityFault(text)).toBe(fault);
});
