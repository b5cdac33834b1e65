import { describe, expect, it, test } from "vitest";
import type { Deletion } from "../../objects/deletion.ts";
import { asUid, type GroupResource, type OwnerReference } from "../../objects/object.ts";
import type { ReferenceFacts } from "./classify.ts";
import { type CollectDecision, type DependentFacts, decideCollect } from "./collect.ts";
import { kindOf, kinds, refersTo } from "./decide.fixture.ts";

const pod = kindOf("pods");

type Is = "solid" | "dangling" | "waiting" | "unresolvable" | "elsewhere" | "orphaning" | "terminating";

/** A reference to owner `name` that is so to a dependent in namespace `a`. */
function owner(is: Is, name: string = is, more: Partial<OwnerReference> = {}): ReferenceFacts {
  const there = (namespace: string, deletion: Deletion | null) => ({
    resource: "pods" as GroupResource,
    namespace,
    name,
    deletion,
  });
  const reference = refersTo(pod, name, more);
  switch (is) {
    case "solid":
      return { reference, owner: there("a", null) };
    case "dangling":
      return { reference, owner: undefined };
    case "waiting":
      return { reference, owner: there("a", "foreground") };
    case "orphaning":
      return { reference, owner: there("a", "orphan") };
    case "terminating":
      return { reference, owner: there("a", "terminating") };
    case "elsewhere":
      return { reference, owner: there("b", null) };
    case "unresolvable":
      return { reference: { ...reference, apiVersion: "nowhere.io/v1", kind: "Thing" }, owner: undefined };
  }
}

function collect(references: ReferenceFacts[], more: Partial<DependentFacts> = {}): CollectDecision {
  return decideCollect(
    {
      uid: asUid("uid-d"),
      namespace: "a",
      deletion: null,
      references,
      hasDependents: false,
      ...more,
    },
    kinds,
  );
}

const keep: CollectDecision = { act: "keep" };
const release = (...owners: string[]): CollectDecision => ({
  act: "release",
  owners: owners.map((name) => asUid(`uid-${name}`)),
});

describe("an object lives", () => {
  test.each<[string, ReferenceFacts[]]>([
    ["that names no owner", []],
    ["whose owners are all there", [owner("solid"), owner("solid", "p")]],
    ["#108 whose owner is only held by something else", [owner("terminating")]],
    ["whose owner is releasing its dependents", [owner("orphaning")]],
    ["#135 whose one owner nobody can resolve", [owner("unresolvable")]],
    ["#128 with a dangling and an unresolvable owner", [owner("dangling"), owner("unresolvable")]],
    ["with a waiting and an unresolvable owner", [owner("waiting"), owner("unresolvable")]],
    ["with a solid and an unresolvable owner", [owner("solid"), owner("unresolvable")]],
    [
      "with a solid, a dangling and an unresolvable owner, whose references stay",
      [owner("solid"), owner("dangling"), owner("unresolvable")],
    ],
  ])("%s", (_, references) => {
    expect(collect(references)).toEqual(keep);
    expect(collect([...references].reverse(), { hasDependents: true })).toEqual(keep);
  });

  it("#132 that is cluster-scoped and names a namespaced kind, whatever else it names", () => {
    const planet = refersTo(kindOf("planets.example.com"), "gone");
    const missing: ReferenceFacts = { reference: planet, owner: undefined };
    expect(collect([owner("dangling")], { namespace: "" })).toEqual(keep);
    expect(collect([missing, owner("dangling")], { namespace: "" })).toEqual(keep);
    expect(collect([missing], { namespace: "" }).act).toBe("delete");
  });

  test.each<Deletion>(["terminating", "foreground", "orphan"])(
    "#117 on, as far as the collector cares, when it is on its way already: %s",
    (deletion) => {
      expect(collect([owner("dangling")], { deletion })).toEqual(keep);
      expect(collect([owner("waiting")], { deletion, hasDependents: true })).toEqual(keep);
    },
  );
});

describe("an object with an owner that is there loses the references to the others", () => {
  test.each<[string, ReferenceFacts[], CollectDecision]>([
    ["#84 #110 that are dangling", [owner("solid"), owner("dangling")], release("dangling")],
    ["#92 that wait for their dependents", [owner("waiting"), owner("solid")], release("waiting")],
    [
      "that are either",
      [owner("waiting"), owner("solid"), owner("dangling")],
      release("dangling", "waiting"),
    ],
    ["#130 that are in another namespace", [owner("elsewhere"), owner("solid")], release("elsewhere")],
  ])("%s", (_, references, decision) => {
    expect(collect(references)).toEqual(decision);
    expect(collect(references, { hasDependents: true })).toEqual(decision);
  });
});

describe("an object is deleted", () => {
  const absent = (name: string): CollectDecision => ({
    act: "delete",
    policy: "own",
    rule: "owner-absent",
    cause: asUid(`uid-${name}`),
    waitingFor: [],
  });

  test.each<[string, ReferenceFacts[], CollectDecision]>([
    ["#85 when its owner is absent", [owner("dangling")], absent("dangling")],
    ["#84 when all its owners are", [owner("dangling", "p"), owner("dangling", "q")], absent("p")],
    ["#130 when its owner is in another namespace", [owner("elsewhere")], absent("elsewhere")],
  ])("%s, as its own finalizers say", (_, references, decision) => {
    expect(collect(references)).toEqual(decision);
    expect(collect(references, { hasDependents: true })).toEqual(decision);
  });

  it("#94 when its owner waits for it, blocking or not", () => {
    for (const blockOwnerDeletion of [true, false]) {
      expect(collect([owner("waiting", "o", { blockOwnerDeletion })])).toEqual({
        act: "delete",
        policy: "own",
        rule: "owner-deleting",
        cause: "uid-o",
        waitingFor: ["uid-o"],
      });
    }
  });

  it("#101 #104 in the foreground when its owner waits for it and it has dependents", () => {
    expect(collect([owner("waiting", "o")], { hasDependents: true })).toEqual({
      act: "delete",
      policy: "Foreground",
      rule: "owner-deleting",
      cause: "uid-o",
      waitingFor: ["uid-o"],
    });
  });

  it("#109 when one owner waits and the others are absent, because of the one that waits", () => {
    expect(collect([owner("dangling"), owner("waiting", "o"), owner("waiting", "p")])).toMatchObject({
      act: "delete",
      rule: "owner-deleting",
      cause: "uid-o",
      waitingFor: ["uid-o", "uid-p"],
    });
  });
});

test("two references to one uid are looked at one by one: the claim is what counts", () => {
  const solid = owner("solid", "o");
  const misnamed: ReferenceFacts = {
    reference: { ...solid.reference, name: "other" },
    owner: solid.owner,
  };
  expect(collect([solid, misnamed])).toEqual(release("o"));
});
