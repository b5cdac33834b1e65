import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../server.ts";
import { type DeletionCluster, DeletionSession, names } from "./deletion-session.ts";

let session: DeletionSession;
let at: DeletionCluster;

beforeAll(async () => {
  session = await DeletionSession.start();
  return () => session.end();
});
beforeEach(async () => {
  at = await session.cluster();
});

/** Deletes a tree of three; returns the uids of its root and of its leaf. */
async function deleteTree(): Promise<{ root: string; leaf: string }> {
  const root = await at.make("root", [], { labels: { app: "web" } });
  await at.make("middle", ["root"]);
  const leaf = await at.make("leaf", ["middle"]);
  await at.shell.kubectl("delete cm root");
  await eventually(
    () => at.left(),
    (left) => left.length === 0,
  );
  return { root, leaf };
}

describe("a Restore", () => {
  it("brings back the whole tree of a record, under new uids that name each other", async () => {
    const { root } = await deleteTree();
    const { status } = await at.ask("Restore", { record: root });
    expect(status.phase).toBe("Restored");
    expect(names(status.restored).sort()).toEqual(["leaf", "middle", "root"]);
    expect(await at.left()).toEqual(["leaf", "middle", "root"]);
    const restored = await at.metadata("root");
    expect(restored.uid).not.toBe(root);
    expect(restored.labels).toEqual({ app: "web" });
    expect((await at.metadata("middle")).ownerReferences).toMatchObject([
      { name: "root", uid: restored.uid },
    ]);

    await at.shell.kubectl("delete cm root");
    await eventually(
      () => at.left(),
      (left) => left.length === 0,
    );
  });

  it("of one object leaves out the owner that is gone, and says so", async () => {
    const { leaf } = await deleteTree();
    const { status } = await at.ask("Restore", { record: leaf, tree: false });
    expect(status.droppedReferences).toMatchObject([
      { object: "ConfigMap default/leaf", owner: { name: "middle" } },
    ]);
    expect(await at.left()).toEqual(["leaf"]);
  });

  it("that is a dry run tells what would come back, and writes nothing", async () => {
    const { root } = await deleteTree();
    const { status } = await at.ask("Restore", { record: root, dryRun: true });
    expect(status.phase).toBe("Possible");
    expect(status.restored).toHaveLength(3);
    expect(await at.left()).toEqual([]);
  });

  it("is refused with the names that are taken, and changes nothing", async () => {
    const { root } = await deleteTree();
    await at.make("middle");
    const told = await at.refused("Restore", { record: root });
    expect(told).toContain("these names are taken, and nothing was written: ConfigMap default/middle");
    expect(await at.left()).toEqual(["middle"]);
  });

  it("of a Namespace brings back what was in it", async () => {
    await at.shell.kubectl("create namespace team");
    await at.shell.kubectl("-n team create configmap a");
    const uid = await at.shell.kubectl("get namespace team -o jsonpath={.metadata.uid}");
    await at.shell.kubectl("delete namespace team");
    await at.ask("Restore", { record: uid });
    expect(await at.shell.kubectl("-n team get configmaps -o name")).toBe("configmap/a\n");
  });

  it("says what is wrong with it, and what there is no record of", async () => {
    expect(await at.refused("Restore", {})).toContain("spec.record: Required value");
    expect(await at.refused("Restore", { record: "nothing" })).toContain("not found");
    await at.make("held", [], { finalizers: ["example.com/wait"] });
    const { uid } = await at.metadata("held");
    await at.shell.kubectl("delete cm held --wait=false");
    expect(await at.refused("Restore", { record: uid })).toContain("configmaps default/held is not gone yet");
  });
});
