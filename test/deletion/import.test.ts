import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventually } from "../server.ts";
import { type DeletionCluster, DeletionSession, names } from "./deletion-session.ts";

let session: DeletionSession;
let from: DeletionCluster;
let to: DeletionCluster;

beforeAll(async () => {
  session = await DeletionSession.start();
  return () => session.end();
});
beforeEach(async () => {
  from = await session.cluster();
  to = await session.cluster();
});

/** What `kubectl get -o yaml` prints, as the items of an Import. */
async function backup(what: string): Promise<object[]> {
  return parse(await from.shell.kubectl(`get ${what} -o yaml`)).items;
}

const maps = () => backup("configmaps");
const name = (item: object) => (item as { metadata: { name: string } }).metadata.name;

async function tree(): Promise<void> {
  await from.make("root", [], { labels: { app: "web" } });
  await from.make("middle", ["root"]);
  await from.make("leaf", ["middle"], { finalizers: ["example.com/wait"] });
}

/** Whether what was imported is still there when the collector has nothing left to do. */
async function expectToStay(): Promise<void> {
  // What the collector does about this object, it does after all that came before.
  await to.make("gone");
  await to.make("goes-too", ["gone"]);
  await to.shell.kubectl("delete configmap gone");
  await eventually(
    () => to.left(),
    (left) => !left.includes("goes-too"),
  );
  expect(await to.left()).toEqual(["leaf", "middle", "root"]);
}

describe("an Import", () => {
  it("takes in a backup whose references bear old uids, and the collector lets it be", async () => {
    await tree();
    const { status } = await to.ask("Import", { items: await maps() });
    expect(status).toMatchObject({ phase: "Imported", items: 3, droppedReferences: [] });
    await expectToStay();
    const root = await to.metadata("root");
    expect(root.uid).not.toBe((await from.metadata("root")).uid);
    expect(root.labels).toEqual({ app: "web" });
    const middle = await to.metadata("middle");
    expect(middle.ownerReferences).toMatchObject([{ name: "root", uid: root.uid, blockOwnerDeletion: true }]);
    const leaf = await to.metadata("leaf");
    expect(leaf).toMatchObject({ finalizers: ["example.com/wait"], ownerReferences: [{ uid: middle.uid }] });

    await to.shell.kubectl("delete configmap root");
    await eventually(
      () => to.left(),
      (left) => left.length === 1,
    );
  });

  it("in parts is there all at once, with the last one", async () => {
    await tree();
    const [first, second, third] = await maps();
    for (const item of [first, second]) {
      const { status } = await to.ask("Import", { session: "nightly", commit: false, items: [item] });
      expect(status).toMatchObject({ phase: "Staged", items: 1 });
    }
    expect(await to.left()).toEqual([]);
    const { status } = await to.ask("Import", { session: "nightly", items: [third] });
    expect(names(status.imported).sort()).toEqual(["leaf", "middle", "root"]);
    await expectToStay();
    // The parts are used up.
    const again = await to.ask("Import", { session: "nightly", items: [] });
    expect(again.status.items).toBe(0);
  });

  it("takes in custom objects, and the definitions before them", async () => {
    const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`;
    for (const each of [from, to]) await each.shell.kubectl("apply -f -", definition);
    const widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n";
    await from.shell.kubectl("apply -f -", widget);
    const uid = await from.shell.kubectl("get widget w -o jsonpath={.metadata.uid}");
    const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid };
    await from.make("of-widget", [], { ownerReferences: [owner] });
    const items = [...(await maps()), ...(await backup("widgets"))];
    await to.ask("Import", { items });
    const imported = await to.shell.kubectl("get widget w -o jsonpath={.metadata.uid}/{.spec.size}");
    expect(imported).toMatch(/^.{36}\/3$/);
    expect((await to.metadata("of-widget")).ownerReferences).toMatchObject([
      { kind: "Widget", uid: imported.slice(0, 36) },
    ]);
    const wrong = [{ ...parse(widget), spec: { size: "large" } }];
    expect(await to.refused("Import", { items: wrong })).toContain("spec.items[0].metadata.namespace");
  });

  it("leaves out references to what is not here, and says so", async () => {
    await tree();
    const leaf = (await maps()).filter((item) => name(item) === "leaf");
    const { status } = await to.ask("Import", { items: leaf });
    expect(status.droppedReferences).toMatchObject([
      { object: "ConfigMap default/leaf", owner: { name: "middle" } },
    ]);
    expect(await to.left()).toEqual(["leaf"]);
  });

  it("is refused with the names that are taken, and with what is wrong; then nothing is written", async () => {
    await tree();
    await to.make("middle");
    const items = await maps();
    expect(await to.refused("Import", { items })).toContain("these names are taken");
    expect(await to.left()).toEqual(["middle"]);
    expect(await to.refused("Import", { items: [{ kind: "ConfigMap" }] })).toContain(
      "spec.items[0].apiVersion: Required value",
    );
    const illTyped = { ...items[0], kind: "Service", spec: { ports: {} } };
    expect(await to.refused("Import", { items: [illTyped] })).toContain(
      "json: cannot unmarshal object into Go struct field ServiceSpec.spec.ports of type []v1.ServicePort",
    );
    const tried = await from.refused("Import", { items, dryRun: true });
    expect(tried).toContain("these names are taken");
  });
});
