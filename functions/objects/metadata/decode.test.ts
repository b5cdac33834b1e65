import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { decodeObject, readPatched } from "./decode.ts";

const configMap = { group: "", version: "v1", kind: "ConfigMap", custom: false };
const secret = { ...configMap, kind: "Secret" };
const replicaSet = { group: "apps", version: "v1", kind: "ReplicaSet", custom: false };
const widget = { group: "example.com", version: "v1", kind: "Widget", custom: true };

const decode = (body: unknown, expected = configMap, mediaType = "application/json") =>
  decodeObject(typeof body === "string" ? body : JSON.stringify(body), mediaType, expected);
const message = (body: unknown, expected = configMap, mediaType = "application/json"): string => {
  const outcome = decode(body, expected, mediaType);
  if (outcome.ok || outcome.failure.reason !== "BadRequest") throw new Error(JSON.stringify(outcome));
  return outcome.failure.message;
};

describe("what decodes", () => {
  test.each<[string, unknown, JsonObject]>([
    ["an empty object", {}, { kind: "ConfigMap", apiVersion: "v1", metadata: {} }],
    ["null", "null", { kind: "ConfigMap", apiVersion: "v1", metadata: {} }],
    [
      "null fields",
      { kind: null, metadata: { name: null, labels: null, finalizers: null }, data: null },
      { kind: "ConfigMap", apiVersion: "v1", metadata: {} },
    ],
    [
      "empty fields",
      { metadata: { name: "", labels: {}, ownerReferences: [], generation: 0 }, data: {} },
      { kind: "ConfigMap", apiVersion: "v1", metadata: {} },
    ],
    [
      "fields nobody knows",
      { metadata: { name: "a", nonsense: 1, selfLink: "/x" }, status: { x: null } },
      { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, status: { x: null } },
    ],
    [
      "a null value of a string map",
      { data: { a: null } },
      { kind: "ConfigMap", apiVersion: "v1", metadata: {}, data: { a: "" } },
    ],
    [
      "a grace of 0",
      { metadata: { deletionGracePeriodSeconds: 0 } },
      { kind: "ConfigMap", apiVersion: "v1", metadata: { deletionGracePeriodSeconds: 0 } },
    ],
    [
      "a time elsewhere",
      { metadata: { deletionTimestamp: "2020-01-01T02:00:00.5+01:00" } },
      { kind: "ConfigMap", apiVersion: "v1", metadata: { deletionTimestamp: "2020-01-01T01:00:00Z" } },
    ],
    [
      "a reference with parts missing",
      {
        metadata: {
          ownerReferences: [{ name: "o", controller: false, blockOwnerDeletion: null, extra: 1 }, null],
        },
      },
      {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          ownerReferences: [
            { apiVersion: "", kind: "", name: "o", uid: "", controller: false },
            { apiVersion: "", kind: "", name: "", uid: "" },
          ],
        },
      },
    ],
  ])("%s", (_, body, object) => {
    expect(decode(body)).toEqual({ ok: true, value: object });
  });

  test.each(["", "application/json", "application/json; charset=utf-8", "Application/JSON"])(
    "media type %j is JSON",
    (mediaType) => {
      expect(decode({}, configMap, mediaType).ok).toBe(true);
    },
  );

  test("a custom resource keeps its data and loses what metadata does not know", () => {
    const body = { metadata: { name: "w", nonsense: 1 }, spec: { data: { a: 5 } }, data: { a: 5 } };
    expect(decode(body, widget)).toEqual({
      ok: true,
      value: { kind: "Widget", apiVersion: "example.com/v1", ...body, metadata: { name: "w" } },
    });
  });

  test("line ends in a Secret's base64 are dropped", () => {
    expect(decode({ data: { a: "YW\nJj\r\n" } }, secret)).toMatchObject({ value: { data: { a: "YWJj" } } });
  });
});

describe("the wrong kind", () => {
  test.each([
    [
      { kind: "Secret" },
      configMap,
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      { kind: "ConfigMap", apiVersion: "v1" },
      replicaSet,
      'ConfigMap in version "v1" cannot be handled as a ReplicaSet: converting (v1.ConfigMap) to (apps.ReplicaSet): unknown conversion',
    ],
    [
      { kind: "Nope" },
      configMap,
      'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { apiVersion: "apps/v1" },
      configMap,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { apiVersion: "apps/v1beta2" },
      replicaSet,
      "the API version in the data (apps/v1beta2) does not match the expected API version (apps/v1)",
    ],
    [
      { apiVersion: "v1", kind: "Pod" },
      widget,
      "the API version in the data (v1) does not match the expected API version (example.com/v1)",
    ],
    [
      { apiVersion: "a/b/c" },
      configMap,
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
  ])("%j", (body, expected, text) => {
    expect(message(body, expected)).toBe(text);
  });

  test("of a custom resource is Invalid", () => {
    expect(decode({ kind: "Gadget", metadata: { name: "w" } }, widget)).toEqual({
      ok: false,
      failure: {
        reason: "Invalid",
        group: "example.com",
        kind: "Widget",
        name: "w",
        errors: [
          { field: "kind", type: "FieldValueInvalid", message: 'Invalid value: "Gadget": must be Widget' },
        ],
      },
    });
  });
});

describe("a field of the wrong type", () => {
  const meta = "v1.ConfigMap.ObjectMeta: v1.ObjectMeta";
  test.each<[unknown, string]>([
    [{ metadata: 5 }, "v1.ConfigMap.ObjectMeta: readObjectStart: expect { or n, but found 5"],
    [{ metadata: [] }, "v1.ConfigMap.ObjectMeta: readObjectStart: expect { or n, but found ["],
    [{ metadata: { name: 5 } }, `${meta}.Name: ReadString: expects " or n, but found 5`],
    [{ metadata: { name: -5 } }, `${meta}.Name: ReadString: expects " or n, but found -`],
    [{ metadata: { labels: { a: 5 } } }, `${meta}.Labels: ReadString: expects " or n, but found 5`],
    [{ metadata: { labels: [] } }, `${meta}.Labels: ReadMapCB: expect { or n, but found [`],
    [
      { metadata: { annotations: { a: true } } },
      `${meta}.Annotations: ReadString: expects " or n, but found t`,
    ],
    [
      { metadata: { ownerReferences: {} } },
      `${meta}.OwnerReferences: []v1.OwnerReference: decode slice: expect [ or n, but found {`,
    ],
    [
      { metadata: { ownerReferences: [5] } },
      `${meta}.OwnerReferences: []v1.OwnerReference: readObjectStart: expect { or n, but found 5`,
    ],
    [
      { metadata: { ownerReferences: [{}, { controller: "yes" }] } },
      `${meta}.OwnerReferences: []v1.OwnerReference: v1.OwnerReference.Controller: ReadBool: expect t or f, but found "`,
    ],
    [
      { metadata: { finalizers: "x" } },
      `${meta}.Finalizers: []string: decode slice: expect [ or n, but found "`,
    ],
    [
      { metadata: { finalizers: [{}] } },
      `${meta}.Finalizers: []string: ReadString: expects " or n, but found {`,
    ],
    [{ metadata: { generation: "1" } }, `${meta}.Generation: readUint64: unexpected character: \ufffd`],
    [{ metadata: { generation: 1.5 } }, `${meta}.Generation: assertInteger: can not decode float as int`],
    [
      { metadata: { deletionTimestamp: "soon" } },
      `${meta}.DeletionTimestamp: unmarshalerDecoder: parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"`,
    ],
    [
      { metadata: { managedFields: [1] } },
      `${meta}.ManagedFields: []v1.ManagedFieldsEntry: readObjectStart: expect { or n, but found 1`,
    ],
    [{ data: [] }, "v1.ConfigMap.Data: ReadMapCB: expect { or n, but found ["],
    [{ immutable: "x" }, 'v1.ConfigMap.Immutable: ReadBool: expect t or f, but found "'],
    [
      { binaryData: { a: "!" } },
      "v1.ConfigMap.BinaryData: decode base64: illegal base64 data at input byte 0",
    ],
  ])("%j", (body, fault) => {
    expect(message(body)).toContain(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${fault}, error found in #`,
    );
  });

  test("is shown in its place, counted in bytes and across spaces", () => {
    const text = '{ "metadata" : {"name":"ä"},\n "data": {"x":"ü","k" : false } }';
    expect(message(text)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: v1.ConfigMap.Data: ReadString: expects " or n, but found f, error found in #10 byte of ...|\ufffd","k" : false } }|..., bigger context ...|adata" : {"name":"ä"},\n "data": {"x":"ü","k" : false } }|...',
    );
  });

  test("is told for the first one in the text", () => {
    expect(message({ data: { a: 5 }, metadata: { name: 5 } })).toContain("v1.ConfigMap.Data: ReadString");
  });

  test.each<[unknown, string]>([
    [{ data: { a: "YQ" } }, "v1.Secret.Data: decode base64: illegal base64 data at input byte 0"],
    [{ data: { a: 5 } }, "v1.Secret.Data: base64Codec: invalid input"],
    [{ stringData: { a: 5 } }, 'v1.Secret.StringData: ReadString: expects " or n, but found 5'],
    [{ type: {} }, 'v1.Secret.Type: ReadString: expects " or n, but found {'],
  ])("in a Secret: %j", (body, fault) => {
    expect(message(body, secret)).toContain(fault);
  });

  test.each<[unknown, string]>([
    [{ metadata: 5 }, "number into Go value of type v1.ObjectMeta"],
    [{ metadata: { name: 5 } }, "number into Go struct field ObjectMeta.name of type string"],
    [{ metadata: { labels: { a: {} } } }, "object into Go struct field ObjectMeta.labels of type string"],
    [
      { metadata: { labels: "x" } },
      "string into Go struct field ObjectMeta.labels of type map[string]string",
    ],
    [{ metadata: { finalizers: true } }, "bool into Go struct field ObjectMeta.finalizers of type []string"],
    [
      { metadata: { generation: 1.5 } },
      "number 1.5 into Go struct field ObjectMeta.generation of type int64",
    ],
    [
      { metadata: { ownerReferences: [{ uid: 5 }] } },
      "number into Go struct field OwnerReference.ownerReferences.uid of type string",
    ],
  ])("in a custom resource: %j", (body, fault) => {
    expect(message(body, widget)).toBe(
      `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal ${fault}`,
    );
  });
});

describe("content of the wrong type", () => {
  const service = { ...configMap, kind: "Service" };
  const port = "json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32";

  test("is told in Go's words", () => {
    expect(message({ spec: { ports: [{ port: "80" }] } }, service)).toBe(
      `Service in version "v1" cannot be handled as a Service: ${port}`,
    );
  });

  test("is told when it comes before what is wrong in the metadata, and not after it", () => {
    const [spec, metadata] = [{ ports: [{ port: "80" }] }, { name: 5 }];
    expect(message({ spec, metadata }, service)).toContain(port);
    expect(message({ metadata, spec }, service)).toContain("v1.Service.ObjectMeta: v1.ObjectMeta.Name");
  });

  test("is Invalid on the patch that made it", () => {
    const message = expect.stringContaining(port);
    expect(readPatched({ spec: { ports: [{ port: "80" }] } }, service)).toMatchObject({
      failure: { reason: "Invalid", errors: [{ field: "patch", type: "FieldValueInvalid", message }] },
    });
  });

  test("is nobody's business in a kind that another field of the same name belongs to", () => {
    const body = { spec: { ports: [{ port: "80" }] } };
    expect(decode(body, widget).ok).toBe(true);
    expect(decode({ ...body, metadata: {} }, configMap).ok).toBe(true);
  });
});

describe("what a patch made", () => {
  test("is read like a body", () => {
    const object = {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a", labels: {} },
      data: { a: "b" },
    };
    expect(readPatched(object, configMap)).toEqual({
      ok: true,
      value: { ...object, metadata: { name: "a" } },
    });
  });

  test.each<[JsonObject, string]>([
    [{ metadata: { labels: { a: 5 } } }, 'v1.ObjectMeta.Labels: ReadString: expects " or n, but found 5'],
    [{ kind: "Secret" }, "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [{ apiVersion: 5 }, "json: cannot unmarshal number into Go struct field .apiVersion of type string"],
  ])("%j is Invalid on the patch", (object, fault) => {
    const message = expect.stringContaining(fault);
    expect(readPatched(object, configMap)).toEqual({
      ok: false,
      failure: {
        reason: "Invalid",
        group: "",
        kind: "",
        name: "",
        errors: [{ field: "patch", type: "FieldValueInvalid", message }],
      },
    });
  });

  test("is shown in part only", () => {
    const outcome = readPatched({ metadata: 5, data: { a: "x".repeat(100_000) } }, configMap);
    expect(JSON.stringify(outcome).length).toBeLessThan(2_000);
  });
});
