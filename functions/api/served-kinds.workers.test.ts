import { describe, expect, it } from "vitest";
import { definition, kindOf } from "../graph/decide/decide.fixture.ts";
import { patch, remove, TestCluster } from "../graph/graph.fixture.ts";
import { ServedKinds } from "./served-kinds.ts";

const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");

async function install(cluster: TestCluster, kind: string, plural: string): Promise<void> {
  const { metadata, ...fields } = definition(kind, plural, "Namespaced");
  await cluster.make(definitions, { name: metadata.name, fields });
}

const path = (resource: string, version = "v1") => ({ group: "example.com", version, resource });

describe("what another isolate knows of a cluster's kinds", () => {
  it("finds a kind from the moment its definition is established", async () => {
    const cluster = await TestCluster.create();
    const served = new ServedKinds(cluster.clock);
    const lookUp = (resource: string, version?: string) =>
      served.lookUp(cluster.db, cluster.id, path(resource, version));
    expect(await lookUp("widgets")).toBeUndefined();
    await install(cluster, "Widget", "widgets");
    expect((await lookUp("widgets"))?.kind.kind).toBe("Widget");
    await install(cluster, "Gadget", "gadgets");
    expect((await lookUp("gadgets"))?.kind.kind).toBe("Gadget");
  });

  it("finds a version from the moment it is served", async () => {
    const cluster = await TestCluster.create();
    const served = new ServedKinds(cluster.clock);
    await install(cluster, "Widget", "widgets");
    const lookUp = (version: string) => served.lookUp(cluster.db, cluster.id, path("widgets", version));
    expect((await lookUp("v1"))?.kind.versions).toEqual(["v1"]);
    const [v1] = definition("Widget", "widgets", "Namespaced").spec.versions;
    const versions = [v1, { ...v1, name: "v2", storage: false }];
    await cluster.ask("", patch(definitions, "widgets.example.com", { spec: { versions } }));
    expect((await lookUp("v2"))?.kind.versions).toEqual(["v2", "v1"]);
  });

  it("lists no kind whose definition is gone", async () => {
    const cluster = await TestCluster.create();
    const served = new ServedKinds(cluster.clock);
    await install(cluster, "Widget", "widgets");
    const kinds = async () =>
      (await served.current(cluster.db, cluster.id)).kinds
        .inVersion("example.com", "v1")
        .map(({ kind }) => kind);
    expect(await kinds()).toEqual(["Widget"]);
    await cluster.ask("", remove(definitions, "widgets.example.com"));
    await cluster.settle();
    expect(await kinds()).toEqual([]);
  });
});
