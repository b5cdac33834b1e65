import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import { asUid, type KubeObject, timestamp } from "../../objects/object.ts";
import type { Role } from "../../objects/roles.ts";
import type { Mutation } from "../request.ts";
import { kindOf, NOW, stored, WIDGET } from "./decide.fixture.ts";
import { decideRequest } from "./request.ts";

const configMap = kindOf("configmaps");
const deployment = kindOf("deployments.apps");

interface Asked {
  kind?: Kind;
  manager?: string;
  role?: Role;
  found?: KubeObject;
}

/** What a request is decided to: the object that is written or answered and the code, or the refusal. */
function decided(
  mutation: Mutation,
  { kind = configMap, manager = "flux", role = "admin", found }: Asked = {},
) {
  const version = kind.versions[0] ?? "v1";
  const decision = decideRequest(
    { kind, version, principal: { user: "jane", role }, manager, dryRun: false, mutation },
    undefined,
    {
      namespace: { name: "team", state: "open" },
      found: found && {
        uid: asUid(found.metadata.uid),
        resource: kind.storedAs,
        resourceVersion: 7,
        deletion: null,
        object: found,
      },
      now: NOW,
      creation: { kind, version, namespace: "team", now: NOW, uid: asUid("uid-new"), random: () => 0 },
    },
  );
  if (!decision.ok) return decision.failure;
  const { write, answer, code, shownAs } = decision.value;
  const object = write?.op === "create" ? write.object : write?.op === "update" ? write.next : undefined;
  return {
    does: write?.op ?? "nothing",
    code,
    shownAs,
    object: object ?? (answer.as === "object" ? answer.object : undefined),
  };
}

function apply(
  fields: JsonObject,
  asked: Asked & { subresource?: "scale" | "status"; force?: boolean } = {},
) {
  const { kind = configMap, subresource, force = false } = asked;
  const head = { apiVersion: kind.group === "" ? "v1" : `${kind.group}/v1`, kind: kind.kind };
  const { metadata, ...rest } = fields;
  const text = JSON.stringify({ ...head, metadata: { name: "x", ...(metadata as JsonObject) }, ...rest });
  return decided({ verb: "apply", name: "x", subresource, text, force }, asked);
}

const applied = (manager: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager,
  operation: "Apply",
  apiVersion: "v1",
  time: "2020-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});

describe("where there is no object", () => {
  test("one is made", () => {
    expect(apply({ data: { a: "1" } })).toMatchObject({
      does: "create",
      code: 201,
      object: {
        metadata: {
          name: "x",
          namespace: "team",
          uid: "uid-new",
          managedFields: [applied("flux", { "f:data": { "f:a": {} } }, { time: timestamp(NOW) })],
        },
        data: { a: "1" },
      },
    });
  });

  test.each<[string, ReturnType<typeof apply>, object]>([
    [
      "a uid means one that has been there",
      apply({ metadata: { uid: "u" } }),
      {
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on configmaps "x": uid mismatch: the provided object specified uid u, and no existing object was found',
      },
    ],
    ["a resourceVersion does as well", apply({ metadata: { resourceVersion: "5" } }), { reason: "Unknown" }],
    ["another name is refused", apply({ metadata: { name: "y" } }), { reason: "BadRequest" }],
    [
      "a subresource makes nothing",
      apply({}, { kind: deployment, subresource: "status" }),
      { reason: "NotFound", name: "x" },
    ],
    [
      "who may not create is forbidden to",
      apply({}, { role: "node" }),
      {
        reason: "Forbidden",
        message: 'User "jane" cannot create resource "configmaps" in API group "" in the namespace "team"',
      },
    ],
  ])("%s", (_, outcome, refusal) => {
    expect(outcome).toMatchObject(refusal);
  });
});

describe("on an object that is there", () => {
  const owned = (fields: JsonObject, ...managedFields: JsonObject[]) =>
    stored(configMap, { metadata: { managedFields }, ...fields });

  test("the same again is no write", () => {
    const found = owned({ data: { a: "1" } }, applied("flux", { "f:data": { "f:a": {} } }));
    expect(apply({ data: { a: "1" } }, { found })).toMatchObject({ does: "nothing", object: found });
  });

  test("a change is one, with the owner's time", () => {
    const found = owned(
      { data: { a: "1", b: "2" } },
      applied("flux", { "f:data": { "f:a": {}, "f:b": {} } }),
    );
    const outcome = apply({ data: { a: "3" } }, { found });
    expect(outcome).toMatchObject({
      does: "update",
      object: {
        data: { a: "3" },
        metadata: { managedFields: [applied("flux", { "f:data": { "f:a": {} } }, { time: timestamp(NOW) })] },
      },
    });
  });

  test("another owner stands in the way, unless force is used", () => {
    const found = owned({ data: { a: "1" } }, applied("argo", { "f:data": { "f:a": {} } }));
    expect(apply({ data: { a: "2" } }, { found })).toEqual({
      reason: "ApplyConflict",
      message: 'Apply failed with 1 conflict: conflict with "argo": .data.a',
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "argo"', field: ".data.a" }],
    });
    expect(apply({ data: { a: "2" } }, { found, force: true })).toMatchObject({
      does: "update",
      object: { data: { a: "2" } },
    });
  });

  test.each([
    ["a stale resourceVersion", { resourceVersion: "5" }, "Conflict"],
    ["another uid", { uid: "u" }, "Invalid"],
    ["another name", { name: "y" }, "BadRequest"],
    ["managedFields", { managedFields: [] }, "BadRequest"],
    ["labels that are no text", { labels: { a: 1 } }, "Invalid"],
  ])("%s is refused", (_, metadata, reason) => {
    expect(apply({ metadata }, { found: owned({}) })).toMatchObject({ reason });
  });

  test("null where a template has no time yet is nothing to remark on", () => {
    const metadata = { creationTimestamp: null, labels: { a: "b" } };
    expect(apply({ metadata }, { found: owned({}) })).toMatchObject({
      does: "update",
      object: { metadata: { labels: { a: "b" } } },
    });
  });

  test("a scale is applied as the number of replicas it is", () => {
    const found = stored(deployment, {
      metadata: {
        managedFields: [applied("flux", { "f:spec": { "f:replicas": {} } }, { apiVersion: "apps/v1" })],
      },
      spec: { replicas: 1 },
    });
    const text = JSON.stringify({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "x" },
      spec: { replicas: 3 },
    });
    const scale = (force: boolean) =>
      decided(
        { verb: "apply", name: "x", subresource: "scale", text, force },
        { kind: deployment, manager: "hpa", found },
      );
    expect(scale(false)).toMatchObject({ reason: "ApplyConflict" });
    expect(scale(true)).toMatchObject({
      does: "update",
      shownAs: "scale",
      object: {
        spec: { replicas: 3 },
        metadata: {
          managedFields: [{ manager: "hpa", subresource: "scale", apiVersion: "apps/v1" }],
        },
      },
    });
  });

  test("a custom object needs no resourceVersion", () => {
    const found = stored(WIDGET, { spec: { size: 1 } });
    expect(apply({ spec: { color: "red" } }, { kind: WIDGET, found })).toMatchObject({
      does: "update",
      object: { spec: { size: 1, color: "red" } },
    });
  });
});

describe("what other writes make of the owners", () => {
  const body = (fields: JsonObject) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, ...fields });
  const found = stored(configMap, {
    metadata: { managedFields: [applied("flux", { "f:data": { "f:a": {} } })] },
    data: { a: "1" },
  });
  const update = (fields: JsonObject): Mutation => ({
    verb: "update",
    name: "x",
    subresource: undefined,
    text: body(fields),
    mediaType: "application/json",
  });
  const patch = (change: JsonObject): Mutation => ({
    verb: "patch",
    name: "x",
    subresource: undefined,
    type: "merge",
    text: JSON.stringify(change),
  });

  test("an update takes over what it changes", () => {
    expect(decided(update({ data: { a: "2" } }), { found, manager: "kubectl" })).toMatchObject({
      does: "update",
      object: {
        metadata: {
          managedFields: [{ manager: "kubectl", operation: "Update", fieldsV1: { "f:data": { "f:a": {} } } }],
        },
      },
    });
  });

  test.each<[string, Mutation]>([
    ["an update", update({ data: { a: "1" } })],
    ["a patch", patch({ data: { a: "1" } })],
  ])("%s that changes nothing is no write", (_, mutation) => {
    expect(decided(mutation, { found, manager: "kubectl" })).toMatchObject({
      does: "nothing",
      object: found,
    });
  });

  test.each<[string, JsonObject[]]>([
    ["an empty list", []],
    ["one empty entry", [{}]],
  ])("%s clears them", (_, managedFields) => {
    const outcome = decided(patch({ metadata: { managedFields } }), { found });
    expect(outcome).toMatchObject({ does: "update" });
    expect(JSON.stringify(outcome)).not.toContain("managedFields");
  });

  test("what cannot be understood is ignored", () => {
    const outcome = decided(patch({ metadata: { managedFields: [{ manager: "me" }] } }), { found });
    expect(outcome).toMatchObject({ does: "nothing" });
  });
});
