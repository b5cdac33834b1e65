import { describe, expect, test } from "vitest";
import type { Kind } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { gcFinalizersAfterDelete, type PolicyOptions } from "./gc-finalizers.ts";

const kindOf = (group: string, resource: string): Kind => {
  const found = builtInKinds.find((kind) => kind.group === group && kind.resource === resource);
  if (found === undefined) throw new Error(`no kind for ${resource}`);
  return found;
};
const configMap = kindOf("", "configmaps");
const job = kindOf("batch", "jobs");
const event = kindOf("", "events");

const O = "orphan";
const F = "foregroundDeletion";
type Row = [
  option: string,
  options: PolicyOptions,
  kind: Kind,
  version: string,
  none: string,
  orphan: string,
  foreground: string,
];

const background: PolicyOptions = { propagationPolicy: "Background" };
const matrix: Row[] = [
  ["orphanDependents=true", { orphanDependents: true }, configMap, "v1", O, O, O],
  ["orphanDependents=false", { orphanDependents: false }, configMap, "v1", "", "", ""],
  ["Orphan", { propagationPolicy: "Orphan" }, configMap, "v1", O, O, O],
  ["Foreground", { propagationPolicy: "Foreground" }, configMap, "v1", F, F, F],
  ["Background", background, configMap, "v1", "", "", ""],
  ["no option", {}, configMap, "v1", "", O, F],
  ["no option, orphaning by default", {}, job, "v1", O, O, F],
  ["no option, orphaning by default, full version", {}, job, "batch/v1", O, O, F],
  ["Background, orphaning by default", background, job, "v1", "", "", ""],
  ["orphanDependents=false, orphaning by default", { orphanDependents: false }, job, "v1", "", "", ""],
  ["no option, unsupported", {}, event, "v1", "", "", ""],
  ["Orphan, unsupported", { propagationPolicy: "Orphan" }, event, "v1", "", "", ""],
  ["Foreground, unsupported", { propagationPolicy: "Foreground" }, event, "v1", "", "", ""],
  ["orphanDependents=true, unsupported", { orphanDependents: true }, event, "v1", "", "", ""],
];

describe("the collector's finalizer after a DELETE", () => {
  const cases = matrix.flatMap(([option, options, kind, version, ...afters]) =>
    ["", O, F].map((before, i) => ({ option, options, kind, version, before, after: afters[i] ?? "" })),
  );

  test.each(cases)("$option on [$before]: [$after]", ({ options, kind, version, before, after }) => {
    const list = (gc: string) => (gc === "" ? [] : [gc]);
    expect(gcFinalizersAfterDelete(list(before), options, kind, version)).toEqual(list(after));
    const withOthers = ["x/a", ...list(before), "x/b"];
    const next = gcFinalizersAfterDelete(withOthers, options, kind, version);
    expect(next).toEqual(before === after ? withOthers : ["x/a", "x/b", ...list(after)]);
  });
});

describe("the default of the version in the request", () => {
  test.each<[string, string, string, boolean]>([
    ["", "replicationcontrollers", "v1", true],
    ["batch", "jobs", "v1", true],
    ["batch", "cronjobs", "v1beta1", true],
    ["apps", "replicasets", "v1beta2", true],
    ["apps", "replicasets", "v1", false],
    ["apps", "deployments", "v1beta1", true],
    ["apps", "statefulsets", "v1", false],
    ["", "pods", "v1", false],
  ])("%s %s in %s orphans: %s", (group, resource, version, orphans) => {
    expect(gcFinalizersAfterDelete([], {}, kindOf(group, resource), version)).toEqual(orphans ? [O] : []);
  });
});

describe("a list that is the same set", () => {
  test.each<[string[], PolicyOptions]>([
    [["x/a", "x/b"], background],
    [[O, "x/a"], { propagationPolicy: "Orphan" }],
    [["x/a", "x/a"], background],
    [[F, "x/a"], {}],
  ])("%j after %j stays the list it was", (current, options) => {
    expect(gcFinalizersAfterDelete(current, options, configMap, "v1")).toBe(current);
  });
});

test("of both finalizers the first one met counts", () => {
  expect(gcFinalizersAfterDelete([F, "x/a", O], {}, configMap, "v1")).toEqual(["x/a", F]);
  expect(gcFinalizersAfterDelete([O, F], {}, configMap, "v1")).toEqual([O]);
});

test("a second DELETE with nothing said orphans again where that is the default", () => {
  expect(gcFinalizersAfterDelete(["x/a"], {}, job, "v1")).toEqual(["x/a", O]);
});
