import { describe, expect, it, test } from "vitest";
import { emptyCommit, type OpenCommit } from "../../db/commit.ts";
import { deletionOf } from "../objects/deletion.ts";
import type { Kind } from "../objects/kind.ts";
import { asUid, type GroupResource, type KubeObject, type ObjectMeta } from "../objects/object.ts";
import { DEFAULT_SETTINGS } from "../sweeps/settings.ts";
import type { OwnerFacts } from "./decide/classify.ts";
import {
  definition,
  EARLIER,
  kindOf,
  kinds,
  NOW,
  PLANET,
  refersTo,
  stored,
} from "./decide/decide.fixture.ts";
import { planWrite } from "./plan.ts";
import type { StoredObject } from "./stored-object.ts";
import type { CauseOfDeletion, Write } from "./write.ts";

const configMap = kindOf("configmaps");
const namespaces = kindOf("namespaces");
const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");

const asked: CauseOfDeletion = { rule: "request", actor: "jane", policy: "Background", cause: null };

const read = (object: KubeObject, kind: Kind): StoredObject => ({
  uid: asUid(object.metadata.uid),
  resource: kind.storedAs,
  resourceVersion: 7,
  deletion: deletionOf(object.metadata),
  object,
});

function planned(write: Write, owners: Record<string, OwnerFacts> = {}): OpenCommit {
  const namespace = write.kind.namespaced ? "team" : "";
  const commit = emptyCommit({ cluster: 1, namespace, epoch: 1, operation: "o", now: NOW });
  planWrite(commit, write, asked, {
    namespace,
    kinds: { ...kinds, settings: DEFAULT_SETTINGS },
    ownerOf: (uid) => owners[uid],
  });
  return commit;
}

/** An update from one metadata to another. */
function updated(before: Partial<ObjectMeta>, after: Partial<ObjectMeta>, kind = configMap): OpenCommit {
  return planned({
    op: "update",
    kind,
    stored: read(stored(kind, { metadata: before }), kind),
    next: stored(kind, { metadata: after }),
  });
}

const tasks = (commit: OpenCommit) => commit.work.map(({ namespace, task, uid }) => [namespace, task, uid]);

const marked = { deletionTimestamp: EARLIER, deletionGracePeriodSeconds: 0 };
const F = { ...marked, finalizers: ["foregroundDeletion"] };
const O = { ...marked, finalizers: ["orphan"] };
const X = { ...marked, finalizers: ["x/a"] };

describe("#123 an owner's dependents become due", () => {
  test.each<[string, Partial<ObjectMeta>]>([
    ["when it lived", {}],
    ["when it lived, the finalizer set by hand", { finalizers: ["foregroundDeletion"] }],
    ["when it was going without the finalizer", X],
    ["when it was releasing them", O],
  ])("with its foreground deletion, %s", (_, before) => {
    const commit = updated(before, F);
    expect(commit.dependentsDue).toEqual(["uid-x"]);
    expect(tasks(commit)).toContainEqual(["team", "owner", "uid-x"]);
  });

  test.each<[string, Partial<ObjectMeta>]>([
    ["when it lived", {}],
    ["when it was waiting for them", F],
  ])("for release with its orphan deletion, %s", (_, before) => {
    const commit = updated(before, O);
    expect(commit.releaseDue).toEqual(["uid-x"]);
    expect(tasks(commit)).toContainEqual(["team", "owner", "uid-x"]);
  });

  test.each<[string, Partial<ObjectMeta>, Partial<ObjectMeta>]>([
    ["it waits for them already", F, { ...F, labels: { a: "b" } }],
    ["it releases them already", O, { ...O, labels: { a: "b" } }],
    ["something else holds it", {}, X],
    ["it waits no longer", F, X],
    ["a finalizer is set while it lives", {}, { finalizers: ["foregroundDeletion"] }],
  ])("not when %s", (_, before, after) => {
    const commit = updated(before, after);
    expect(commit.dependentsDue).toEqual([]);
    expect(commit.releaseDue).toEqual([]);
    expect(tasks(commit)).toEqual([]);
  });
});

describe("#122 an owner becomes due a look", () => {
  const owner = refersTo(configMap, "o");
  const blocks = { ...owner, blockOwnerDeletion: true };
  test.each([
    ["when a blocking reference to it goes", [blocks], [], ["uid-o"]],
    ["not when another reference goes", [owner], [], []],
    ["when a reference blocks no more", [blocks], [owner], ["uid-o"]],
    ["not when a reference begins to block", [owner], [blocks], []],
    ["not while another reference still blocks", [blocks, { ...blocks, name: "p" }], [blocks], []],
    [
      "when the only one that blocks goes and another stays",
      [blocks, { ...owner, name: "p" }],
      [owner],
      ["uid-o"],
    ],
  ])("%s", (_, before, after, due) => {
    expect(updated({ ownerReferences: before }, { ownerReferences: after }).ownersDue).toEqual(due);
  });

  it("when a dependent is removed, blocking or not: the batch asks whether it waits", () => {
    const object = stored(configMap, { metadata: { ownerReferences: [blocks, refersTo(configMap, "p")] } });
    const commit = planned({
      op: "remove",
      kind: configMap,
      stored: read(object, configMap),
      first: undefined,
    });
    expect(commit.ownersDue).toEqual(["uid-o", "uid-p"]);
  });
});

describe("#121 a dependent becomes due a look", () => {
  const present = (more: Partial<OwnerFacts> = {}): OwnerFacts => ({
    resource: "configmaps" as GroupResource,
    namespace: "team",
    name: "o",
    deletion: null,
    ...more,
  });
  const owner = refersTo(configMap, "o");
  const absent = refersTo(configMap, "gone");
  const created = (
    references: ObjectMeta["ownerReferences"] = [],
    owners: Record<string, OwnerFacts> = {},
    kind = configMap,
  ) =>
    planned(
      { op: "create", kind, object: stored(kind, { metadata: { ownerReferences: references } }) },
      owners,
    );

  it("when its owner is absent", () => {
    expect(tasks(created([owner]))).toEqual([["team", "examine", "uid-x"]]);
  });

  it("not when its owner is there", () => {
    const commit = created([owner], { "uid-o": present() });
    expect(tasks(commit)).toEqual([]);
    expect(commit.references).toEqual([]);
  });

  it("once, however many are absent", () => {
    expect(tasks(created([absent, owner]))).toEqual([["team", "examine", "uid-x"]]);
  });

  it("if its owner outside this namespace should be gone when the batch is written", () => {
    const planet = refersTo(PLANET, "o");
    const commit = created([planet], {
      "uid-o": present({ resource: PLANET.storedAs, namespace: "" }),
    });
    expect(tasks(commit)).toEqual([]);
    expect(commit.references).toEqual([{ dependent: "uid-x", owner: "uid-o" }]);
  });

  it("for references that an update adds or changes, not for those that were there", () => {
    const looked = (before: ObjectMeta["ownerReferences"], next: ObjectMeta["ownerReferences"]) =>
      tasks(updated({ ownerReferences: before ?? [] }, { ownerReferences: next ?? [] }));
    const due = [["team", "examine", "uid-x"]];
    expect(looked([], [absent])).toEqual(due);
    expect(looked([absent], [absent, owner])).toEqual(due);
    expect(looked([owner], [{ ...owner, name: "other" }])).toEqual(due);
    expect(looked([absent], [{ ...absent, blockOwnerDeletion: true }])).toEqual([]);
    expect(looked([absent, owner], [absent])).toEqual([]);
  });

  it("when a reference goes that nothing could be decided for, and others are left", () => {
    const unknown = { apiVersion: "nowhere.io/v1", kind: "Thing", name: "x", uid: "x" };
    const looked = (...[before, after, kind]: Parameters<typeof updated>) =>
      tasks(updated(before, after, kind));
    const due = [["team", "examine", "uid-x"]];
    expect(looked({ ownerReferences: [absent, unknown] }, { ownerReferences: [absent] })).toEqual(due);
    expect(looked({ ownerReferences: [unknown] }, {})).toEqual([]);
    expect(looked({ ownerReferences: [absent, owner] }, { ownerReferences: [absent] })).toEqual([]);
    const node = refersTo(kindOf("nodes"), "n");
    expect(looked({ ownerReferences: [node, owner] }, { ownerReferences: [node] }, PLANET)).toEqual([
      ["", "examine", "uid-x"],
    ]);
  });

  it("never when it is an Event, which the collector ignores", () => {
    expect(tasks(created([absent], {}, kindOf("events")))).toEqual([]);
  });

  const elsewhere = { "uid-o": present({ namespace: "other" }) };
  it("with a Warning, when its owner is in another namespace", () => {
    expect(tasks(created([owner], elsewhere))).toEqual([
      ["team", "examine", "uid-x"],
      ["team", "event", "uid-x"],
    ]);
  });

  it("with a Warning in namespace default, when it is cluster-scoped", () => {
    expect(tasks(created([owner], elsewhere, PLANET))).toEqual([
      ["", "examine", "uid-x"],
      ["default", "event", "uid-x"],
    ]);
  });

  it("with one Warning at most, for the first owner that is not what is claimed", () => {
    const secret = refersTo(kindOf("secrets"), "q");
    const owners = {
      ...elsewhere,
      "uid-q": present({ name: "q" }),
      "uid-p": present({ namespace: "other" }),
    };
    const events = (references: ObjectMeta["ownerReferences"]) =>
      tasks(created(references, owners)).filter(([, task]) => task === "event").length;
    expect(events([absent, owner])).toBe(1);
    expect(events([owner, refersTo(configMap, "p")])).toBe(1);
    expect(events([secret, owner])).toBe(0);
  });
});

describe("the record of a deletion", () => {
  it("begins with the mark, and says the policy that came true", () => {
    const policies = [X, F, O].map((after) => updated({}, after).begun);
    expect(policies).toEqual(
      ["Background", "Foreground", "Orphan"].map((policy) => [{ ...asked, uid: "uid-x", policy }]),
    );
  });

  it("is told of another policy, and of nothing else", () => {
    expect(updated(O, F).begun).toEqual([{ ...asked, uid: "uid-x", policy: "Foreground" }]);
    expect(updated(F, { ...F, labels: { a: "b" } }).begun).toEqual([]);
    expect(updated({}, { labels: { a: "b" } }).begun).toEqual([]);
  });

  it("is closed by the removal, which is compared with what was read", () => {
    const object = read(stored(configMap), configMap);
    const commit = planned({ op: "remove", kind: configMap, stored: object, first: undefined });
    expect(commit.removals).toEqual([
      { ...asked, uid: "uid-x", resource: "configmaps", name: "x", labels: "{}", owners: [], expected: 7 },
    ]);
    expect(commit.updates).toEqual([]);
  });

  it("begins and ends in one batch when a Pod is marked and removed", () => {
    const pod = kindOf("pods");
    const object = read(stored(pod), pod);
    const first = stored(pod, { metadata: marked });
    const commit = planned({ op: "remove", kind: pod, stored: object, first });
    expect(commit.updates).toMatchObject([{ uid: "uid-x", expected: 7, deletion: "terminating" }]);
    expect(commit.begun).toMatchObject([{ uid: "uid-x" }]);
    expect(commit.removals).toMatchObject([{ uid: "uid-x", expected: null }]);
  });
});

describe("what a deletion holds up", () => {
  it("a Namespace's content becomes due with its mark, once", () => {
    const going = { deletionTimestamp: EARLIER };
    expect(tasks(updated({}, going, namespaces))).toEqual([["x", "namespace", "uid-x"]]);
    expect(tasks(updated(going, { ...going, labels: { a: "b" } }, namespaces))).toEqual([]);
  });

  it("a Namespace's content is due again when it is given back the finalizer that waits for it", () => {
    const held = (finalizers: string[]) =>
      stored(namespaces, { metadata: { deletionTimestamp: EARLIER }, spec: { finalizers } });
    const given = (before: string[], after: string[]) =>
      planned({
        op: "update",
        kind: namespaces,
        stored: read(held(before), namespaces),
        next: held(after),
      });
    expect(tasks(given(["x/a"], ["x/a", "kubernetes"]))).toEqual([["x", "namespace", "uid-x"]]);
    expect(tasks(given(["x/a", "kubernetes"], ["kubernetes"]))).toEqual([]);
  });

  it("a definition is looked at with its mark", () => {
    const { metadata, ...fields } = definition("Widget", "widgets", "Namespaced");
    const cleanup = { name: metadata.name, finalizers: ["customresourcecleanup.apiextensions.k8s.io"] };
    const commit = planned({
      op: "update",
      kind: definitions,
      stored: read(stored(definitions, { metadata: cleanup, ...fields }), definitions),
      next: stored(definitions, { metadata: { ...cleanup, ...marked }, ...fields }),
    });
    expect(tasks(commit)).toContainEqual(["", "finalize", `uid-${metadata.name}`]);
    expect(commit.changesKinds).toBe(true);
  });
});

describe("the index rows of an object", () => {
  it("are written anew only when labels or owners differ", () => {
    const owner = [refersTo(configMap, "o")];
    const rows = (before: Partial<ObjectMeta>, after: Partial<ObjectMeta>) => {
      const [row] = updated(before, after).updates;
      return [row?.labelsChanged, row?.ownersChanged];
    };
    expect(rows({}, { annotations: { a: "b" } })).toEqual([false, false]);
    expect(rows({ labels: { a: "b" } }, { labels: { a: "c" } })).toEqual([true, false]);
    expect(rows({ labels: { a: "b" } }, {})).toEqual([true, false]);
    expect(rows({ ownerReferences: owner }, {})).toEqual([false, true]);
  });

  test.each<[string, Kind, Partial<ObjectMeta>, boolean]>([
    ["an ordinary object", configMap, {}, true],
    ["one with a finalizer", configMap, { finalizers: ["x/a"] }, false],
    ["one that is going", configMap, marked, false],
    ["a Pod, which has a grace period", kindOf("pods"), {}, false],
    ["a Namespace", namespaces, {}, false],
  ])("%s is plain, to be removed without a look inside: %#", (_, kind, metadata, plain) => {
    const [row] = updated({}, metadata, kind).updates;
    expect(row?.plain).toBe(plain);
  });
});
