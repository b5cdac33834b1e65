import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventually } from "../server.ts";
import { type DeletionCluster, DeletionSession, MAPS, names, target } from "./deletion-session.ts";

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

  it("is explained, field by field", async () => {
    expect(await at.shell.kubectl("explain deletionguard.spec.protect")).toMatch(
      /annotations\s+<\[\]string>/,
    );
  });

  it("that makes no sense is refused with the reason", async () => {
    expect(await at.refused("DeletionGuard", { cascade: {} }, { name: "g" })).toContain("spec.cascade");
    expect(await at.refused("DeletionGuard", { freez: true }, { name: "g" })).toContain("spec.freez");
  });
});

describe("a sweep under a DeletionGuard", () => {
  const JOBS = "/apis/batch/v1/namespaces/default/jobs";

  /** A Job that is over, and is swept at once. */
  async function finishedJob(name: string, labels: object = {}): Promise<void> {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const spec = { ttlSecondsAfterFinished: 0, template };
    await at.cluster.call("POST", JOBS, { metadata: { name, labels }, spec });
    const time = new Date().toISOString().replace(/\.\d+/, "");
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: time }];
    const finished = await at.cluster.call(
      "PATCH",
      `${JOBS}/${name}/status`,
      { status: { startTime: time, completionTime: time, conditions } },
      { "content-type": "application/merge-patch+json" },
    );
    expect(finished.code).toBe(200);
  }

  const jobs = () => at.shell.kubectl("get jobs -o name");

  it("stops at once, and says so in its run and in an Event; it goes on when the guard has gone", async () => {
    await guard({ freeze: true });
    await finishedJob("a");
    const events = await eventually(
      () => at.shell.kubectl("get events --field-selector reason=DeletionGuardExceeded --no-headers"),
      (found) => found !== "",
    );
    expect(events).toMatch(
      /Warning +DeletionGuardExceeded +deletionguard\/safety +the sweep jobs has stopped/,
    );
    const [run] = parse(await at.shell.kubectl("get sweepruns -o yaml")).items;
    expect(run.status).toMatchObject({ deleted: 0, message: expect.stringContaining("while it freezes") });
    expect(names(run.status.skippedObjects)).toContain("a");
    expect(await jobs()).toBe("job.batch/a\n");
    await at.shell.kubectl("delete deletionguard safety");
    await eventually(jobs, (left) => left === "");
  });

  it("passes over what is protected", async () => {
    await guard({ protect: { labels: ["keep"] } });
    await finishedJob("kept", { keep: "yes" });
    await finishedJob("gone");
    await eventually(jobs, (left) => left === "job.batch/kept\n");
    const run = await at.ask("SweepRun", { sweep: "jobs" }, { name: "by-hand" });
    expect(run.status.skippedObjects).toMatchObject([
      { name: "kept", reason: 'DeletionGuard "safety": it bears the label keep' },
    ]);
  });
});
