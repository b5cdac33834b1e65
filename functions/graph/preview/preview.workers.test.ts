import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { ModelState } from "../../../test/model/collector.ts";
import { histories, NAMESPACES, type Step } from "../../../test/model/history.ts";
import type { Kind } from "../../objects/kind.ts";
import { kindRegistry } from "../../objects/kinds/registry.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { blocking, DB, ownedBy, patch, remove, TestCluster } from "../graph.fixture.ts";
import { History, storeOf } from "../history.fixture.ts";
import { FEW, parameters, timeout } from "../model.fixture.ts";
import { type Preview, previewDelete } from "./preview.ts";

const kinds = kindRegistry([]);
const configMap = kindOf("configmaps");

async function preview(
  cluster: TestCluster,
  kind: Kind,
  name: string,
  options: Partial<DeleteOptions> = {},
  namespace = kind.namespaced ? "team" : "",
): Promise<Preview> {
  const found = await previewDelete(
    DB,
    cluster.id,
    { kind, version: kind.versions[0] ?? "v1", namespace, name, options: { dryRun: true, ...options } },
    { kinds, now: cluster.now },
  );
  if (!found.ok) throw new Error(JSON.stringify(found.failure));
  return found.value;
}

const names = (nodes: Preview["deletes"]): string[] => nodes.map((node) => node.object.metadata.name);

/** What became of every object, in words that a preview can be compared with. */
function fates(before: ModelState, after: ModelState): Record<string, string[]> {
  const fate: Record<string, string[]> = { deletes: [], terminating: [], orphans: [], keeps: [] };
  for (const object of before.values()) {
    const now = after.get(object.uid);
    if (now === undefined) fate.deletes?.push(object.uid);
    else if (now.deleting) fate.terminating?.push(object.uid);
    else if (now.owners.length < object.owners.length)
      fate[now.owners.length === 0 ? "orphans" : "keeps"]?.push(object.uid);
  }
  return Object.fromEntries(Object.entries(fate).map(([name, uids]) => [name, uids.sort()]));
}

async function expectForetold(history: History, step: Step & { do: "delete" }): Promise<void> {
  const { kind, namespace, name } = step.place;
  const options = step.policy === undefined ? {} : { propagationPolicy: step.policy };
  const foretold = await preview(history.cluster, storeOf(kind), name, options, namespace);
  const before = await history.state();
  const asked = history.request(step, before);
  if (asked === undefined) throw new Error("nothing to delete");
  await history.send(asked, step);
  await history.cluster.settle();
  const came = fates(before, await history.state());

  const sorted = (nodes: Preview["deletes"]) => nodes.map((node) => node.uid as string).sort();
  expect(sorted(foretold.deletes)).toEqual(came.deletes);
  expect(sorted(foretold.orphans)).toEqual(came.orphans);
  // One that an unresolvable reference protects keeps all its references.
  expect(sorted(foretold.keeps)).toEqual(expect.arrayContaining(came.keeps ?? []));
  for (const { node } of foretold.blockers) expect(came.terminating).toContain(node.uid);
}

test(`in ${FEW} histories each DELETE does what its preview says`, { timeout }, async () => {
  const property = fc.asyncProperty(histories(12), async (steps) => {
    const history = new History(await TestCluster.create(NAMESPACES));
    for (const step of steps) {
      const state = await history.state();
      const asked = history.request(step, state);
      if (asked === undefined) continue;
      if (step.do === "delete") await expectForetold(history, step);
      else {
        await history.send(asked, step);
        await history.cluster.settle();
      }
    }
  });
  await fc.assert(property, { ...parameters, numRuns: FEW });
});

describe("a preview", () => {
  it("tells what goes in its order, what lives on and why, and writes nothing", async () => {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root" });
    const other = await cluster.make(configMap, { name: "other" });
    const middle = await cluster.make(configMap, { name: "middle", owners: [ownedBy(root)] });
    await cluster.make(configMap, { name: "leaf", owners: [ownedBy(middle)] });
    await cluster.make(configMap, { name: "shared", owners: [ownedBy(root), ownedBy(other)] });
    await cluster.settle();
    const before = await cluster.left();
    const { deletes, keeps, orphans, blockers } = await preview(cluster, configMap, "root");
    expect(names(deletes)).toEqual(["root", "middle", "leaf"]);
    expect(names(keeps)).toEqual(["shared"]);
    expect([orphans, blockers]).toEqual([[], []]);
    expect(await cluster.left()).toEqual(before);
  });

  it("tells in the foreground that dependents go first, and what a finalizer holds up", async () => {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root" });
    await cluster.make(configMap, { name: "free", owners: [blocking(root)] });
    await cluster.make(configMap, {
      name: "held",
      owners: [blocking(root)],
      finalizers: ["example.com/wait"],
    });
    const found = await preview(cluster, configMap, "root", { propagationPolicy: "Foreground" });
    expect(names(found.deletes)).toEqual(["free"]);
    expect(found.blockers.map(({ node, finalizers }) => [node.object.metadata.name, finalizers])).toEqual([
      ["held", ["example.com/wait"]],
    ]);
    expect(names(found.deletesOnceUnblocked)).toEqual(["held", "root"]);
  });

  it("tells of a Namespace all that is in it, and of a running Pod that its node has to stop it", async () => {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root" });
    await cluster.make(configMap, { name: "leaf", owners: [ownedBy(root)] });
    const spec = {
      nodeName: "n1",
      terminationGracePeriodSeconds: 30,
      containers: [{ name: "c", image: "i" }],
    };
    await cluster.make(kindOf("pods"), { name: "pod", fields: { spec } });
    const found = await preview(cluster, kindOf("namespaces"), "team");
    expect(
      found.blockers.map(({ node, gracePeriodSeconds }) => [node.object.metadata.name, gracePeriodSeconds]),
    ).toEqual([["pod", 30]]);
    expect(found.deletes).toEqual([]);
    expect(names(found.deletesOnceUnblocked)).toEqual(["pod", "leaf", "root", "team"]);
  });

  it("of a definition tells its objects and what those own", async () => {
    const cluster = await TestCluster.create();
    const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");
    const fields = {
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    };
    await cluster.make(definitions, { name: "widgets.example.com", fields });
    const widget = await cluster.kind("widgets.example.com");
    const made = await cluster.make(widget, { name: "w" });
    await cluster.make(configMap, { name: "of-w", owners: [ownedBy(made)] });
    const found = await previewDelete(
      DB,
      cluster.id,
      {
        kind: definitions,
        version: "v1",
        namespace: "",
        name: "widgets.example.com",
        options: { dryRun: true },
      },
      { kinds: kindRegistry([widget]), now: cluster.now },
    );
    expect(found.ok && names(found.value.deletes)).toEqual(["w", "of-w", "widgets.example.com"]);
  });

  it("has the same hash until something that it reaches changes", async () => {
    const cluster = await TestCluster.create();
    const root = await cluster.make(configMap, { name: "root" });
    await cluster.make(configMap, { name: "leaf", owners: [ownedBy(root)] });
    const first = await preview(cluster, configMap, "root");
    await cluster.make(configMap, { name: "elsewhere" });
    await cluster.ask("team", patch(configMap, "leaf", { data: { a: "b" } }));
    expect((await preview(cluster, configMap, "root")).hash).toBe(first.hash);
    await cluster.make(configMap, { name: "late", owners: [ownedBy(root)] });
    expect((await preview(cluster, configMap, "root")).hash).not.toBe(first.hash);
  });

  it("refuses what the DELETE would refuse", async () => {
    const cluster = await TestCluster.create();
    await cluster.make(configMap, { name: "root" });
    const context = { kinds, now: cluster.now };
    const asked = { kind: configMap, version: "v1", namespace: "team", name: "root" };
    const other = await previewDelete(
      DB,
      cluster.id,
      { ...asked, options: { dryRun: true, uid: "another" } },
      context,
    );
    expect(other).toMatchObject({ ok: false, failure: { reason: "Conflict" } });
    await cluster.ask("team", remove(configMap, "root"));
    const gone = await previewDelete(DB, cluster.id, { ...asked, options: { dryRun: true } }, context);
    expect(gone).toMatchObject({ ok: false, failure: { reason: "NotFound" } });
  });
});
