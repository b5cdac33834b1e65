import { describe, expect, it, test } from "vitest";
import type { Failure } from "../objects/failure.ts";
import { encodeContinue } from "./continue-token.ts";
import { booleanParameter, decodeListOptions, decodeWatchOptions } from "./list-options.ts";

const place = { namespaced: true, namespace: "team" };
const after = { namespace: "team", name: "web" };
const token = encodeContinue({ resourceVersion: 7, after, remaining: 2 }, place);

const list = (query: string) => decodeListOptions(new URLSearchParams(query), place);
const watch = (query: string) => decodeWatchOptions(new URLSearchParams(query));
const told = (failure: Failure) =>
  failure.reason === "Invalid"
    ? failure.errors.map(({ field, message }) => `${field}: ${message}`)
    : [failure.reason, "message" in failure && failure.message];

describe("a list shows", () => {
  test.each([
    ["", { kind: "newest", atLeast: 0 }],
    ["resourceVersion=0", { kind: "newest", atLeast: 0 }],
    ["resourceVersion=5", { kind: "newest", atLeast: 5 }],
    ["resourceVersion=5&resourceVersionMatch=NotOlderThan", { kind: "newest", atLeast: 5 }],
    ["resourceVersion=0&resourceVersionMatch=NotOlderThan", { kind: "newest", atLeast: 0 }],
    ["resourceVersion=5&resourceVersionMatch=Exact", { kind: "exact", resourceVersion: 5 }],
    ["limit=2", { kind: "newest", atLeast: 0 }],
    ["limit=2&resourceVersion=0", { kind: "newest", atLeast: 0 }],
    ["limit=2&resourceVersion=5", { kind: "exact", resourceVersion: 5 }],
    ["limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan", { kind: "newest", atLeast: 5 }],
    [`limit=2&continue=${token}`, { kind: "continued", resourceVersion: 7, after, remaining: 2 }],
    [`continue=${token}&resourceVersion=0`, { kind: "continued", resourceVersion: 7, after, remaining: 2 }],
  ])("for %j the right moment", (query, moment) => {
    expect(list(query)).toMatchObject({ ok: true, value: { moment } });
  });
});

describe("a list is refused", () => {
  const MATCH = "resourceVersionMatch";
  test.each([
    ["limit=abc", ["BadRequest", 'strconv.ParseInt: parsing "abc": invalid syntax']],
    [
      "limit=99999999999999999999",
      ["BadRequest", 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ],
    ["limit=-1", ["BadRequest", "limit: Invalid value: -1: must be greater than or equal to 0"]],
    ["timeoutSeconds=soon", ["BadRequest", 'strconv.ParseInt: parsing "soon": invalid syntax']],
    [
      "resourceVersion=abc",
      [
        "BadRequest",
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      ],
    ],
    [
      `continue=${token}&resourceVersion=5`,
      ["BadRequest", "specifying resource version is not allowed when using continue"],
    ],
    [
      "resourceVersionMatch=Exact",
      [`${MATCH}: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`],
    ],
    [
      `resourceVersion=5&resourceVersionMatch=Exact&continue=${token}`,
      [`${MATCH}: Forbidden: resourceVersionMatch is forbidden when continue is provided`],
    ],
    [
      "resourceVersion=5&resourceVersionMatch=Newer",
      [`${MATCH}: Unsupported value: "Newer": supported values: "Exact", "NotOlderThan", ""`],
    ],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      [`${MATCH}: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`],
    ],
    ["sendInitialEvents=true", ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"]],
  ])("with %j", (query, why) => {
    const options = list(query);
    expect(options.ok ? options.value : told(options.failure)).toEqual(why);
  });

  it("as ListOptions of meta.k8s.io", () => {
    expect(list("resourceVersionMatch=Exact")).toMatchObject({
      failure: { reason: "Invalid", group: "meta.k8s.io", kind: "ListOptions", name: "" },
    });
  });
});

describe("a watch", () => {
  test.each([
    ["", { resourceVersion: 0, bookmarks: false, sendInitialEvents: undefined, timeoutSeconds: 0 }],
    [
      "resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=30",
      { resourceVersion: 5, bookmarks: true, timeoutSeconds: 30 },
    ],
    ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan", { sendInitialEvents: true }],
    ["sendInitialEvents=false&resourceVersionMatch=NotOlderThan", { sendInitialEvents: false }],
  ])("may be asked for with %j", (query, options) => {
    expect(watch(query)).toMatchObject({ ok: true, value: options });
  });

  const MATCH = "resourceVersionMatch";
  test.each([
    [
      "sendInitialEvents=true",
      [`${MATCH}: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`],
    ],
    [
      "sendInitialEvents=true&resourceVersionMatch=Exact",
      [
        `${MATCH}: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
        `${MATCH}: Unsupported value: "Exact": supported values: "NotOlderThan"`,
      ],
    ],
    [
      "resourceVersionMatch=NotOlderThan",
      [
        `${MATCH}: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
      ],
    ],
    [
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
      [`${MATCH}: Forbidden: resourceVersionMatch is forbidden when continue is provided`],
    ],
    ["timeoutSeconds=soon", ["BadRequest", 'strconv.ParseInt: parsing "soon": invalid syntax']],
    [
      "resourceVersion=-1",
      [
        "BadRequest",
        'invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
      ],
    ],
  ])("is refused with %j", (query, why) => {
    const options = watch(query);
    expect(options.ok ? options.value : told(options.failure)).toEqual(why);
  });
});

describe("a flag", () => {
  test.each([
    ["", undefined],
    ["watch", true],
    ["watch=", true],
    ["watch=1", true],
    ["watch=yes", true],
    ["watch=0", false],
    ["watch=False", false],
  ])("reads %j as upstream does", (query, value) => {
    expect(booleanParameter(new URLSearchParams(query), "watch")).toBe(value);
  });
});
