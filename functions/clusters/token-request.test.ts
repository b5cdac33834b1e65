import { describe, expect, test } from "vitest";
import { asObject } from "../objects/object.ts";
import { AUDIENCE, accountRole, decideTokenRequest } from "./token-request.ts";

describe("a request for a token", () => {
  test("is for an hour when it does not say, and for a year at most", () => {
    expect(decideTokenRequest({})).toEqual({
      ok: true,
      value: { expirationSeconds: 3600, boundTo: undefined },
    });
    const long = decideTokenRequest({ spec: { expirationSeconds: 2 ** 32, audiences: [AUDIENCE] } });
    expect(long).toMatchObject({ ok: true, value: { expirationSeconds: 31_536_000 } });
  });

  test.each([
    [{ expirationSeconds: 599 }, "may not specify a duration less than 10 minutes"],
    [{ expirationSeconds: 2 ** 32 + 1 }, "may not specify a duration larger than 2^32 seconds"],
    [{ expirationSeconds: "soon" }, "must be a number of seconds"],
    [{ audiences: ["vault"] }, `Unsupported value: "vault": supported values: "${AUDIENCE}"`],
  ])("%j is refused: %s", (spec, message) => {
    const outcome = decideTokenRequest({ spec });
    expect(outcome).toMatchObject({ ok: false, failure: { reason: "Invalid" } });
    expect(JSON.stringify(outcome)).toContain(JSON.stringify(message).slice(1, -1));
  });

  test("is bound to Pods and Secrets, and to nothing else", () => {
    const bound = (kind: string) =>
      decideTokenRequest({ spec: { boundObjectRef: { kind, apiVersion: "v1", name: "p", uid: "u" } } });
    expect(bound("Pod")).toMatchObject({
      ok: true,
      value: { boundTo: { kind: "Pod", name: "p", uid: "u" } },
    });
    expect(bound("ConfigMap")).toMatchObject({
      ok: false,
      failure: { reason: "BadRequest", message: "cannot bind token to object of type v1, Kind=ConfigMap" },
    });
  });
});

test.each([
  ["kube-system", undefined, "admin"],
  ["default", undefined, "view"],
  ["default", "node", "node"],
  ["kube-system", "view", "view"],
  ["default", "root", "view"],
])("a ServiceAccount in %s that names the role %s has %s", (namespace, role, expected) => {
  const annotations = role === undefined ? {} : { "gc.kubegc.dev/role": role };
  expect(accountRole(asObject({ metadata: { name: "a", namespace, annotations } }))).toBe(expected);
});
