import { describe, expect, it, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const across = { namespaced: true, namespace: undefined };
const inside = { namespaced: true, namespace: "team" };
const clusterScoped = { namespaced: false, namespace: undefined };

const token = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
const inside64 = (text: string) => JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));

describe("a continue token", () => {
  it("has upstream's form", () => {
    const after = { namespace: "team", name: "web" };
    const encode = (place: typeof inside | typeof across) =>
      inside64(encodeContinue({ resourceVersion: 7, after, remaining: 3 }, place));
    expect(encode(inside)).toEqual({ v: "meta.k8s.io/v1", rv: 7, start: "web\0", n: 3 });
    expect(encode(across)).toEqual({ v: "meta.k8s.io/v1", rv: 7, start: "team/web\0", n: 3 });
  });

  it.each([
    ["in a namespace", inside, { namespace: "team", name: "web" }],
    ["across namespaces", across, { namespace: "team", name: "web" }],
    ["of a cluster-scoped kind", clusterScoped, { namespace: "", name: "web" }],
    ["with a name that is not ASCII", clusterScoped, { namespace: "", name: "rôle-✓" }],
  ])("comes back as it was made: %s", (_, place, after) => {
    const made = { resourceVersion: 7, after, remaining: undefined };
    expect(decodeContinue(encodeContinue(made, place), place)).toEqual({ ok: true, value: made });
  });

  it("goes on at the newest version when it says so", () => {
    const made = { resourceVersion: undefined, after: { namespace: "team", name: "web" } };
    const text = encodeContinue(made, inside);
    expect(inside64(text).rv).toBe(-1);
    expect(decodeContinue(text, inside)).toMatchObject({ ok: true, value: { resourceVersion: undefined } });
  });

  const valid = { v: "meta.k8s.io/v1", rv: 7, start: "web\0" };
  test.each([
    ["no base64", "a*b", "illegal base64 data at input byte 1"],
    ["no JSON", "zzz", "invalid character 'Ï' looking for beginning of value"],
    ["half a JSON", btoa('{"v":').replaceAll("=", ""), "unexpected end of JSON input"],
    ["no object", token([]), "server does not recognize this encoded version "],
    ["another version", token({ ...valid, v: "v9" }), "server does not recognize this encoded version v9"],
    [
      "no resourceVersion",
      token({ ...valid, rv: 0 }),
      "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    ["no key", token({ ...valid, start: "" }), "encoded start key empty (version meta.k8s.io/v1)"],
    ["a key that goes up", token({ ...valid, start: "../other/web\0" }), "../other/web\0"],
    ["a key of another kind of list", token({ ...valid, start: "team/web\0" }), "team/web\0"],
  ])("is refused: %s", (_, text, why) => {
    expect(decodeContinue(text, inside)).toEqual({
      ok: false,
      failure: {
        reason: "BadRequest",
        message: `invalid continue token: continue key is not valid: ${why}`,
      },
    });
  });
});
