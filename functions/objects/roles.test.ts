import { describe, expect, test } from "vitest";
import { type Attributes, allows, type Role } from "./roles.ts";

const may = (role: Role, verb: string, resource: string, more: Partial<Attributes> = {}): boolean =>
  allows(
    { user: "somebody", role },
    { verb, group: "", resource, subresource: undefined, namespace: "a", name: "x", ...more },
  );

describe("the role", () => {
  test.each<[Role, string, string, Partial<Attributes>, boolean]>([
    ["admin", "delete", "namespaces", {}, true],
    ["admin", "update", "widgets", { group: "example.com", subresource: "finalizers" }, true],
    ["view", "get", "configmaps", {}, true],
    ["view", "watch", "widgets", { group: "example.com" }, true],
    ["view", "list", "secrets", {}, false],
    ["view", "create", "configmaps", {}, false],
    ["view", "delete", "pods", {}, false],
    ["view", "deletecollection", "pods", {}, false],
    ["node", "get", "secrets", {}, true],
    ["node", "patch", "nodes", { subresource: "status" }, true],
    ["node", "update", "leases", { group: "coordination.k8s.io" }, true],
    ["node", "update", "leases", { group: "example.com" }, false],
    ["node", "update", "pods", {}, false],
    ["node", "update", "pods", { subresource: "status" }, true],
    ["node", "delete", "configmaps", {}, false],
    ["view", "create", "selfsubjectaccessreviews", { group: "authorization.k8s.io" }, true],
    ["node", "create", "selfsubjectreviews", { group: "authentication.k8s.io" }, true],
  ])("%s: %s %s %j is %s", (role, verb, resource, more, expected) => {
    expect(may(role, verb, resource, more)).toBe(expected);
  });

  test("secrets of another group are not Secrets", () => {
    expect(may("view", "get", "secrets", { group: "vault.example.com" })).toBe(true);
  });
});
