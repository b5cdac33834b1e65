import { describe, expect, it } from "vitest";
import { type KubeObject, timestamp } from "../../objects/object.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { DB, ownedBy, patch, remove } from "../graph.fixture.ts";
import { SweptCluster } from "./sweep.fixture.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const NAMESPACES = ["team", "other", "default"];

const job = kindOf("jobs.batch");
const volume = kindOf("persistentvolumes");
const guards = kindOf("deletionguards.gc.kubegc.dev");
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

/** A cluster with a guard, and Jobs in it that go ten seconds from now. */
async function guarded(spec: object, jobs: Record<string, Marks>): Promise<SweptCluster> {
  const swept = await SweptCluster.create(NAMESPACES);
  await swept.make(guards, { name: "safety", fields: { spec } });
  await finish(swept, jobs);
  return swept;
}

interface Marks {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

async function finish(swept: SweptCluster, jobs: Record<string, Marks>, namespace = "team"): Promise<void> {
  for (const [name, marks] of Object.entries(jobs)) await finishOne(swept, name, marks, namespace);
}

async function finishOne(
  swept: SweptCluster,
  name: string,
  metadata: Marks = {},
  namespace = "team",
): Promise<KubeObject> {
  const made = await swept.make(
    job,
    { name, fields: { spec: { template, ttlSecondsAfterFinished: 10 } } },
    namespace,
  );
  await swept.cluster.ask(namespace, patch(job, name, { metadata }));
  const at = timestamp(swept.now);
  const conditions = [{ type: "Complete", status: "True", lastTransitionTime: at }];
  await swept.status(job, name, { startTime: at, conditions }, namespace);
  return made;
}

async function later(swept: SweptCluster, milliseconds = MINUTE): Promise<void> {
  swept.now += milliseconds;
  await swept.settle();
}

const stoppedEvents = async (swept: SweptCluster): Promise<unknown[]> => {
  const { results } = await DB.prepare(
    "SELECT body FROM objects WHERE cluster = ?1 AND resource = 'events' AND namespace = 'default'",
  )
    .bind(swept.cluster.id)
    .all<{ body: string }>();
  return results
    .map(({ body }) => JSON.parse(body))
    .filter(({ reason }) => reason === "DeletionGuardExceeded");
};

describe("a sweep that would delete more than a guard allows", () => {
  it("deletes nothing, says so in its run, and raises one Event about the guard", async () => {
    const swept = await guarded({ sweep: { count: 2 } }, { a: {}, b: {}, c: {} });
    await later(swept);
    expect(await swept.names(job)).toEqual(["a", "b", "c"]);
    const [run] = await swept.runs();
    expect(run).toMatchObject({ sweep: "jobs", deleted: 0, skipped: 3 });
    expect(run?.message).toBe('DeletionGuard "safety": 3 objects would go in one run, and 2 may');
    expect(JSON.parse(run?.skipped_objects ?? "[]")[0]).toMatchObject({ name: "a", reason: run?.message });
    expect(await stoppedEvents(swept)).toMatchObject([
      {
        type: "Warning",
        involvedObject: { kind: "DeletionGuard", name: "safety" },
        message: expect.stringContaining("the sweep jobs has stopped"),
      },
    ]);
  });

  it("counts what would go with what it deletes", async () => {
    const swept = await guarded({ sweep: { count: 2 } }, {});
    const owner = await finishOne(swept, "owner");
    const configMap = kindOf("configmaps");
    for (const name of ["a", "b"]) await swept.make(configMap, { name, owners: [ownedBy(owner)] });
    await later(swept);
    expect(await swept.names(job)).toEqual(["owner"]);
    const [run] = await swept.runs();
    expect(run?.message).toContain("3 objects would go in one run, and 2 may");
  });

  it("goes on when the guard is gone, at once", async () => {
    const swept = await guarded({ freeze: true }, { a: {} });
    await later(swept);
    expect(await swept.names(job)).toEqual(["a"]);
    await swept.cluster.ask("", remove(guards, "safety"));
    await later(swept, 1_000);
    expect(await swept.names(job)).toEqual([]);
  });

  it("counts what the same run has deleted before, and tells of it once", async () => {
    const swept = await guarded({ sweep: { count: 2 } }, { a: {} });
    await finish(swept, { b: {}, c: {} }, "other");
    await later(swept);
    const [run] = await swept.runs();
    expect(run).toMatchObject({ deleted: 1, skipped: 2 });
    expect(await stoppedEvents(swept)).toHaveLength(1);
  });

  it("counts what went within the hour, by whomever", async () => {
    const swept = await guarded({ hour: { count: 2 } }, { a: {}, b: {} });
    const configMap = kindOf("configmaps");
    await swept.make(configMap, { name: "m" });
    await swept.cluster.ask("team", remove(configMap, "m"));
    await later(swept);
    expect(await swept.names(job)).toEqual(["a", "b"]);
    await later(swept, 2 * HOUR);
    expect(await swept.names(job)).toEqual([]);
  });
});

describe("an object that is protected", () => {
  it.each([
    ["by a label", { protect: { labels: ["keep"] } }, { labels: { keep: "yes" } }, "bears the label keep"],
    ["by its namespace", { protect: { namespaces: ["team"] } }, {}, "is in the namespace team"],
    [
      "by a mark of its own",
      {},
      { annotations: { "argocd.argoproj.io/sync-options": "Delete=false" } },
      "Delete=false",
    ],
  ])("%s stays, and the others go", async (_, spec, metadata, why) => {
    const swept = await guarded(spec, { kept: metadata });
    await finish(swept, { gone: {} }, "other");
    await later(swept);
    expect(await swept.names(job)).toEqual(["kept"]);
    const skipped = (await swept.runs()).flatMap(({ skipped_objects }) => JSON.parse(skipped_objects));
    expect(skipped).toMatchObject([{ name: "kept", reason: expect.stringContaining(why) }]);
    expect(await stoppedEvents(swept)).toEqual([]);
  });

  it("keeps its owner, which would take it along", async () => {
    const swept = await guarded({ protect: { labels: ["keep"] } }, { free: {} });
    const owner = await finishOne(swept, "owner");
    const configMap = kindOf("configmaps");
    await swept.make(configMap, { name: "result", labels: { keep: "yes" }, owners: [ownedBy(owner)] });
    await later(swept);
    expect(await swept.names(job)).toEqual(["owner"]);
    const skipped = (await swept.runs()).flatMap(({ skipped_objects }) => JSON.parse(skipped_objects));
    expect(skipped).toMatchObject([
      {
        name: "owner",
        reason: 'DeletionGuard "safety": ConfigMap team/result, which would go with it, bears the label keep',
      },
    ]);
  });

  it("stays by its kind", async () => {
    const swept = await guarded({ protect: { kinds: ["Job"] } }, { a: {}, b: {} });
    await later(swept);
    expect(await swept.names(job)).toEqual(["a", "b"]);
  });

  it("goes when its date has passed", async () => {
    const swept = await SweptCluster.create(NAMESPACES);
    await swept.make(guards, { name: "safety", fields: { spec: {} } });
    const until = timestamp(swept.now + HOUR);
    await finish(swept, { dated: { annotations: { "gc.kubegc.dev/protect-until": until } } });
    await later(swept);
    expect(await swept.names(job)).toEqual(["dated"]);
    await later(swept, 2 * HOUR);
    expect(await swept.names(job)).toEqual([]);
  });

  it("is not freed at its provider either", async () => {
    const swept = await SweptCluster.create(NAMESPACES);
    await swept.make(guards, {
      name: "safety",
      fields: { spec: { protect: { kinds: ["PersistentVolume"] } } },
    });
    const asked: string[] = [];
    swept.answer = ({ ask }) => {
      asked.push(ask);
      return { result: "done" };
    };
    await swept.policy({
      sweeps: { persistentvolumes: { deleter: { url: "https://volumes.example.com/delete" } } },
    });
    const claimRef = { namespace: "team", name: "c", uid: "u" };
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Delete",
      claimRef,
      hostPath: { path: "/x" },
    };
    await swept.make(volume, { name: "v", fields: { spec } });
    await later(swept);
    expect(asked).toEqual([]);
    await swept.cluster.ask("", patch(guards, "safety", { spec: { protect: null } }));
    await later(swept);
    expect(asked).toEqual(["delete-volume"]);
  });
});
