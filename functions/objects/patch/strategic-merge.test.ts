import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { mergeRulesOf } from "./merge-keys.ts";
import { mergePatch } from "./merge-patch.ts";
import { strategicMerge } from "./strategic-merge.ts";

const merged = (original: JsonObject, patch: JsonObject, kind = "Pod") => {
  const outcome = strategicMerge(original, patch, mergeRulesOf(kind));
  return outcome.ok ? outcome.value : outcome.failure;
};

const owner = (uid: string, name = `owner-${uid}`) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid });
const ownedBy = (...ownerReferences: Json[]) => ({ metadata: { ownerReferences } });
const finalizedBy = (...finalizers: string[]) => ({ metadata: { finalizers } });
const running = (...containers: Json[]) => ({ spec: { containers } });

describe("owner references", () => {
  test.each<[string, Json[], Json[], Json[]]>([
    ["another owner is added, before the others", [owner("1")], [owner("2")], [owner("2"), owner("1")]],
    [
      "a reference of the same uid is changed in place",
      [owner("1"), owner("2")],
      [{ uid: "2", blockOwnerDeletion: false }],
      [owner("1"), { ...owner("2"), blockOwnerDeletion: false }],
    ],
    ["one is deleted by its uid", [owner("1"), owner("2")], [{ $patch: "delete", uid: "1" }], [owner("2")]],
    ["deleting an absent one changes nothing", [owner("1")], [{ $patch: "delete", uid: "9" }], [owner("1")]],
    [
      "an item says that the others replace the list",
      [owner("1")],
      [owner("2"), { $patch: "replace" }],
      [owner("2")],
    ],
    [
      "a field of one is deleted by null",
      [owner("1")],
      [{ uid: "1", kind: null }],
      [{ apiVersion: "v1", name: "owner-1", uid: "1" }],
    ],
    ["an empty patch list changes nothing", [owner("1")], [], [owner("1")]],
  ])("%s", (_, current, patch, expected) => {
    expect(merged(ownedBy(...current), ownedBy(...patch))).toEqual(ownedBy(...expected));
  });

  test("deletions and nulls of a list that is not there yet are not stored", () => {
    const patch = ownedBy(
      { $patch: "replace" },
      { $patch: "delete", uid: "1" },
      { ...owner("2"), controller: null },
    );
    expect(merged({ metadata: {} }, patch)).toEqual(ownedBy(owner("2")));
  });

  test("null deletes them all", () => {
    expect(merged(ownedBy(owner("1")), { metadata: { ownerReferences: null } })).toEqual({ metadata: {} });
  });
});

describe("finalizers", () => {
  const current = finalizedBy("x/a", "x/b", "x/c");
  test.each<[string, JsonObject, string[]]>([
    ["merge as a set", { finalizers: ["x/z", "x/b"] }, ["x/z", "x/a", "x/b", "x/c"]],
    ["are deleted one by one", { "$deleteFromPrimitiveList/finalizers": ["x/a", "x/nope"] }, ["x/b", "x/c"]],
    [
      "are deleted and added in one patch",
      { "$deleteFromPrimitiveList/finalizers": ["x/a", "x/b"], finalizers: ["x/d"] },
      ["x/d", "x/c"],
    ],
    [
      "are put in order, the server's own where they best fit",
      { "$setElementOrder/finalizers": ["x/c", "x/z", "x/a"], finalizers: ["x/z"] },
      ["x/b", "x/c", "x/z", "x/a"],
    ],
    ["are replaced with their object", { $patch: "replace", finalizers: ["x/z"] }, ["x/z"]],
  ])("%s", (_, metadata, finalizers) => {
    expect(merged(current, { metadata })).toEqual({ metadata: { finalizers } });
  });
});

describe("containers", () => {
  const web = { name: "web", image: "nginx:1", env: [{ name: "A", value: "1" }], command: ["a", "b"] };
  const log = { name: "log", image: "fluent:1" };

  test("an image changes by name; the other containers and the order stay", () => {
    expect(merged(running(web, log), running({ name: "log", image: "fluent:2" }))).toEqual(
      running(web, { ...log, image: "fluent:2" }),
    );
  });

  test("env merges by name inside its container, and command is replaced", () => {
    const change = { name: "web", env: [{ name: "B", value: "2" }], command: ["c"] };
    const env = [
      { name: "B", value: "2" },
      { name: "A", value: "1" },
    ];
    expect(merged(running(web, log), running(change))).toEqual(running({ ...web, env, command: ["c"] }, log));
  });

  test("$setElementOrder alone puts them in order", () => {
    const order = { "$setElementOrder/containers": [{ name: "log" }, { name: "web" }] };
    expect(merged(running(web, log), { spec: order })).toEqual(running(log, web));
  });

  test("$setElementOrder is checked for a list that is new", () => {
    const patch = { ...running(web).spec, "$setElementOrder/containers": [{ name: "log" }] };
    expect(merged({ spec: {} }, { spec: patch })).toMatchObject({
      reason: "Unknown",
      message: expect.stringMatching(/^The order in patch list:/),
    });
  });

  test("$setElementOrder of an absent list adds nothing", () => {
    const order = { "$setElementOrder/containers": [{ name: "log" }] };
    expect(merged({ spec: {} }, { spec: order })).toEqual({ spec: {} });
  });

  test("$retainKeys drops the volume source that the patch does not name", () => {
    const volume = { name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } };
    expect(
      merged({ spec: { volumes: [{ name: "v", emptyDir: {} }] } }, { spec: { volumes: [volume] } }),
    ).toEqual({ spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] } });
  });

  test("lists without a merge key are replaced, in templates too", () => {
    const deployment = (container: Json, tolerations: Json) => ({
      spec: { template: { spec: { containers: [container], tolerations } } },
    });
    expect(
      merged(
        deployment(web, [{ key: "a" }]),
        deployment({ name: "web", image: "nginx:2" }, [{ key: "b", value: null }]),
        "Deployment",
      ),
    ).toEqual(deployment({ ...web, image: "nginx:2" }, [{ key: "b" }]));
  });
});

describe("objects", () => {
  const current = { data: { k: "v", l: "w" } };
  test.each<[string, JsonObject, JsonObject]>([
    ["merge field by field", { data: { k: "2" } }, { data: { k: "2", l: "w" } }],
    ["$patch: merge is the default", { data: { $patch: "merge", k: "2" } }, { data: { k: "2", l: "w" } }],
    ["$patch: replace", { data: { $patch: "replace", k: "2" } }, { data: { k: "2" } }],
    ["$patch: delete empties", { data: { $patch: "delete" } }, { data: {} }],
    [
      "$patch: replace of an absent object adds it",
      { spec: { $patch: "replace", k: "2" } },
      { ...current, spec: { k: "2" } },
    ],
    ["$patch: delete of an absent object does nothing", { spec: { $patch: "delete", k: "2" } }, current],
    ["$retainKeys", { data: { $retainKeys: ["k"], k: "2" } }, { data: { k: "2" } }],
    [
      "a scalar can be deleted from an ordinary list too",
      { data: { "$deleteFromPrimitiveList/k": ["v"] } },
      current,
    ],
    ["an object gives way to a scalar", { data: 1 }, { data: 1 }],
    [
      "a field named as an inherited one is ordinary",
      { data: { constructor: { a: null } } },
      { data: { k: "v", l: "w", constructor: {} } },
    ],
  ])("%s", (_, patch, expected) => {
    expect(merged(current, patch, "ConfigMap")).toEqual(expected);
  });

  test("a PodDisruptionBudget's selector is replaced as a whole", () => {
    expect(
      merged(
        { spec: { selector: { matchLabels: { a: "1" } } } },
        { spec: { selector: { matchExpressions: [] } } },
        "PodDisruptionBudget",
      ),
    ).toEqual({ spec: { selector: { matchExpressions: [] } } });
  });
});

describe("refusals in upstream's words", () => {
  const current = { metadata: { finalizers: ["x/a"], ownerReferences: [owner("1")] }, data: { k: "v" } };
  test.each<[string, JsonObject, { reason: string; message?: string }]>([
    [
      "an item without its merge key",
      ownedBy({ name: "n", controller: true }),
      {
        reason: "Unknown",
        message: "map: map[controller:true name:n] does not contain declared merge key: uid",
      },
    ],
    [
      "a deletion without its merge key",
      ownedBy({ $patch: "delete" }),
      { reason: "Unknown", message: "map: map[$patch:delete] does not contain declared merge key: uid" },
    ],
    [
      "an unknown $patch",
      { data: { $patch: "dance", k: "2" } },
      { reason: "Unknown", message: "unknown patch type: dance in map: map[$patch:dance k:2]" },
    ],
    [
      "an unknown $patch of an item",
      ownedBy({ $patch: "dance", uid: "1" }),
      { reason: "Unknown", message: "unknown patch type: dance in map: map[$patch:dance uid:1]" },
    ],
    [
      "objects for a list of scalars",
      { metadata: { finalizers: [{ uid: "2" }] } },
      { reason: "Unknown", message: "list element types are not identical: [[x/a] [map[uid:2]]]" },
    ],
    [
      "a patch that is not in the order it asks for",
      { metadata: { "$setElementOrder/finalizers": ["x/a"], finalizers: ["x/b"] } },
      {
        reason: "Unknown",
        message: "The order in patch list:\n[x/b]\n doesn't match $setElementOrder list:\n[x/a]\n",
      },
    ],
    [
      "$setElementOrder that is no list",
      { metadata: { "$setElementOrder/finalizers": "x/a" } },
      { reason: "BadRequest", message: "invalid patch format of setElementOrder list" },
    ],
    [
      "$deleteFromPrimitiveList without a field",
      { metadata: { $deleteFromPrimitiveList: ["x/a"] } },
      { reason: "BadRequest", message: "invalid patch format of primitive list" },
    ],
    [
      "$deleteFromPrimitiveList that is null, which must not delete the list",
      { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
      { reason: "BadRequest", message: "invalid patch format of primitive list" },
    ],
    [
      "$retainKeys that does not retain what the patch sets",
      { data: { $retainKeys: ["k"], l: "2" } },
      { reason: "BadRequest", message: "invalid patch format of retainKeys" },
    ],
  ])("%s", (_, patch, failure) => {
    expect(merged(current, patch, "ConfigMap")).toEqual(failure);
  });

  test("lists of lists are unprocessable", () => {
    expect(merged({ metadata: { finalizers: [] } }, { metadata: { finalizers: [["x"]] } })).toEqual({
      reason: "UnprocessablePatch",
    });
  });
});

describe("properties", () => {
  const name = fc.constantFrom("a", "b", "c");
  const { listless } = fc.letrec<{ listless: Json }>((tie) => ({
    listless: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, 1, "x", ["x"]),
      fc.dictionary(name, tie("listless"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const object = fc.dictionary(name, listless, { maxKeys: 3, noNullPrototype: true });

  test("without directives and merge keys it is a merge patch", () => {
    fc.assert(
      fc.property(object, object, (original, patch) => {
        expect(merged(original, patch, "ConfigMap")).toEqual(mergePatch(original, patch));
      }),
    );
  });

  const items = (key: string, change: fc.Arbitrary<Json>) =>
    fc.uniqueArray(fc.record({ [key]: name, x: change }), { selector: (item) => item[key], maxLength: 3 });
  const podOf = (change: fc.Arbitrary<Json>, $patch: fc.Arbitrary<Json>) =>
    fc.record(
      {
        metadata: fc.record(
          {
            finalizers: fc.uniqueArray(name),
            "$deleteFromPrimitiveList/finalizers": fc.uniqueArray(fc.constantFrom("d", "e")),
            ownerReferences: items("uid", change),
            labels: fc.dictionary(fc.constantFrom("a", "b", "$patch"), $patch, { noNullPrototype: true }),
          },
          { requiredKeys: [] },
        ),
        spec: fc.record(
          { containers: items("name", change), tolerations: items("key", change) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    );
  const pod = podOf(fc.constantFrom<Json>(1, 2), fc.constant("x")).map((json) => {
    delete json.metadata?.["$deleteFromPrimitiveList/finalizers"];
    delete json.metadata?.labels?.$patch;
    return json as JsonObject;
  });
  const podPatch = podOf(fc.constantFrom<Json>(2, 3, null), fc.constantFrom("replace", "delete"));

  test("applied twice it changes nothing more, and it leaves no directive and its arguments alone", () => {
    fc.assert(
      fc.property(pod, podPatch as fc.Arbitrary<JsonObject>, (original, patch) => {
        const before = structuredClone({ original, patch });
        const once = merged(original, patch) as JsonObject;
        expect(merged(once, patch)).toEqual(once);
        expect(JSON.stringify(once)).not.toContain("$");
        expect({ original, patch }).toEqual(before);
      }),
    );
  });
});
