import { describe, expect, it } from "vitest";
import { kindRegistry } from "../objects/kinds/registry.ts";
import type { GroupResource } from "../objects/object.ts";
import { type GuardedDeletion, type GuardedObject, guardRefusals, sweepRefusal } from "./decide-guard.ts";
import { guardOf, readGuard } from "./settings.ts";

const NOW = Date.UTC(2026, 10, 20, 16, 20, 3);

function kindOf(resource: string) {
  const kind = kindRegistry([]).byStore(resource as GroupResource);
  if (kind === undefined) throw new Error(resource);
  return kind;
}

const object = (more: Partial<GuardedObject> = {}): GuardedObject => ({
  kind: kindOf("configmaps"),
  namespace: "team",
  name: "a",
  labels: {},
  annotations: {},
  ...more,
});

const guard = (spec: object) => guardOf({ metadata: { name: "g" }, spec });

function refusals(spec: object, deletion: Partial<GuardedDeletion> = {}): string[] {
  const target = deletion.target ?? object();
  return guardRefusals(
    [guard(spec)],
    { target, count: 1, concerned: [target], total: 1000, lastHour: 0, previewed: false, ...deletion },
    NOW,
  );
}

describe("a guard", () => {
  it.each([
    ["that says nothing allows", {}, {}, undefined],
    ["that freezes allows nothing", { freeze: true }, {}, "nothing may be deleted"],
    ["allows a cascade of as many as it says", { cascade: { count: 5 } }, { count: 5 }, undefined],
    ["refuses one more", { cascade: { count: 5 } }, { count: 6 }, "6 objects would go, and 5 may"],
    ["allows its share of the cluster", { cascade: { percent: 1 } }, { count: 10 }, undefined],
    ["refuses more than its share", { cascade: { percent: 1 } }, { count: 11 }, "1 % of 1000 may"],
    [
      "counts what went within the hour",
      { hour: { count: 5 } },
      { count: 2, lastHour: 4 },
      "6 objects would have gone",
    ],
    ["lets the hour be filled", { hour: { count: 6 } }, { count: 2, lastHour: 4 }, undefined],
    [
      "wants a preview above a number",
      { requirePreview: { above: 3 } },
      { count: 4 },
      "required for more than 3 objects",
    ],
    ["is content with one", { requirePreview: { above: 3 } }, { count: 4, previewed: true }, undefined],
    ["wants none below", { requirePreview: { above: 3 } }, { count: 3 }, undefined],
    ["wants one for a kind", { requirePreview: { kinds: ["ConfigMap"] } }, {}, "required for a ConfigMap"],
    ["wants none for another kind", { requirePreview: { kinds: ["secrets"] } }, {}, undefined],
    ["protects a kind", { protect: { kinds: ["configmaps"] } }, {}, "ConfigMap team/a is a ConfigMap"],
    ["protects a namespace", { protect: { namespaces: ["team"] } }, {}, "is in the namespace team"],
    ["protects no other", { protect: { namespaces: ["other"] } }, {}, undefined],
  ])("%s", (_, spec, deletion, expected) => {
    const found = refusals(spec, deletion);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toMatchObject([expect.stringContaining(expected)]);
  });

  it.each([
    ["label", { labels: ["keep"] }, { labels: { keep: "" } }, true],
    ["label with its value", { labels: ["keep=yes"] }, { labels: { keep: "yes" } }, true],
    ["label with another value", { labels: ["keep=yes"] }, { labels: { keep: "no" } }, false],
    ["annotation", { annotations: ["x/keep"] }, { annotations: { "x/keep": "1" } }, true],
  ])("minds a %s", (_, protect, marks, isProtected) => {
    expect(refusals({ protect }, { target: object(marks) }).length).toBe(isProtected ? 1 : 0);
  });

  it("minds what goes along as much as the target", () => {
    const concerned = [object({ name: "leaf", labels: { keep: "" } })];
    expect(refusals({ protect: { labels: ["keep"] } }, { concerned })).toEqual([
      'DeletionGuard "g": ConfigMap team/leaf bears the label keep',
    ]);
  });

  it("protects a Namespace that it names", () => {
    const target = object({ kind: kindOf("namespaces"), namespace: "", name: "team" });
    expect(refusals({ protect: { namespaces: ["team"] } }, { target })).toHaveLength(1);
  });
});

describe("an object's own marks count when there is a guard", () => {
  it.each([
    ["a date to come", { "gc.kubegc.dev/protect-until": "2026-11-20T16:20:04Z" }, "is protected until"],
    ["a date that has passed", { "gc.kubegc.dev/protect-until": "2026-11-20T16:20:03Z" }, undefined],
    ["a date that nobody can read", { "gc.kubegc.dev/protect-until": "soon" }, "cannot be read"],
    [
      "Argo's confirm",
      { "argocd.argoproj.io/sync-options": "Prune=true,Delete=confirm" },
      "needs a confirmation",
    ],
    [
      "Argo's confirm, approved",
      {
        "argocd.argoproj.io/sync-options": "Delete=confirm",
        "argocd.argoproj.io/deletion-approved": "2026-11-20T16:20:03Z",
      },
      undefined,
    ],
    ["Argo's no", { "argocd.argoproj.io/sync-options": "Delete=false" }, "Delete=false"],
  ])("%s", (_, annotations, expected) => {
    const found = refusals({}, { target: object({ annotations }) });
    expect(found).toHaveLength(expected === undefined ? 0 : 1);
    if (expected !== undefined) expect(found[0]).toContain(expected);
  });
});

describe("a sweep", () => {
  const facts = { going: 4, before: 6, total: 100, lastHour: 11 };

  it.each([
    [{ sweep: { count: 9 } }, "in one run"],
    [{ sweep: { percent: 10 } }, undefined],
    [{ hour: { count: 14 } }, "within an hour"],
    [{ hour: { count: 15 } }, undefined],
    [{ freeze: true }, "freezes"],
    [{ cascade: { count: 1 } }, undefined],
  ])("under %j", (spec, expected) => {
    const found = sweepRefusal([guard(spec)], facts);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found?.message).toContain(expected);
  });
});

describe("settings", () => {
  it.each([
    [{ odd: 1 }, "spec.odd"],
    [{ cascade: {} }, "spec.cascade"],
    [{ cascade: { count: -1 } }, "spec.cascade.count"],
    [{ hour: { percent: 101 } }, "spec.hour.percent"],
    [{ protect: { labels: [""] } }, "spec.protect.labels[0]"],
    [{ freeze: "yes" }, "spec.freeze"],
  ])("%j are refused", (spec, field) => {
    const reading = readGuard(spec);
    expect("errors" in reading && reading.errors.map((error) => error.field)).toEqual([field]);
  });

  it("that are stored and cannot be read freeze the cluster", () => {
    expect(guard({ odd: 1 }).freeze).toBe(true);
  });
});
