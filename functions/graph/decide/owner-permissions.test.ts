import { describe, expect, test } from "vitest";
import { kindRegistry } from "../../objects/kinds/registry.ts";
import type { OwnerReference } from "../../objects/object.ts";
import type { Role } from "../../objects/roles.ts";
import { type OwnerChange, ownerPermissionFailure } from "./owner-permissions.ts";

const kinds = kindRegistry([]);
const pods = kinds.served("", "v1", "pods");
if (pods === undefined) throw new Error("pods are not among the kinds");

const owner = (fields: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "ReplicationController",
  name: "rc",
  uid: "u1",
  ...fields,
});

/** `node` may create Pods, but neither update them nor set anybody's finalizers. */
const refusalOf = (role: Role, change: Partial<OwnerChange>): string | undefined => {
  const failure = ownerPermissionFailure(
    {
      principal: { user: "somebody", role },
      kind: pods,
      operation: "create",
      subresource: undefined,
      namespace: "a",
      name: "p",
      before: [],
      after: [],
      ...change,
    },
    kinds,
  );
  return failure && "message" in failure ? failure.message : undefined;
};

describe("a user who may create Pods and set nobody's finalizers", () => {
  test("32: may create one with a reference that does not block", () => {
    expect(refusalOf("node", { after: [owner()] })).toBeUndefined();
    expect(refusalOf("node", { after: [owner({ blockOwnerDeletion: false })] })).toBeUndefined();
  });

  test("35: may not make a reference block its owner", () => {
    expect(refusalOf("node", { after: [owner({ blockOwnerDeletion: true })] })).toContain(
      "can't set finalizers on",
    );
  });

  test("39: may not block an owner of an unknown kind", () => {
    const after = [owner({ apiVersion: "unknown/v1", kind: "Foo", blockOwnerDeletion: true })];
    expect(refusalOf("node", { after })).toContain(
      "cannot find RESTMapping for APIVersion unknown/v1 Kind Foo",
    );
  });
});

describe("a user who may not delete the object", () => {
  const operation = "update" as const;

  test.each([
    ["adding", { before: [], after: [owner()] }],
    ["removing", { before: [owner()], after: [] }],
    ["altering", { before: [owner()], after: [owner({ controller: true })] }],
  ])("33: may not change its references by %s one", (_, change) => {
    expect(refusalOf("view", { operation, ...change })).toContain("a resource you can't delete");
  });

  test("34: may change anything else of it", () => {
    expect(refusalOf("view", { operation, before: [owner()], after: [owner()] })).toBeUndefined();
  });

  test("40: is not asked about a Pod's status", () => {
    expect(refusalOf("view", { operation, subresource: "status", after: [owner()] })).toBeUndefined();
  });
});

describe("a user who may delete the object but set nobody's finalizers", () => {
  const operation = "update" as const;
  const blocking = owner({ blockOwnerDeletion: true });

  test("36: may make a blocking reference block no more, or drop it", () => {
    expect(refusalOf("node", { operation, before: [blocking], after: [owner()] })).toBeUndefined();
    expect(refusalOf("node", { operation, before: [blocking], after: [] })).toBeUndefined();
  });

  test("37: is not asked again about one that blocked before", () => {
    const after = [blocking, owner({ uid: "u2", name: "other" })];
    expect(refusalOf("node", { operation, before: [blocking], after })).toBeUndefined();
  });
});

test("38: a user who may do everything may block any owner, known or not", () => {
  const after = [owner({ apiVersion: "unknown/v1", kind: "Foo", blockOwnerDeletion: true })];
  expect(refusalOf("admin", { after })).toBeUndefined();
});
