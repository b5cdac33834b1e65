import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type Json } from "../json.ts";
import { locateJson } from "./json-location.ts";

function paths(value: Json, here: (string | number)[] = []): [(string | number)[], Json][] {
  const below = Array.isArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return [[here, value], ...below.flatMap(([step, item]) => paths(item, [...here, step]))];
}

test("every value of a text is found where it stands", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      for (const [path, expected] of paths(JSON.parse(text) as Json)) {
        const { start, end } = locateJson(text, path);
        expect(JSON.parse(text.slice(start, end))).toEqual(expected);
      }
    }),
  );
});

test("of a field that is there twice the last counts, as when it is parsed", () => {
  expect(locateJson('{"a":1,"a":22}', ["a"])).toEqual({ start: 11, end: 13 });
});
