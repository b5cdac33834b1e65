import { describe, expect, test } from "vitest";
import { age, cells } from "./cells.fixture.ts";

describe("configuration and access", () => {
  const subjects = [
    { kind: "User", name: "ann" },
    { kind: "User", name: "bob" },
    { kind: "Group", name: "dev" },
    { kind: "ServiceAccount", namespace: "shop", name: "bot" },
  ];
  const signing = (conditions: string[], certificate = ""): object => ({
    spec: { signerName: "example.com/s", username: "ann" },
    status: { conditions: conditions.map((type) => ({ type })), certificate },
  });

  test.each<[what: string, path: string, fields: object, cells: unknown[]]>([
    ["config map", "/v1/configmaps", { data: { a: "1" }, binaryData: { b: "" } }, ["x", 2, age]],
    ["secret", "/v1/secrets", { type: "Opaque", data: { a: "MQ==" } }, ["x", "Opaque", 1, age]],
    ["service account", "/v1/serviceaccounts", { secrets: [{ name: "t" }] }, ["x", 1, age]],
    ["role", "rbac.authorization.k8s.io/v1/roles", {}, ["x", "2026-11-20T15:00:00Z"]],
    [
      "role binding",
      "rbac.authorization.k8s.io/v1/rolebindings",
      { roleRef: { kind: "Role", name: "edit" }, subjects },
      ["x", "Role/edit", age, "ann, bob", "dev", "shop/bot"],
    ],
    [
      "new signing request",
      "certificates.k8s.io/v1/certificatesigningrequests",
      { spec: { username: "ann" } },
      ["x", age, "<none>", "ann", "Pending"],
    ],
    [
      "issued signing request",
      "certificates.k8s.io/v1/certificatesigningrequests",
      signing(["Approved"], "LS0t"),
      ["x", age, "example.com/s", "ann", "Approved,Issued"],
    ],
    [
      "denied and failed signing request",
      "certificates.k8s.io/v1/certificatesigningrequests",
      signing(["Approved", "Denied", "Failed"]),
      ["x", age, "example.com/s", "ann", "Denied,Failed"],
    ],
  ])("%s", (_, path, fields, expected) => {
    expect(cells(path, fields)).toEqual(expected);
  });
});
