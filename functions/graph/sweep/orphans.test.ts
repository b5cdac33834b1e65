import { describe, expect, test } from "vitest";
import type { GroupResource, KubeObject } from "../../objects/object.ts";
import { ago, gist, kinds, OFF, settingsOf, stored } from "../../sweeps/sweeps.fixture.ts";
import type { ReferenceFacts } from "../decide/classify.ts";
import { decideOrphan } from "./orphans.ts";

const settings = settingsOf("orphans");

const reference = (name: string, apiVersion = "v1") => ({
  apiVersion,
  kind: "Pod",
  name,
  uid: `uid-${name}`,
});
const lives = (name: string, deletion: "foreground" | null = null): ReferenceFacts => ({
  reference: reference(name),
  owner: { resource: "pods" as GroupResource, namespace: "team", name, deletion },
});
const absent = (name: string): ReferenceFacts => ({ reference: reference(name), owner: undefined });
const unresolvable: ReferenceFacts = { reference: reference("x", "gone.example.com/v1"), owner: undefined };

function decide(references: ReferenceFacts[], object?: KubeObject, hasDependents = false) {
  const ownerReferences = references.map((facts) => facts.reference);
  const own = object ?? stored("configmaps", "c", { metadata: { ownerReferences } });
  return decideOrphan(own, { references, hasDependents }, kinds, settings);
}

describe("an object", () => {
  test.each<[string, ReferenceFacts[], string]>([
    ["whose every owner is absent goes", [absent("a"), absent("b")], "delete:owner-absent"],
    ["with an owner that lives loses the others", [absent("a"), lives("b")], "patch"],
    ["whose owners live stays", [lives("a")], "keep"],
    ["without an owner stays", [], "keep"],
    ["with one that cannot be looked for stays", [absent("a"), unresolvable], "keep"],
    ["whose owner waits for it goes", [lives("a", "foreground")], "delete:owner-deleting"],
  ])("%s", (_, references, decision) => {
    expect(gist(decide(references))).toBe(decision);
  });

  test("goes by its uid, as its finalizers say, with the owner that caused it", () => {
    expect(decide([absent("a")])).toMatchObject({
      deletion: { options: { dryRun: false, uid: "uid-c" }, cause: "uid-a" },
    });
    expect(decide([lives("a", "foreground")], undefined, true)).toMatchObject({
      deletion: { options: { propagationPolicy: "Foreground" } },
    });
  });

  test("keeps the references to the owners that live", () => {
    expect(decide([absent("a"), lives("b")])).toMatchObject({
      patch: { next: { metadata: { ownerReferences: [reference("b")] } } },
    });
  });

  test("stays when it is on its way already, or the sweep is off", () => {
    const deleting = stored("configmaps", "c", {
      metadata: { ownerReferences: [reference("a")], deletionTimestamp: ago(0) },
    });
    expect(gist(decide([absent("a")], deleting))).toBe("keep");
    const facts = { references: [absent("a")], hasDependents: false };
    expect(gist(decideOrphan(stored("configmaps", "c"), facts, kinds, settingsOf("orphans", OFF)))).toBe(
      "keep",
    );
  });
});
