import { describe, expect, test } from "vitest";
import type { Failure } from "../failure.ts";
import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { groupResource, type ObjectMeta } from "../object.ts";
import { prepareMetadataForCreate, prepareMetadataForUpdate, urlMismatch } from "./updates.ts";

const kindOf = (resource: string): Kind => builtInKinds.find((kind) => kind.resource === resource) as Kind;
const configMap = kindOf("configmaps");
const replicaSet = kindOf("replicasets");
const custom: Kind = {
  ...configMap,
  group: "example.com",
  kind: "Widget",
  resource: "widgets",
  traits: { ...configMap.traits, custom: true, countsGenerations: true },
};

const create = (sent: JsonObject, kind = configMap, namespace = "ns") =>
  prepareMetadataForCreate(sent, { kind, namespace, uid: "new", now: 1_000, random: () => 0 });

describe("on create", () => {
  test("the server's fields are set and the deletion's are wiped", () => {
    const sent = {
      name: "a",
      uid: "mine",
      creationTimestamp: "2000-01-01T00:00:00Z",
      deletionTimestamp: "2000-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      labels: { a: "b" },
      finalizers: ["x/a"],
    };
    expect(create(sent)).toEqual({
      ok: true,
      value: {
        name: "a",
        namespace: "ns",
        uid: "new",
        creationTimestamp: "1970-01-01T00:00:01Z",
        labels: { a: "b" },
        finalizers: ["x/a"],
      },
    });
  });

  test.each<[string, JsonObject, Kind, string, Partial<ObjectMeta>]>([
    ["takes the namespace of the path", { name: "a" }, configMap, "ns", { namespace: "ns" }],
    ["keeps the same namespace", { name: "a", namespace: "ns" }, configMap, "ns", { namespace: "ns" }],
    [
      "starts the generation at 1 where it counts",
      { name: "a", generation: 7 },
      replicaSet,
      "ns",
      { generation: 1 },
    ],
    [
      "keeps the generation where it does not",
      { name: "a", generation: 7 },
      configMap,
      "ns",
      { generation: 7 },
    ],
    ["generates a name", { generateName: "a-" }, configMap, "ns", { name: "a-bbbbb", generateName: "a-" }],
    [
      "prefers the name",
      { name: "x", generateName: "a-" },
      configMap,
      "ns",
      { name: "x", generateName: "a-" },
    ],
    ["takes resourceVersion 0 for none", { name: "a", resourceVersion: "0" }, configMap, "ns", { name: "a" }],
    ["takes no number for none", { name: "a", resourceVersion: "x" }, configMap, "ns", { name: "a" }],
  ])("%s", (_, sent, kind, namespace, fields) => {
    const meta = create(sent, kind, namespace);
    expect(meta).toMatchObject({ ok: true, value: fields });
    expect(meta.ok && meta.value.resourceVersion).toBeUndefined();
  });

  test("a cluster-scoped object loses its namespace", () => {
    const meta = create({ name: "a", namespace: "b" }, kindOf("nodes"), "");
    expect(meta.ok && Object.keys(meta.value)).toEqual(["name", "uid", "creationTimestamp"]);
  });

  test.each<[string, JsonObject, Failure["reason"]]>([
    ["another namespace", { name: "a", namespace: "b" }, "BadRequest"],
    ["a resourceVersion", { name: "a", resourceVersion: "5" }, "Unknown"],
    ["a resourceVersion, when metadata is faulty as well", { name: "A", resourceVersion: "5" }, "Invalid"],
  ])("%s is refused", (_, sent, reason) => {
    expect(create(sent)).toMatchObject({ ok: false, failure: { reason } });
  });
});

const stored: ObjectMeta = {
  name: "a",
  namespace: "ns",
  uid: "u",
  resourceVersion: "5",
  generation: 3,
  creationTimestamp: "2026-11-20T10:00:00Z",
  labels: { old: "label" },
};
const terminating: ObjectMeta = {
  ...stored,
  deletionTimestamp: "2026-11-20T11:00:00Z",
  deletionGracePeriodSeconds: 0,
};
const update = (
  sent: JsonObject,
  from = stored,
  { kind = configMap, verb = "update" }: { kind?: Kind; verb?: "update" | "patch" } = {},
) => {
  const resource = groupResource(kind.group, kind.resource);
  return prepareMetadataForUpdate({ name: "a", ...sent }, from, { kind, verb, resource });
};

describe("on update", () => {
  test("what the server owns is restored and the rest is as sent", () => {
    const sent = {
      creationTimestamp: "2000-01-01T00:00:00Z",
      generation: 9,
      annotations: { a: "b" },
      labels: {},
    };
    const { labels: _, ...owned } = stored;
    expect(update(sent)).toEqual({ ok: true, value: { ...owned, annotations: { a: "b" } } });
  });

  test.each<[string, JsonObject]>([
    ["nothing", {}],
    ["another time", { deletionTimestamp: "2030-01-01T00:00:00Z" }],
    ["the same grace", { deletionGracePeriodSeconds: 0 }],
  ])("a terminating object stays as it is when %s is sent", (_, sent) => {
    expect(update(sent, terminating)).toMatchObject({
      ok: true,
      value: { deletionTimestamp: terminating.deletionTimestamp, deletionGracePeriodSeconds: 0 },
    });
  });

  test.each<[string, JsonObject, ObjectMeta, Partial<ObjectMeta>]>([
    [
      "a deletionTimestamp on a live object",
      { deletionTimestamp: "2030-01-01T00:00:00Z" },
      stored,
      { deletionTimestamp: "2030-01-01T00:00:00Z" },
    ],
    ["another grace", { deletionGracePeriodSeconds: 10 }, terminating, { deletionGracePeriodSeconds: 10 }],
  ])("%s is left for validation to refuse", (_, sent, from, fields) => {
    expect(update(sent, from)).toMatchObject({ ok: true, value: fields });
  });

  test("another uid is a conflict for a PUT and left to validation for a PATCH", () => {
    expect(update({ uid: "v" })).toMatchObject({ ok: false, failure: { reason: "Conflict" } });
    expect(update({ uid: "v" }, stored, { verb: "patch" })).toMatchObject({ ok: true, value: { uid: "v" } });
  });

  test("the conflict names the key of a custom resource with its group", () => {
    const message = expect.stringContaining("Key: /registry/example.com/widgets/ns/a,");
    const outcome = update({ uid: "v" }, stored, { kind: custom });
    expect(outcome).toMatchObject({ ok: false, failure: { subject: "widgets.example.com", message } });
  });

  test.each(["5", "05", "0", ""])("resourceVersion %j passes", (resourceVersion) => {
    expect(update({ resourceVersion })).toMatchObject({ ok: true, value: { resourceVersion: "5" } });
  });

  test.each([
    [
      "4",
      "Conflict",
      "the object has been modified; please apply your changes to the latest version and try again",
    ],
    ["abc", "Unknown", 'strconv.ParseUint: parsing "abc": invalid syntax'],
    ["-1", "Unknown", 'strconv.ParseUint: parsing "-1": invalid syntax'],
    [
      "18446744073709551616",
      "Unknown",
      'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
  ])("resourceVersion %j is refused as %s", (resourceVersion, reason, message) => {
    expect(update({ resourceVersion })).toMatchObject({
      ok: false,
      failure: { reason, message: expect.stringContaining(message) },
    });
  });

  test("a custom resource must name its resourceVersion", () => {
    expect(update({}, stored, { kind: custom })).toEqual({
      ok: false,
      failure: {
        reason: "Invalid",
        group: "example.com",
        kind: "Widget",
        name: "a",
        errors: [
          {
            field: "metadata.resourceVersion",
            type: "FieldValueInvalid",
            message: "Invalid value: 0x0: must be specified for an update",
          },
        ],
      },
    });
  });
});

describe("against the path", () => {
  const url = { name: "owner", namespace: "ns" };

  test.each([{ name: "owner" }, { name: "owner", namespace: "ns" }])("%j belongs there", (meta) => {
    expect(urlMismatch(meta, url)).toBeUndefined();
  });

  test.each([
    [{ name: "other" }, "the name of the object (other) does not match the name on the URL (owner)"],
    [{}, "the name of the object (owner based on URL) was undeterminable: name must be provided"],
    [
      { name: "owner", namespace: "b" },
      "the namespace of the object (b) does not match the namespace on the request (ns)",
    ],
  ])("%j does not", (meta, message) => {
    expect(urlMismatch(meta, url)).toEqual({ reason: "BadRequest", message });
  });

  test("a cluster-scoped path does not care for the namespace", () => {
    expect(urlMismatch({ name: "owner", namespace: "b" }, { name: "owner", namespace: "" })).toBeUndefined();
  });
});
