import { describe, expect, test } from "vitest";
import type { Kind } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import type { ObjectMeta } from "../object.ts";
import { validateMetadata, validateMetadataUpdate } from "./metadata.ts";

const kindOf = (resource: string): Kind => builtInKinds.find((kind) => kind.resource === resource) as Kind;
const configMap = kindOf("configmaps");
const node = kindOf("nodes");
const custom: Kind = { ...configMap, group: "example.com", traits: { ...configMap.traits, custom: true } };

const meta = (fields: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name: "a",
  namespace: "ns",
  uid: "u",
  resourceVersion: "5",
  creationTimestamp: "2026-11-20T10:00:00Z",
  ...fields,
});
const lines = (errors: ReturnType<typeof validateMetadata>) =>
  errors.map(({ field, message }) => `${field}: ${message}`);

describe("metadata on create", () => {
  test.each<[string, Partial<ObjectMeta>]>([
    ["a name", {}],
    ["an empty label value", { labels: { a: "" } }],
    ["an annotation key in upper case", { annotations: { "Example.com/A": "any value at all" } }],
    ["annotations of exactly 256 KiB", { annotations: { a: "x".repeat(262_143) } }],
  ])("%s is accepted", (_, fields) => {
    expect(validateMetadata(meta(fields), configMap)).toEqual([]);
  });

  test.each<[string, Partial<ObjectMeta>, string]>([
    ["no name", { name: "" }, "metadata.name: Required value: name or generateName is required"],
    ["no namespace", { namespace: "" }, "metadata.namespace: Required value"],
    [
      "a namespace with a dot",
      { namespace: "a.b" },
      'metadata.namespace: Invalid value: "a.b": a lowercase RFC 1123 label',
    ],
    [
      "a negative generation",
      { generation: -1 },
      "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "an annotation key with a space",
      { annotations: { "a b": "" } },
      'metadata.annotations: Invalid value: "a b": name part',
    ],
    [
      "annotations of more than 256 KiB in bytes",
      { annotations: { a: "ä".repeat(131_072) } },
      "metadata.annotations: Too long: must have at most 262144 bytes",
    ],
  ])("%s is refused", (_, fields, line) => {
    expect(lines(validateMetadata(meta(fields), configMap))).toEqual([expect.stringContaining(line)]);
  });

  test("a bad generateName is told together with the name made of it", () => {
    const errors = validateMetadata(meta({ generateName: "A-", name: "A-bcdfg" }), node);
    expect(errors.map(({ field }) => field)).toEqual(["metadata.name", "metadata.namespace"]);
    const both = validateMetadata(meta({ generateName: "Ab-", name: "Ab-bcdfg" }), configMap);
    expect(both.map(({ field }) => field)).toEqual(["metadata.generateName", "metadata.name"]);
  });

  test("a cluster-scoped object has no namespace", () => {
    expect(lines(validateMetadata(meta(), node))).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type",
    ]);
  });

  test("all faults are told at once, in upstream's order", () => {
    const faulty = meta({
      name: "A",
      labels: { "-": "-" },
      annotations: { "-": "" },
      ownerReferences: [{ apiVersion: "v1", kind: "", name: "x", uid: "y" }],
      finalizers: ["foo"],
    });
    expect(validateMetadata(faulty, configMap).map(({ field }) => field)).toEqual([
      "metadata.name",
      "metadata.labels",
      "metadata.labels",
      "metadata.annotations",
      "metadata.ownerReferences.kind",
      "metadata.finalizers[0]",
    ]);
  });

  test("a custom resource may have a finalizer without a domain", () => {
    expect(validateMetadata(meta({ finalizers: ["foo"] }), custom)).toEqual([]);
  });
});

describe("metadata on update", () => {
  const terminating = meta({
    deletionTimestamp: "2026-11-20T11:00:00Z",
    deletionGracePeriodSeconds: 0,
    finalizers: ["x/a"],
  });

  test.each<[string, ObjectMeta, ObjectMeta]>([
    ["nothing", meta(), meta()],
    ["labels, annotations and owners", meta({ labels: { a: "b" }, annotations: { a: "b" } }), meta()],
    ["a finalizer on a live object", meta({ finalizers: ["x/a", "x/b"] }), meta({ finalizers: ["x/a"] })],
    ["a label on a terminating object", { ...terminating, labels: { a: "b" } }, terminating],
  ])("may change %s", (_, next, stored) => {
    expect(validateMetadataUpdate(next, stored, configMap)).toEqual([]);
  });

  test.each<[string, ObjectMeta, ObjectMeta, string]>([
    ["uid", meta({ uid: "v" }), meta(), 'metadata.uid: Invalid value: "v": field is immutable'],
    [
      "deletionTimestamp",
      meta({ deletionTimestamp: "2020-01-01T00:00:00Z" }),
      meta(),
      "metadata.deletionTimestamp: Invalid value: 2020-01-01 00:00:00 +0000 UTC: field is immutable",
    ],
    [
      "deletionGracePeriodSeconds",
      { ...terminating, deletionGracePeriodSeconds: 10 },
      terminating,
      "metadata.deletionGracePeriodSeconds: Invalid value: 10: field is immutable",
    ],
    [
      "the finalizers of a terminating object",
      { ...terminating, finalizers: ["x/a", "x/b"] },
      terminating,
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/b"}',
    ],
  ])("may not change %s, and says so twice as upstream does", (_, next, stored, line) => {
    expect(lines(validateMetadataUpdate(next, stored, configMap))).toEqual([line, line]);
    expect(lines(validateMetadataUpdate(next, stored, custom))).toEqual([line, line]);
  });

  test("a bad label is found by each of the four checks of a built-in kind, three of a custom one", () => {
    const faulty = meta({ labels: { a: "-" } });
    expect(validateMetadataUpdate(faulty, meta(), configMap)).toHaveLength(4);
    expect(validateMetadataUpdate(faulty, meta(), custom)).toHaveLength(3);
  });
});
