import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../object.ts";
import { duplicatesWarning, validateOwnerReferences, withoutDuplicates } from "./owner-references.ts";

const owner = (fields: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "Pod",
  name: "p",
  uid: "u",
  ...fields,
});

describe("owner references", () => {
  test.each<[string, OwnerReference[]]>([
    ["to what need not exist", [owner()]],
    ["with one controller", [owner({ controller: true }), owner({ uid: "v" })]],
    ["with one controller and one that is not", [owner({ controller: true }), owner({ controller: false })]],
    ["to an event of the newer group", [owner({ apiVersion: "events.k8s.io/v1", kind: "Event" })]],
    ["to a core version with a slash before it", [owner({ apiVersion: "/v1" })]],
    ["without any", []],
  ])("%s are accepted", (_, references) => {
    expect(validateOwnerReferences(references)).toEqual([]);
  });

  test("a reference with nothing in it has four faults, in upstream's order", () => {
    const empty = { apiVersion: "", kind: "", name: "", uid: "" };
    expect(validateOwnerReferences([empty]).map(({ field }) => field)).toEqual([
      "metadata.ownerReferences.apiVersion",
      "metadata.ownerReferences.kind",
      "metadata.ownerReferences.name",
      "metadata.ownerReferences.uid",
    ]);
  });

  test.each(["", "/", "apps/", "a/b/c"])("apiVersion %j has no version", (apiVersion) => {
    expect(validateOwnerReferences([owner({ apiVersion })])).toEqual([
      {
        field: "metadata.ownerReferences.apiVersion",
        type: "FieldValueInvalid",
        message: `Invalid value: "${apiVersion}": version must not be empty`,
      },
    ]);
  });

  test("each further controller is told against the first", () => {
    const references = ["a", "b", "c"].map((name) => owner({ name, controller: true }));
    const ends = validateOwnerReferences(references).map(
      ({ message }) => message.split("references for ")[1],
    );
    expect(ends).toEqual(["a and b", "a and c"]);
  });

  test("a core event cannot own", () => {
    const [error] = validateOwnerReferences([owner({ apiVersion: "/v1", kind: "Event" })]);
    expect(error?.message).toContain("/v1, Kind=Event is disallowed from being an owner");
  });
});

describe("duplicates", () => {
  test("equal references become one, and each one left out is named", () => {
    const references = [owner(), owner({ uid: "v" }), owner(), owner(), owner({ uid: "v" })];
    expect(withoutDuplicates(references)).toEqual({
      refs: [owner(), owner({ uid: "v" })],
      duplicates: ["u", "u", "v"],
    });
  });

  test.each<[string, Partial<OwnerReference>]>([
    ["blocks", { blockOwnerDeletion: true }],
    ["says that it does not block", { blockOwnerDeletion: false }],
    ["says that it is no controller", { controller: false }],
    ["has another name", { name: "q" }],
  ])("a reference of the same uid that %s is another one", (_, fields) => {
    const references = [owner(), owner(fields)];
    expect(withoutDuplicates(references)).toEqual({ refs: references, duplicates: [] });
  });

  test("the warning lists the uids", () => {
    expect(duplicatesWarning(["u", "v"])).toMatch(/duplicate UID\(s\) observed: u, v$/);
  });
});
