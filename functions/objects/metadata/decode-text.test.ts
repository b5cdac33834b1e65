import { describe, expect, test } from "vitest";
import { decodeObject } from "./decode.ts";

const configMap = { group: "", version: "v1", kind: "ConfigMap", custom: false };

const decode = (body: unknown, expected = configMap, mediaType = "application/json") =>
  decodeObject(typeof body === "string" ? body : JSON.stringify(body), mediaType, expected);
const message = (body: unknown, expected = configMap, mediaType = "application/json"): string => {
  const outcome = decode(body, expected, mediaType);
  if (outcome.ok || outcome.failure.reason !== "BadRequest") throw new Error(JSON.stringify(outcome));
  return outcome.failure.message;
};

describe("what does not parse", () => {
  const unrecognized = "the object provided is unrecognized (must be of type ConfigMap): ";
  const parse = `${unrecognized}couldn't get version/kind; json parse error: `;

  test.each<[string, string]>([
    ["", `${parse}unexpected end of JSON input (<empty>)`],
    ['{"a":', `${parse}unexpected end of JSON input ({"a":)`],
    [`{"a":"${"x".repeat(40)}`, `${parse}unexpected end of JSON input ({"a":"${"x".repeat(24)} ...)`],
    ["x".repeat(31), `${parse}invalid character 'x' looking for beginning of value (${"78".repeat(30)} ...)`],
    [
      "[1]",
      `${parse}json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b315d)`,
    ],
    [
      '{"kind":5}',
      `${parse}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
    ],
  ])("%s", (body, text) => {
    expect(message(body)).toBe(text);
  });

  test.each([600, 10_001, 200_000])("%d levels of nesting cost no stack", (levels) => {
    const text = `{"spec":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(message(text)).toContain("invalid character '[' exceeded max depth");
  });

  test("500 levels pass", () => {
    expect(decode(`{"spec":${"[".repeat(499)}${"]".repeat(499)}}`).ok).toBe(true);
  });

  test.each([
    '{"data":{"__proto__":"x"}}',
    '{"data":{"\\u005f_proto__":"x"}}',
    '{"spec":[{"__proto__":{}}]}',
  ])("%s would be lost by an assignment", (text) => {
    expect(message(text)).toContain('the field name "__proto__" is not allowed');
  });

  test("a number beyond all bounds", () => {
    expect(message('{"spec":1e999}')).toContain(
      "json: cannot unmarshal number into Go value of type float64",
    );
  });

  test("brackets in strings are not nesting", () => {
    expect(decode({ data: { a: "[".repeat(20_000) } }).ok).toBe(true);
  });
});

describe("the media type", () => {
  test.each([
    ["text/plain", "application/json, application/yaml, application/vnd.kubernetes.protobuf"],
    ["application/vnd.kubernetes.protobuf", "application/json, application/yaml"],
  ])("%s is not accepted", (mediaType, accepted) => {
    expect(decode({}, configMap, mediaType)).toEqual({
      ok: false,
      failure: {
        reason: "UnsupportedMediaType",
        message: `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
      },
    });
  });
});

describe("YAML", () => {
  const yaml = (text: string, expected = configMap) => decode(text, expected, "application/yaml");

  test("is read as YAML 1.1, but dates and times of day stay text", () => {
    const text = "metadata: {name: a}\nspec: {mode: 0644, on: yes, day: 2020-01-01, at: 1:30, none: ~, 5: x}";
    expect(yaml(text)).toEqual({
      ok: true,
      value: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name: "a" },
        spec: { mode: 420, true: true, day: "2020-01-01", at: "1:30", none: null, "5": "x" },
      },
    });
  });

  test("an alias is a value of its own", () => {
    const outcome = yaml("a: &x {b: 1}\nc: *x");
    expect(outcome.ok && outcome.value.a).toEqual(outcome.ok && outcome.value.c);
    expect(outcome.ok && outcome.value.a !== outcome.value.c).toBe(true);
  });

  test("an empty document is an empty object", () => {
    expect(yaml("").ok).toBe(true);
  });

  test("a field of the wrong type is told as in JSON", () => {
    expect(message("data: {a: 5}", configMap, "application/yaml")).toContain(
      'v1.ConfigMap.Data: ReadString: expects " or n, but found 5, error found in #10 byte of ...|ta":{"a":5}}|...',
    );
  });

  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ..."bcdefgh".split("").map((name, i) => {
      const before = "abcdefgh"[i];
      return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(", ")}]`;
    }),
  ].join("\n");
  const long = `a: &a ${"x".repeat(200_000)}\nb: [${Array.from({ length: 50 }, () => "*a").join(", ")}]`;

  test.each([
    ["what is not YAML", "a: [", "yaml: "],
    ["two documents", "a: 1\n---\nb: 2", "yaml: Source contains multiple documents"],
    ["a field twice", "a: 1\na: 2", "yaml: Map keys must be unique"],
    ["a scalar alone", "just text", "json: cannot unmarshal string into Go value"],
    ["aliases that multiply", bomb, "alias"],
    ["aliases of a long text", long, "excessive aliasing"],
    ["an alias of what it is in", "a: &a [*a]", "yaml: "],
    ["deep nesting", `a: ${"[".repeat(20_000)}`, "yaml: "],
    ["nesting that parses but is too deep", `a: ${"[".repeat(600)}${"]".repeat(600)}`, "exceeded max depth"],
    ["__proto__", "spec: {__proto__: {a: 1}}", '"__proto__" is not allowed'],
    ["infinity", "spec: .inf", "float64"],
  ])("%s is refused", (_, text, fault) => {
    expect(message(text, configMap, "application/yaml")).toContain(fault);
  });
});
