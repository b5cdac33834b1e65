import fc from "fast-check";
import { expect, test } from "vitest";
import { base64Fault } from "./base64.ts";

test.each(["", "YQ==", "YWI=", "YWJj", "YW\nI=\r\n", "YQ=\n="])("%j is base64", (text) => {
  expect(base64Fault(text)).toBeUndefined();
});

test.each([
  ["!", 0],
  ["YW!j", 2],
  ["Y", 0],
  ["YQ", 0],
  ["YWJjYQ", 4],
  ["=", 0],
  ["Y===", 1],
  ["YQ=", 3],
  ["YQ=a", 3],
  ["YQ==a", 4],
  ["YWI=\na", 5],
  ["YWI==", 4],
  ["YQ_-", 2],
])("%j stops being base64 at byte %d", (text, at) => {
  expect(base64Fault(text)).toBe(at);
});

test("what the platform encodes has no fault", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(base64Fault(btoa(String.fromCharCode(...bytes)))).toBeUndefined();
    }),
  );
});
