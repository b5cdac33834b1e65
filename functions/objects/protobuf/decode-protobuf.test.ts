import fc from "fast-check";
import { describe, expect, test } from "vitest";
import document from "../../../test/recorded/protobuf.json" with { type: "json" };
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { apiVersion } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { body, message, varint } from "./wire.fixture.ts";

interface Recording {
  command: string;
  body: string;
  expected: JsonObject;
}

const recorded: { created: Recording[]; sent: Recording[] } = document;

const bytesOf = (recording: Recording): Uint8Array =>
  Uint8Array.from(atob(recording.body), (c) => c.charCodeAt(0));

/** Without null and `{}`, which kubectl prints of every struct that was not given. */
function withoutEmpty(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).map(([name, item]) => [name, withoutEmpty(item)] as const);
  return Object.fromEntries(
    kept.filter(([, item]) => item !== null && !(isJsonObject(item) && Object.keys(item).length === 0)),
  );
}

const decoded = (bytes: Uint8Array): JsonObject => {
  const outcome = decodeProtobuf(bytes);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome.value;
};
const failure = (bytes: Uint8Array) => {
  const outcome = decodeProtobuf(bytes);
  return outcome.ok ? undefined : outcome.failure;
};
const fieldsOf = (version: string, kind: string, raw: Uint8Array): JsonObject => {
  const { apiVersion: _, kind: __, ...fields } = decoded(body(version, kind, raw));
  return fields;
};

describe("what kubectl sends is what it would have sent as JSON", () => {
  test.each(recorded.created)("$command", (recording) => {
    expect(decoded(bytesOf(recording))).toEqual(withoutEmpty(recording.expected));
  });

  test.each(recorded.sent)("$command", (recording) => {
    expect(decoded(bytesOf(recording))).toEqual(recording.expected);
  });
});

describe("an empty value", () => {
  test("stays where Go has a pointer", () => {
    const raw = message([1, message()], [2, message([1, 0], [2, message()])]);
    expect(fieldsOf("apps/v1", "Deployment", raw)).toEqual({ spec: { replicas: 0, selector: {} } });
    expect(fieldsOf("v1", "ServiceAccount", message([4, false]))).toEqual({
      automountServiceAccountToken: false,
    });
  });

  test("stays where JSON always shows the field", () => {
    expect(fieldsOf("scheduling.k8s.io/v1", "PriorityClass", message([2, 0], [3, false]))).toEqual({
      value: 0,
    });
    const policy = message([2, message([1, message()])]);
    expect(fieldsOf("networking.k8s.io/v1", "NetworkPolicy", policy)).toEqual({ spec: { podSelector: {} } });
  });

  test("means that nothing was given elsewhere", () => {
    const metadata = message([1, ""], [2, ""], [7, 0], [8, message()]);
    expect(
      fieldsOf("v1", "Namespace", message([1, metadata], [2, message()], [3, message([1, ""])])),
    ).toEqual({});
  });

  test("stays in lists and maps", () => {
    const metadata = message([11, message([1, "a"], [2, ""])], [11, message([1, "b"])], [14, ""]);
    expect(fieldsOf("v1", "ConfigMap", message([1, metadata]))).toEqual({
      metadata: { labels: { a: "", b: "" }, finalizers: [""] },
    });
  });
});

describe("values that JSON shows in their own way", () => {
  const metadata = (time: Uint8Array) => fieldsOf("v1", "Namespace", message([1, message([8, time])]));
  const lease = (time: Uint8Array) =>
    fieldsOf("coordination.k8s.io/v1", "Lease", message([2, message([3, time])]));
  const port = (value: Uint8Array) =>
    fieldsOf("v1", "Service", message([2, message([1, message([3, 80], [4, value])])]));
  const schema = (...fields: Parameters<typeof message>) => {
    const version = message([4, message([1, message(...fields)])]);
    const spec = message([7, version]);
    const object = fieldsOf("apiextensions.k8s.io/v1", "CustomResourceDefinition", message([2, spec]));
    return (object.spec as { versions: { schema: { openAPIV3Schema: Json } }[] }).versions[0]?.schema
      .openAPIV3Schema;
  };

  test.each<[string, JsonObject, JsonObject]>([
    [
      "a time, to the second",
      metadata(message([1, 1_700_000_000], [2, 999_999_999])),
      { metadata: { creationTimestamp: "2023-11-14T22:13:20Z" } },
    ],
    [
      "a time before the epoch",
      metadata(message([1, -1], [2, 0])),
      { metadata: { creationTimestamp: "1969-12-31T23:59:59Z" } },
    ],
    [
      "a time to the microsecond",
      lease(message([1, 1_700_000_000], [2, 1_234_999])),
      { spec: { acquireTime: "2023-11-14T22:13:20.001234Z" } },
    ],
    [
      "a port by number",
      port(message([1, 0], [2, 8080], [3, ""])),
      { spec: { ports: [{ port: 80, targetPort: 8080 }] } },
    ],
    [
      "a port by name",
      port(message([1, 1], [2, 0], [3, "http"])),
      { spec: { ports: [{ port: 80, targetPort: "http" }] } },
    ],
    ["no port", port(message([1, 0], [2, 0], [3, ""])), { spec: { ports: [{ port: 80 }] } }],
    [
      "an amount",
      fieldsOf("v1", "Node", message([3, message([1, message([1, "cpu"], [2, message([1, "4"])])])])),
      { status: { capacity: { cpu: "4" } } },
    ],
    [
      "bytes",
      fieldsOf("v1", "Secret", message([2, message([1, "k"], [2, Uint8Array.of(0, 255, 128)])])),
      { data: { k: "AP+A" } },
    ],
    [
      "JSON in a field of its own",
      fieldsOf("apps/v1", "ControllerRevision", message([2, message([1, '{"a":[1,null]}'])], [3, 7])),
      { data: { a: [1, null] }, revision: 7 },
    ],
    [
      "lists of strings in a map",
      fieldsOf(
        "certificates.k8s.io/v1",
        "CertificateSigningRequest",
        message([2, message([6, message([1, "k"], [2, message([1, "a"], [1, "b"])])])]),
      ),
      { spec: { extra: { k: ["a", "b"] } } },
    ],
  ])("%s", (_, object, expected) => {
    expect(object).toEqual(expected);
  });

  test("numbers of 64 bits keep their sign", () => {
    const spec = message([5, -1], [25, -7], [4, 2n ** 40n]);
    expect(fieldsOf("v1", "Pod", message([2, spec]))).toEqual({
      spec: { activeDeadlineSeconds: -1, priority: -7, terminationGracePeriodSeconds: 2 ** 40 },
    });
  });

  test("a list of numbers may be sent as one run of bytes", () => {
    const groups = Uint8Array.from([1, 300, 2 ** 40].flatMap(varint));
    const context = message([4, groups], [4, 5]);
    expect(fieldsOf("v1", "Pod", message([2, message([14, context])]))).toEqual({
      spec: { securityContext: { supplementalGroups: [1, 300, 2 ** 40, 5] } },
    });
  });

  test("a schema is shown in place of what holds it", () => {
    const string = message([5, "string"]);
    expect(schema([24, message([1, string])])).toEqual({ items: { type: "string" } });
    expect(schema([24, message([2, string], [2, message()])])).toEqual({ items: [{ type: "string" }, {}] });
    expect(schema([30, message([1, true], [2, string])])).toEqual({
      additionalProperties: { type: "string" },
    });
    expect(schema([30, message([1, false])])).toEqual({ additionalProperties: false });
    expect(schema([32, message([1, "a"], [2, message([2, "b"])])])).toEqual({ dependencies: { a: ["b"] } });
    expect(schema([8, message([1, "null"])])).toEqual({ default: null });
    expect(schema([20, message([1, "0"])], [38, true])).toEqual({
      enum: [0],
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });
});

test("fields that nobody knows are passed over", () => {
  const raw = message([1, message([1, "a"], [900, "x"])], [77, 1], [78, message()]);
  expect(decoded(body("v1", "ConfigMap", raw))).toEqual({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a" },
  });
});

test("a label __proto__ is a label, to be refused as in JSON", () => {
  const metadata = message([11, message([1, "__proto__"], [2, "x"])]);
  expect(JSON.stringify(fieldsOf("v1", "ConfigMap", message([1, metadata])))).toBe(
    '{"metadata":{"labels":{"__proto__":"x"}}}',
  );
});

describe("what is refused", () => {
  const prefixed = (...bytes: number[]) => Uint8Array.of(0x6b, 0x38, 0x73, 0, ...bytes);
  const unrecognized = (fault: string) => ({
    reason: "BadRequest",
    message: `the object provided is unrecognized: ${fault}`,
  });
  const noPrefix = unrecognized(
    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
  );
  const configMap = (fault: string) => ({
    reason: "BadRequest",
    message: `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${fault}`,
  });
  const unknownFormat = {
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml",
  };
  let deep = message();
  for (let level = 0; level < 1000; level++) deep = message([28, deep]);
  const spec = message([7, message([4, message([1, deep])])]);

  test.each<[string, Uint8Array, unknown]>([
    ["nothing", new Uint8Array(), noPrefix],
    ["JSON", new TextEncoder().encode("{}"), noPrefix],
    ["a prefix alone", prefixed(), unrecognized("empty body")],
    ["an envelope that stops", prefixed(10, 9), unrecognized("unexpected EOF")],
    ["an envelope of numbers", prefixed(8, 1), unrecognized("proto: wrong wireType = 0 for field 1")],
    ["no kind", body("v1", "", message()), unrecognized("Object 'Kind' is missing")],
    ["no version", body("", "Pod", message()), unrecognized("Object 'apiVersion' is missing")],
    ["a custom resource", body("example.com/v1", "Widget", message()), unknownFormat],
    ["a kind of another group", body("apps/v1", "Pod", message()), unknownFormat],
    ["a message that stops", body("v1", "ConfigMap", Uint8Array.of(10, 5, 1)), configMap("unexpected EOF")],
    [
      "a number for a message",
      body("v1", "ConfigMap", message([1, 7])),
      configMap("proto: wrong wireType = 0 for field metadata"),
    ],
    [
      "a number for a string",
      body("v1", "ConfigMap", message([1, message([1, 7])])),
      configMap("proto: wrong wireType = 0 for field name"),
    ],
    [
      "a number for a map",
      body("v1", "ConfigMap", message([2, 7])),
      configMap("proto: wrong wireType = 0 for field data"),
    ],
    [
      "a year that RFC 3339 has not",
      body("v1", "ConfigMap", message([1, message([8, message([1, 2n ** 62n])])])),
      configMap("Time.MarshalJSON: year outside of range [0,9999]"),
    ],
    [
      "text where JSON should be",
      body("apps/v1", "ControllerRevision", message([2, message([1, "{"])])),
      {
        reason: "BadRequest",
        message: expect.stringMatching(
          /^ControllerRevision in version "v1" cannot be handled .*json parse error/,
        ),
      },
    ],
    [
      "nesting beyond what can be worked on",
      body("apiextensions.k8s.io/v1", "CustomResourceDefinition", message([2, spec])),
      {
        reason: "BadRequest",
        message:
          'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: exceeded max depth',
      },
    ],
    [
      "a body that is much larger as JSON",
      body("v1", "Endpoints", Uint8Array.from(Array(400_000).fill([18, 0]).flat())),
      { reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 3145728" },
    ],
  ])("%s", (_, bytes, expected) => {
    expect(failure(bytes)).toEqual(expected);
  });
});

describe("whatever is sent, the answer is an outcome", () => {
  const kinds = builtInKinds.flatMap(({ group, versions, kind }) =>
    versions.map((version) => [apiVersion(group, version), kind] as const),
  );
  const isOutcome = (bytes: Uint8Array): boolean => {
    const outcome = decodeProtobuf(bytes);
    if (outcome.ok) JSON.stringify(outcome.value);
    return outcome.ok || outcome.failure.reason !== undefined;
  };

  test("for random bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), isOutcome));
  });

  test("for random messages of every kind", () => {
    const random = fc.tuple(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(random, ([[version, kind], raw]) => isOutcome(body(version, kind, raw))),
      { numRuns: 2000 },
    );
  });

  test("for recordings with a few bytes changed", () => {
    const recordings = [...recorded.created, ...recorded.sent].map(bytesOf);
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    const random = fc.tuple(fc.constantFrom(...recordings), fc.array(change, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(random, ([bytes, changes]) => {
        const changed = bytes.slice();
        for (const [at, byte] of changes) changed[at % changed.length] = byte;
        return isOutcome(changed);
      }),
      { numRuns: 2000 },
    );
  });
});
