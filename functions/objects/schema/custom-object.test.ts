import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { shaped, type VersionSchema, validateCustomObject, validateCustomStatus } from "./custom-object.ts";
import { readSchema } from "./schema.ts";

function shape(spec: JsonObject, more: JsonObject = {}, preservesUnknown = false): VersionSchema {
  const json = { type: "object", properties: { spec }, ...more };
  return { schema: readSchema(json), json, preservesUnknown };
}
const object = (spec: Json, more: JsonObject = {}): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "a", labels: { any: "thing" } },
  spec,
  ...more,
});
const fields = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const string = { type: "string" };
const keep = { "x-kubernetes-preserve-unknown-fields": true };

describe("what an object looks like under its schema", () => {
  test.each<[string, JsonObject, Json, Json, string[]]>([
    ["known fields stay", fields({ a: string }), { a: "x" }, { a: "x" }, []],
    ["unknown ones go", fields({ a: string }), { a: "x", b: 1, c: {} }, { a: "x" }, ["spec.b", "spec.c"]],
    [
      "at any depth, in lists too",
      fields({ list: { type: "array", items: fields({ a: string }) } }),
      { list: [{ a: "x", b: 1 }, { b: 2 }] },
      { list: [{ a: "x" }, {}] },
      ["spec.list[0].b", "spec.list[1].b"],
    ],
    [
      "a map keeps all its keys, and each value is looked at",
      fields({ map: { type: "object", additionalProperties: fields({ a: string }) } }),
      { map: { one: { a: "x", b: 1 }, constructor: { a: "y" } } },
      { map: { one: { a: "x" }, constructor: { a: "y" } } },
      ["spec.map.one.b"],
    ],
    [
      "a field is known by its own name only",
      fields({ a: string }),
      { toString: "x" },
      {},
      ["spec.toString"],
    ],
    [
      "what is not specified is kept where the schema says so",
      { type: "object", ...keep },
      { a: { b: 1 } },
      { a: { b: 1 } },
      [],
    ],
    [
      "but pruned again below what is specified there",
      fields({ strict: fields({ a: string }) }, keep),
      { other: { x: 1 }, strict: { a: "x", b: 1 } },
      { other: { x: 1 }, strict: { a: "x" } },
      ["spec.strict.b"],
    ],
    [
      "also in a list that keeps",
      fields({ list: { type: "array", ...keep, items: fields({ a: fields({}) }) } }),
      { list: [{ b: 1, a: { c: 1 } }] },
      { list: [{ b: 1, a: {} }] },
      ["spec.list[0].a.c"],
    ],
    [
      "an embedded resource keeps what every object has",
      fields({ inner: fields({ data: string }, { "x-kubernetes-embedded-resource": true }) }),
      { inner: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, data: "x", more: 1 } },
      { inner: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, data: "x" } },
      ["spec.inner.more"],
    ],
    ["a default fills what is absent", fields({ a: { ...string, default: "d" } }), {}, { a: "d" }, []],
    ["and leaves what is there", fields({ a: { ...string, default: "d" } }), { a: "" }, { a: "" }, []],
    [
      "defaults are filled inside of defaults and lists",
      fields({
        o: fields({ a: { type: "integer", default: 1 } }, { default: {} }),
        list: { type: "array", items: fields({ a: { type: "integer", default: 2 } }) },
      }),
      { list: [{}] },
      { list: [{ a: 2 }], o: { a: 1 } },
      [],
    ],
    [
      "a null that is not allowed becomes the default, or goes",
      fields({ a: { ...string, default: "d" }, b: string, c: { ...string, nullable: true, default: "d" } }),
      { a: null, b: null, c: null },
      { a: "d", c: null },
      [],
    ],
  ])("%s", (_, spec, sent, kept, unknown) => {
    expect(shaped(object(sent), shape(spec))).toEqual({ object: object(kept), unknown });
  });

  test("top-level fields are pruned, those of every object are not", () => {
    const found = shaped(object({}, { extra: 1, status: {} }), shape(fields({})));
    expect(found).toEqual({ object: object({}), unknown: ["extra", "status"] });
  });

  test("nothing is pruned when the definition preserves unknown fields", () => {
    const sent = object({ b: null }, { extra: 1 });
    expect(shaped(sent, shape(fields({ a: { ...string, default: "d" } }), {}, true))).toEqual({
      object: object({ b: null, a: "d" }, { extra: 1 }),
      unknown: [],
    });
  });

  test("what was sent, and the schema's default, are not shared with the result", () => {
    const sent = object({});
    const made = shape(fields({ a: fields({}, { default: { list: [] }, ...keep }) }));
    const first = shaped(sent, made).object as { spec: { a: { list: number[] } } };
    first.spec.a.list.push(1);
    expect(sent).toEqual(object({}));
    expect(shaped(sent, made).object).toEqual(object({ a: { list: [] } }));
  });
});

describe("what is wrong with an object", () => {
  const anyOf = [{ required: ["a"] }, { required: ["b"] }];
  test.each<[string, JsonObject, Json, string[]]>([
    ["nothing", fields({ a: string }), { a: "x" }, []],
    [
      "the type",
      fields({ replicas: { type: "integer" } }),
      { replicas: "three" },
      ['spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"'],
    ],
    [
      "a fraction",
      fields({ replicas: { type: "integer" } }),
      { replicas: 1.5 },
      ['spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"'],
    ],
    ["a whole number for a number", fields({ n: { type: "number" } }), { n: 1 }, []],
    [
      "null",
      fields({ a: string }),
      { a: null },
      ['spec.a: Invalid value: "null": spec.a in body must be of type string: "null"'],
    ],
    ["a null that is allowed", fields({ a: { ...string, nullable: true } }), { a: null }, []],
    [
      "neither integer nor string",
      fields({
        port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      }),
      { port: 1.5 },
      [
        'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
        '<nil>: Invalid value: "": "spec.port" must validate at least one schema (anyOf)',
        'spec.port: Invalid value: "number": spec.port in body must be of type integer: "number"',
      ],
    ],
    ["integer or string", fields({ port: { "x-kubernetes-int-or-string": true } }), { port: "80%" }, []],
    [
      "missing fields",
      fields({ a: string, b: string }, { required: ["a", "b"] }),
      { b: "x" },
      ["spec.a: Required value"],
    ],
    [
      "a value that is not one of a list",
      fields({ mode: { ...string, enum: ["a", "b"] } }),
      { mode: "x" },
      ['spec.mode: Unsupported value: "x": supported values: "a", "b"'],
    ],
    [
      "a number that is not one of a list",
      fields({ n: { type: "integer", enum: [1, 2] } }),
      { n: 3 },
      ['spec.n: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      "a pattern",
      fields({ cron: { ...string, pattern: "^\\d+$" } }),
      { cron: "x" },
      ["spec.cron: Invalid value: \"x\": spec.cron in body should match '^\\d+$'"],
    ],
    [
      "lengths",
      fields({
        a: { ...string, minLength: 2 },
        b: { ...string, maxLength: 2 },
        c: { ...string, maxLength: 1 },
      }),
      { a: "😀", b: "abc", c: "😀" },
      [
        'spec.a: Invalid value: "😀": spec.a in body should be at least 2 chars long',
        "spec.b: Too long: may not be more than 2 bytes",
      ],
    ],
    [
      "limits of numbers",
      fields({
        a: { type: "integer", minimum: 1 },
        b: { type: "integer", maximum: 10 },
        c: { type: "number", minimum: 1, exclusiveMinimum: true },
        d: { type: "number", maximum: 1, exclusiveMaximum: true },
        e: { type: "integer", multipleOf: 5 },
        f: { type: "number", multipleOf: 0.1 },
      }),
      { a: 0, b: 11, c: 1, d: 1, e: 7, f: 0.3 },
      [
        "spec.a: Invalid value: 0: spec.a in body should be greater than or equal to 1",
        "spec.b: Invalid value: 11: spec.b in body should be less than or equal to 10",
        "spec.c: Invalid value: 1: spec.c in body should be greater than 1",
        "spec.d: Invalid value: 1: spec.d in body should be less than 1",
        "spec.e: Invalid value: 7: spec.e in body should be a multiple of 5",
      ],
    ],
    [
      "numbers of items and fields",
      fields({
        a: { type: "array", minItems: 1, items: string },
        b: { type: "array", maxItems: 1, items: string },
        c: { type: "object", minProperties: 1 },
        d: { type: "object", maxProperties: 2, additionalProperties: string },
      }),
      { a: [], b: ["x", "y"], c: {}, d: { x: "", y: "", z: "" } },
      [
        "spec.a: Invalid value: 0: spec.a in body should have at least 1 items",
        "spec.b: Too many: 2: must have at most 1 item",
        "spec.c: Invalid value: 0: spec.c in body should have at least 1 properties",
        "spec.d: Too many: 3: must have at most 2 items",
      ],
    ],
    [
      "items and values of maps",
      fields({
        list: { type: "array", items: fields({ a: string }) },
        map: { type: "object", additionalProperties: { type: "boolean" } },
        none: { type: "object", additionalProperties: false },
      }),
      { list: [{ a: 1 }], map: { x: "yes" }, none: { y: 1 } },
      [
        'spec.list[0].a: Invalid value: "integer": spec.list[0].a in body must be of type string: "integer"',
        'spec.map.x: Invalid value: "string": spec.map.x in body must be of type boolean: "string"',
        'spec.none: Invalid value: "y": spec.none.y in body is a forbidden property',
      ],
    ],
    [
      "a format",
      fields({ when: { ...string, format: "date-time" } }),
      { when: "soon" },
      ['spec.when: Invalid value: "soon": spec.when in body must be of type date-time: "soon"'],
    ],
    [
      "a format of numbers is not checked",
      fields({ n: { type: "integer", format: "int32" } }),
      { n: 3e9 },
      [],
    ],
    [
      "no alternative",
      fields({ a: string, b: string }, { anyOf }),
      {},
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        "spec.a: Required value",
      ],
    ],
    ["one alternative of many", fields({ a: string, b: string }, { anyOf }), { b: "x" }, []],
    [
      "not one of one",
      fields({ a: string, b: string }, { oneOf: anyOf }),
      { a: "x", b: "x" },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      "none of one",
      fields({ a: string, b: string }, { oneOf: anyOf }),
      {},
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        "spec.a: Required value",
      ],
    ],
    [
      "not all",
      fields({ a: string, b: string }, { allOf: anyOf }),
      { a: "x" },
      ["spec.b: Required value", '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)'],
    ],
    [
      "what must not be",
      fields({ a: string }, { not: { required: ["a"] } }),
      { a: "x" },
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
    [
      "the best of the alternatives is told",
      fields({
        v: {
          type: "object",
          ...keep,
          anyOf: [
            { required: ["x"], properties: { x: { enum: ["a"] } } },
            { required: ["y"], properties: { y: { enum: ["b"] } } },
          ],
        },
      }),
      { v: { y: "c" } },
      [
        '<nil>: Invalid value: "": "spec.v" must validate at least one schema (anyOf)',
        'spec.v.y: Unsupported value: "c": supported values: "b"',
      ],
    ],
    [
      "an item of a set that comes twice",
      fields({ set: { type: "array", items: string, "x-kubernetes-list-type": "set" } }),
      { set: ["a", "b", "a", "a"] },
      ['spec.set[2]: Duplicate value: "a"'],
    ],
    [
      "a key of a map that comes twice",
      fields({
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: fields({ port: { type: "integer" }, protocol: string, name: string }),
        },
      }),
      {
        ports: [
          { port: 1, protocol: "TCP" },
          { port: 1, protocol: "UDP" },
          { protocol: "TCP", port: 1, name: "x" },
        ],
      },
      ['spec.ports[2]: Duplicate value: {"port":1,"protocol":"TCP"}'],
    ],
    [
      "an embedded resource that is none",
      fields({ inner: { type: "object", ...keep, "x-kubernetes-embedded-resource": true } }),
      { inner: { kind: "9", metadata: { name: "a/b", labels: { "-": "x" } } } },
      [
        "spec.inner.apiVersion: Required value",
        "spec.inner.kind: Invalid value: \"9\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.inner.metadata.name: Invalid value: \"a/b\": may not contain '/'",
        "spec.inner.metadata.labels: Invalid value: \"-\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
  ])("%s", (_, spec, value, errors) => {
    const found = validateCustomObject(object(value), shape(spec));
    expect(found.map((error) => `${error.field}: ${error.message}`)).toEqual(errors);
  });

  test("the cause says when it is the type", () => {
    const [error] = validateCustomObject(object({ a: 1 }), shape(fields({ a: string })));
    expect(error?.type).toBe("FieldValueTypeInvalid");
  });

  test("a value of many characters is not repeated as a whole", () => {
    const [error] = validateCustomObject(
      object({ a: "x".repeat(100_000) }),
      shape(fields({ a: { ...string, pattern: "^y" } })),
    );
    expect(error?.message.length).toBeLessThan(1_200);
  });

  test("so many faults are told and no more", () => {
    const list = Array.from({ length: 5_000 }, () => 1);
    const found = validateCustomObject(
      object({ list }),
      shape(fields({ list: { type: "array", items: string } })),
    );
    expect(found.length).toBe(100);
  });

  test("patterns together cost no more than so much", () => {
    const began = performance.now();
    const spec = fields({
      list: { type: "array", items: { ...string, pattern: "^(a|b|c|ab|bc|abc|a*b*c*)*$" } },
    });
    const found = validateCustomObject(
      object({ list: Array.from({ length: 500 }, () => "abc".repeat(1_000)) }),
      shape(spec),
    );
    expect(found.at(-1)?.message).toContain("is too long to be matched against");
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe("what was wrong before", () => {
  const strict = shape(
    fields({
      a: { ...string, enum: ["x"] },
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: fields({ name: string, mode: { ...string, enum: ["x"] } }),
      },
      set: { type: "array", items: string, "x-kubernetes-list-type": "set" },
    }),
  );
  test.each<[string, Json, Json, string[]]>([
    ["may stay while other things change", { a: "old" }, { a: "old", set: ["b"] }, []],
    ["may not be changed into something else that is wrong", { a: "old" }, { a: "new" }, ["spec.a"]],
    [
      "is recognized in a list that is a map",
      { list: [{ name: "one", mode: "old" }] },
      {
        list: [
          { name: "zero", mode: "x" },
          { name: "one", mode: "old" },
        ],
      },
      [],
    ],
    [
      "is not taken for something else there",
      { list: [{ name: "one", mode: "old" }] },
      { list: [{ name: "zero", mode: "old" }] },
      ["spec.list[0].mode"],
    ],
    ["holds for duplicates", { set: ["a", "a"] }, { a: "x", set: ["a", "a"] }, []],
  ])("%s", (_, old, next, errors) => {
    const found = validateCustomObject(object(next), strict, object(old));
    expect(found.map(({ field }) => field)).toEqual(errors);
  });
});

describe("an update of the status", () => {
  const made = shape(fields({ a: string }), {
    properties: { spec: fields({ a: string }), status: fields({ phase: { ...string, enum: ["Ready"] } }) },
  });
  test("is checked, with a path from the status on in the message", () => {
    const next = object({ a: 1 }, { status: { phase: 5 } });
    expect(
      validateCustomStatus(next, made, object({ a: 1 })).map(({ field, message }) => `${field}: ${message}`),
    ).toEqual([
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
      'status.phase: Unsupported value: 5: supported values: "Ready"',
    ]);
  });
  test("may leave the status out", () => {
    expect(validateCustomStatus(object({}), made, object({}))).toEqual([]);
  });
});
