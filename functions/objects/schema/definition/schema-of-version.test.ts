import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json.ts";
import { hasValidationRules, validateSchemaOfVersion } from "./schema-of-version.ts";

const string = { type: "string" };
const inSpec = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { spec },
  ...more,
});
const fields = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const faults = (schema: JsonObject, hasStatus = false) =>
  validateSchemaOfVersion(schema, "S", { hasStatus }).map(({ field, message }) => `${field}: ${message}`);

describe("a schema that can be used", () => {
  test.each<[string, JsonObject]>([
    ["says types at each level", inSpec(fields({ a: string, list: { type: "array", items: string } }))],
    ["keeps anything somewhere", inSpec({ "x-kubernetes-preserve-unknown-fields": true })],
    ["has an int-or-string", inSpec(fields({ port: { "x-kubernetes-int-or-string": true } }))],
    [
      "has an int-or-string in the form that generators write",
      inSpec(
        fields({
          port: {
            anyOf: [{ type: "integer" }, { type: "string" }],
            pattern: "^\\d+%?$",
            "x-kubernetes-int-or-string": true,
          },
          other: {
            allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }],
            "x-kubernetes-int-or-string": true,
          },
        }),
      ),
    ],
    ["restricts names", fields({ metadata: fields({ name: { ...string, pattern: "^a" } }) })],
    [
      "has choices about what is specified",
      inSpec(
        fields(
          { a: string, b: string },
          { oneOf: [{ required: ["a"] }, { properties: { b: { enum: ["x"] } } }] },
        ),
      ),
    ],
    [
      "has a default that fits",
      inSpec(fields({ a: { ...string, enum: ["x"], default: "x" } }, { default: { a: "x" } })),
    ],
    [
      "has lists with keys",
      inSpec(
        fields({
          ports: {
            type: "array",
            items: fields({ port: { type: "integer" } }, { required: ["port"] }),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port"],
          },
        }),
      ),
    ],
    [
      "has an embedded resource",
      inSpec(
        fields({
          inner: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        }),
      ),
    ],
    ["has rules", inSpec(fields({ a: string }, { "x-kubernetes-validations": [{ rule: "self.a != ''" }] }))],
  ])("%s", (_, schema) => {
    expect(faults(schema)).toEqual([]);
  });
});

describe("a schema that cannot be used", () => {
  test.each<[string, JsonObject, string[]]>([
    ["no type at the root", {}, ["S.type: Required value: must not be empty at the root"]],
    [
      "another type at the root",
      { type: "string" },
      ['S.type: Invalid value: "string": must be object at the root'],
    ],
    [
      "no type of a field",
      inSpec(fields({ a: {} })),
      [
        "S.properties[spec].properties[a].type: Required value: must not be empty for specified object fields",
      ],
    ],
    [
      "no type of items",
      inSpec({ type: "array", items: {} }),
      ["S.properties[spec].items.type: Required value: must not be empty for specified array items"],
    ],
    ["no items", inSpec({ type: "array" }), ["S.properties[spec].items: Required value: must be specified"]],
    [
      "an unknown type",
      inSpec({ type: "text" }),
      [
        'S.properties[spec].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      "a map at the root",
      { type: "object", additionalProperties: string },
      ["S.additionalProperties: Forbidden: must not be used at the root"],
    ],
    [
      "fields and a map at once",
      inSpec(fields({ a: string }, { additionalProperties: string })),
      [
        "S.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
      ],
    ],
    [
      "types in a choice, about something that is not specified",
      inSpec(fields({ a: string }, { anyOf: [{ properties: { b: string } }] })),
      ["S.properties[spec].anyOf[0].properties[b].type: Forbidden: must be empty to be structural"],
    ],
    [
      "a choice at the root about something that is not specified",
      fields({ a: string }, { anyOf: [{ properties: { b: { minLength: 1 } } }] }),
      ["S.properties[b]: Required value: because it is defined in S.anyOf[0].properties[b]"],
    ],
    [
      "metadata",
      fields({ metadata: fields({ labels: { type: "object", additionalProperties: string } }) }),
      [
        "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
      ],
    ],
    [
      "a pattern that is none",
      inSpec(fields({ a: { ...string, pattern: "(" } })),
      [
        'S.properties[spec].properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      ],
    ],
    [
      "a reference",
      inSpec(fields({ a: { ...string, $ref: "#/x" } })),
      ["S.properties[spec].properties[a].$ref: Forbidden: $ref is not supported"],
    ],
    [
      "unique items",
      inSpec({ type: "array", items: string, uniqueItems: true }),
      [
        "S.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ],
    ],
    [
      "a keyword of the wrong type",
      inSpec(fields({ a: { ...string, minLength: "1" } })),
      ['S.properties[spec].properties[a].minLength: Invalid value: "1": must be an integer'],
    ],
    [
      "a default of another type",
      inSpec(fields({ a: { type: "integer", default: "1" } })),
      [
        'S.properties[spec].properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
      ],
    ],
    [
      "a default with unknown fields",
      inSpec(fields({ a: fields({ b: string }, { default: { c: 1 } }) })),
      ['S.properties[spec].properties[a].default: Invalid value: {"c":1}: must not have unknown fields'],
    ],
    [
      "a default in the metadata",
      fields({ metadata: fields({ name: { ...string, default: "x" } }) }),
      ["S.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
    ],
    [
      "a map of lists without keys",
      inSpec({ type: "array", items: fields({ a: string }), "x-kubernetes-list-type": "map" }),
      [
        "S.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
      ],
    ],
    [
      "a key that may be left out",
      inSpec({
        type: "array",
        items: fields({ a: string }),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
      }),
      [
        "S.properties[spec].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      ],
    ],
    [
      "a rule without a rule",
      inSpec(fields({}, { "x-kubernetes-validations": [{ message: "x" }] })),
      ["S.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified"],
    ],
    [
      "null at the root",
      { type: "object", nullable: true },
      ["S.nullable: Forbidden: nullable cannot be true at the root"],
    ],
    [
      "an embedded resource without fields",
      inSpec({ type: "object", "x-kubernetes-embedded-resource": true }),
      [
        "S.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
  ])("%s", (_, schema, errors) => {
    expect(faults(schema)).toEqual(errors);
  });

  test("a choice at the root stands in the way of a status", () => {
    const schema = fields({ a: string }, { anyOf: [{ required: ["a"] }] });
    expect(faults(schema)).toEqual([]);
    expect(faults(schema, true)[0]).toMatch(
      /^S: Invalid value: "anyOf": only \[Description Type .*XValidations\] fields/,
    );
  });
});

test("rules are found wherever they stand", () => {
  const rules = { "x-kubernetes-validations": [{ rule: "true" }] };
  expect(hasValidationRules(inSpec(fields({ a: { type: "array", items: { ...string, ...rules } } })))).toBe(
    true,
  );
  expect(hasValidationRules(inSpec(fields({ "x-kubernetes-validations": string })))).toBe(false);
});
