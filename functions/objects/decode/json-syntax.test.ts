import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonSyntaxFault } from "./json-syntax.ts";

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("a text that is not JSON", () => {
  test.each([
    ["", "unexpected end of JSON input"],
    ["  ", "unexpected end of JSON input"],
    ["[1", "unexpected end of JSON input"],
    ['{"a', "unexpected end of JSON input"],
    ["tr", "unexpected end of JSON input"],
    ["-", "unexpected end of JSON input"],
    ["zzz", "invalid character 'z' looking for beginning of value"],
    ["Ïx", "invalid character 'Ã' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ["\u0000", "invalid character '\\x00' looking for beginning of value"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[1}", "invalid character '}' after array element"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["01", "invalid character '1' after top-level value"],
    ["trap", "invalid character 'a' in literal true (expecting 'u')"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["-a", "invalid character 'a' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1e+", "unexpected end of JSON input"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["[[[[]]]]", "invalid character '[' exceeded max depth"],
  ])("%j: %s", (text, fault) => {
    expect(jsonSyntaxFault(text, 3)).toBe(fault);
  });
});

test("has a fault exactly when JSON.parse refuses it", () => {
  const json = fc.json().chain((text) =>
    fc
      .record({
        at: fc.nat(text.length),
        put: fc.constantFrom("", ",", "]", "}", '"', "x", "-", ".", "\\"),
      })
      .map(({ at, put }) => text.slice(0, at) + put + text.slice(at + 1)),
  );
  fc.assert(
    fc.property(fc.oneof(json, fc.json(), fc.string()), (text) => {
      expect(jsonSyntaxFault(text, 1_000) === undefined).toBe(parses(text));
    }),
    { numRuns: 2_000 },
  );
});
