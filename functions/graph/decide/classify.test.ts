import { describe, expect, it, test } from "vitest";
import type { GroupResource, OwnerReference } from "../../objects/object.ts";
import { classifyReference, linkProblem, type OwnerFacts, uidsOf } from "./classify.ts";
import { kindOf, kinds, PLANET, refersTo, WIDGET } from "./decide.fixture.ts";

const pod = kindOf("pods");
const node = kindOf("nodes");
const replicaSet = kindOf("replicasets.apps");

const at = (resource: string, namespace: string, more: Partial<OwnerFacts> = {}): OwnerFacts => ({
  resource: resource as GroupResource,
  namespace,
  name: "o",
  deletion: null,
  ...more,
});
const podOwner = refersTo(pod, "o");
const unknown: OwnerReference = { apiVersion: "nowhere.io/v1", kind: "Thing", name: "o", uid: "uid-o" };

describe("what a reference means for its dependent", () => {
  test.each<[string, OwnerReference, OwnerFacts | undefined, dependent: string, means: string]>([
    ["a namespaced owner in the same namespace", podOwner, at("pods", "a"), "a", "solid"],
    ["#130 a namespaced owner in another namespace", podOwner, at("pods", "b"), "a", "dangling"],
    ["#129 a cluster-scoped owner", refersTo(node, "o"), at("nodes", ""), "a", "solid"],
    [
      "#142 a cluster-scoped owner of a cluster-scoped one",
      refersTo(PLANET, "o"),
      at("planets.example.com", ""),
      "",
      "solid",
    ],
    ["#132 a namespaced kind, named by a cluster-scoped one", podOwner, at("pods", "a"), "", "out-of-scope"],
    ["#133 the same when it is absent", podOwner, undefined, "", "out-of-scope"],
    ["#85 an owner that is not there", podOwner, undefined, "a", "dangling"],
    ["#146 a kind that nobody serves", unknown, undefined, "a", "unresolvable"],
    ["#146 the same from a cluster-scoped one", unknown, undefined, "", "unresolvable"],
    [
      "#138 an owner of another kind than is claimed",
      refersTo(kindOf("secrets"), "o"),
      at("pods", "a"),
      "a",
      "dangling",
    ],
    ["an owner of another name than is claimed", podOwner, at("pods", "a", { name: "p" }), "a", "dangling"],
    [
      "#134 an owner in a served version that is not preferred",
      { ...refersTo(kindOf("cronjobs.batch"), "o"), apiVersion: "batch/v1beta1" },
      at("cronjobs.batch", "a"),
      "a",
      "solid",
    ],
    [
      "#135 an owner in a version that is not served",
      { ...refersTo(replicaSet, "o"), apiVersion: "apps/v1beta1" },
      at("replicasets.apps", "a"),
      "a",
      "unresolvable",
    ],
    [
      "#136 the same when the owner is gone",
      { ...refersTo(replicaSet, "o"), apiVersion: "apps/v1beta1" },
      undefined,
      "a",
      "unresolvable",
    ],
    ["a custom resource", refersTo(WIDGET, "o"), at("widgets.example.com", "a"), "a", "solid"],
    [
      "an owner in foreground deletion",
      podOwner,
      at("pods", "a", { deletion: "foreground" }),
      "a",
      "waiting",
    ],
    ["an owner in orphan deletion", podOwner, at("pods", "a", { deletion: "orphan" }), "a", "solid"],
    [
      "#108 an owner that something else holds",
      podOwner,
      at("pods", "a", { deletion: "terminating" }),
      "a",
      "solid",
    ],
    [
      "an owner in foreground deletion in another namespace",
      podOwner,
      at("pods", "b", { deletion: "foreground" }),
      "a",
      "dangling",
    ],
  ])("%s", (_, reference, owner, dependent, means) => {
    expect(classifyReference({ reference, owner }, dependent, kinds)).toBe(means);
  });

  it("neither the controller nor the blocking flag changes it", () => {
    for (const controller of [true, false]) {
      for (const blockOwnerDeletion of [true, false]) {
        const reference = { ...podOwner, controller, blockOwnerDeletion };
        expect(classifyReference({ reference, owner: at("pods", "a") }, "a", kinds)).toBe("solid");
        expect(classifyReference({ reference, owner: undefined }, "a", kinds)).toBe("dangling");
      }
    }
  });

  describe("when its kind is served no more", () => {
    const reference = { apiVersion: "gone.io/v1", kind: "Ghost", name: "o", uid: "uid-o" };
    const removed = { resource: "ghosts.gone.io" as GroupResource, name: "o" };
    test.each<[string, Parameters<typeof classifyReference>[0], means: string]>([
      ["#161 an owner whose removal is recorded", { reference, owner: undefined, removed }, "dangling"],
      [
        "one recorded under another name",
        { reference, owner: undefined, removed: { ...removed, name: "p" } },
        "unresolvable",
      ],
      [
        "one recorded in another group",
        {
          reference,
          owner: undefined,
          removed: { ...removed, resource: "ghosts.other.io" as GroupResource },
        },
        "unresolvable",
      ],
      [
        "one recorded under a kind of the group that is still served",
        {
          reference: { ...reference, apiVersion: "example.com/v1" },
          owner: undefined,
          removed: { ...removed, resource: "widgets.example.com" as GroupResource },
        },
        "unresolvable",
      ],
    ])("%s", (_, facts, means) => {
      expect(classifyReference(facts, "a", kinds)).toBe(means);
    });
  });
});

describe("a reference that was just written", () => {
  test.each<[string, OwnerReference, OwnerFacts | undefined, dependent: string, problem: string]>([
    ["is fine when the owner is there", podOwner, at("pods", "a"), "a", "none"],
    [
      "is fine when the owner waits for its dependents",
      podOwner,
      at("pods", "a", { deletion: "foreground" }),
      "a",
      "none",
    ],
    ["is fine to a cluster-scoped owner", refersTo(node, "o"), at("nodes", ""), "a", "none"],
    ["needs a look when the owner is absent", podOwner, undefined, "a", "examine"],
    [
      "needs a look when the owner is of another kind",
      refersTo(kindOf("secrets"), "o"),
      at("pods", "a"),
      "a",
      "examine",
    ],
    ["needs a look when the kind is not served", unknown, at("pods", "a"), "a", "examine"],
    [
      "is worth a Warning when the owner is in another namespace",
      podOwner,
      at("pods", "b"),
      "a",
      "wrong-namespace",
    ],
    [
      "is worth a Warning when a cluster-scoped one names a namespaced owner",
      podOwner,
      at("pods", "b"),
      "",
      "wrong-namespace",
    ],
    [
      "is worth a Warning when the owner is in another namespace, whatever kind is claimed",
      unknown,
      at("pods", "b"),
      "a",
      "wrong-namespace",
    ],
  ])("%s", (_, reference, owner, dependent, problem) => {
    expect(linkProblem(reference, owner, dependent, kinds)).toBe(problem);
  });
});

test("a uid that two references name is counted once", () => {
  expect(uidsOf([podOwner, { ...podOwner, blockOwnerDeletion: true }, refersTo(pod, "p")])).toEqual([
    "uid-o",
    "uid-p",
  ]);
  expect(uidsOf(undefined)).toEqual([]);
});
