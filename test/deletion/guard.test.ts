import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DeletionCluster, DeletionSession, MAPS, target } from "./deletion-session.ts";

let session: DeletionSession;
let at: DeletionCluster;

beforeAll(async () => {
  session = await DeletionSession.start();
  return () => session.end();
});
beforeEach(async () => {
  at = await session.cluster();
});

const guard = (spec: object) => at.ask("DeletionGuard", spec, { name: "safety" });

/** A DELETE that must be refused; returns why. */
async function refusedDelete(line: string): Promise<string> {
  const { code, stderr } = await at.shell.run(`delete ${line} --wait=false`.split(" "));
  expect(code).toBe(1);
  expect(stderr).toContain("Nothing was deleted");
  return stderr;
}

describe("a DeletionGuard", () => {
  it("refuses a cascade of more than it allows, tells what would have gone, and nothing has", async () => {
    await at.make("root");
    for (const name of ["a", "b", "c"]) await at.make(name, ["root"]);
    await guard({ cascade: { count: 3 } });
    const told = await refusedDelete("cm root");
    expect(told).toContain(
      'DeletionGuard "safety": 4 objects would go, and 3 may; would delete 3 more: 3 ConfigMap',
    );
    expect(await at.left()).toEqual(["a", "b", "c", "root"]);
    await at.shell.kubectl("delete cm a");
    await at.shell.kubectl("delete cm root");
  });

  it("counts a collection as one", async () => {
    for (const name of ["a", "b", "c"]) await at.make(name);
    await guard({ cascade: { count: 2 } });
    const { code, body } = await at.cluster.call("DELETE", MAPS);
    expect(code).toBe(403);
    expect(body.message).toContain("3 objects would go, and 2 may");
    expect(await at.left()).toEqual(["a", "b", "c"]);
  });

  it("protects what bears a label, also when something else would take it along", async () => {
    await at.make("root");
    await at.make("precious", ["root"], { labels: { keep: "yes" } });
    await guard({ protect: { labels: ["keep=yes"] } });
    expect(await refusedDelete("cm root")).toContain("ConfigMap default/precious bears the label keep=yes");
    await at.shell.kubectl("delete cm root --cascade=orphan");
    expect(await at.left()).toEqual(["precious"]);
  });

  it("heeds the marks that people have: a date, and Argo's confirmation", async () => {
    const marked = (name: string, annotations: object) => at.make(name, [], { annotations });
    await marked("dated", { "gc.kubegc.dev/protect-until": "2999-01-01T00:00:00Z" });
    await marked("asking", { "argocd.argoproj.io/sync-options": "Delete=confirm" });
    await guard({});
    expect(await refusedDelete("cm dated")).toContain("is protected until 2999-01-01T00:00:00Z");
    expect(await refusedDelete("cm asking")).toContain("needs a confirmation");
    await at.shell.kubectl("annotate cm asking argocd.argoproj.io/deletion-approved=2026-11-20T16:20:03Z");
    await at.shell.kubectl("delete cm asking");
  });

  it("can demand a preview, whose hash the object then bears", async () => {
    await at.make("root");
    await guard({ requirePreview: { kinds: ["ConfigMap"] } });
    expect(await refusedDelete("cm root")).toContain("the hash of a preview is required for a ConfigMap");
    const { status } = await at.ask("DeletionPreview", { target });
    await at.shell.kubectl(`annotate cm root gc.kubegc.dev/preview-hash=${status.hash}`);
    await at.make("late", ["root"]);
    expect(await refusedDelete("cm root")).toContain("the hash of a preview is required");
    const again = await at.ask("DeletionPreview", { target });
    await at.shell.kubectl(`annotate --overwrite cm root gc.kubegc.dev/preview-hash=${again.status.hash}`);
    await at.shell.kubectl("delete cm root");
  });

  it("that freezes the cluster lets nothing go but itself", async () => {
    await at.make("root");
    await guard({ freeze: true });
    expect(await refusedDelete("cm root")).toContain("nothing may be deleted");
    await at.shell.kubectl("delete cm root --dry-run=server");
    await at.shell.kubectl("delete deletionguard safety");
    await at.shell.kubectl("delete cm root");
  });

  it("limits what goes within an hour", async () => {
    for (const name of ["a", "b", "c"]) await at.make(name);
    await guard({ hour: { count: 2 } });
    await at.shell.kubectl("delete cm a");
    await at.shell.kubectl("delete cm b");
    expect(await refusedDelete("cm c")).toContain("3 objects would have gone within an hour, and 2 may");
  });

  it("that makes no sense is refused with the reason", async () => {
    expect(await at.refused("DeletionGuard", { cascade: {} }, { name: "g" })).toContain("spec.cascade");
    expect(await at.refused("DeletionGuard", { freez: true }, { name: "g" })).toContain("spec.freez");
  });
});
