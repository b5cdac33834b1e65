import { describe, expect, it, test } from "vitest";
import { timestamp } from "../../objects/object.ts";
import type { SweepName } from "../../sweeps/decision.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { create, DB, ownedBy, patch, remove, tables } from "../graph.fixture.ts";
import { dueSlice, putOffDue } from "./due.ts";
import { SweptCluster } from "./sweep.fixture.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;

const job = kindOf("jobs.batch");
const cronJob = kindOf("cronjobs.batch");
const pod = kindOf("pods");
const node = kindOf("nodes");
const lease = kindOf("leases.coordination.k8s.io");
const csr = kindOf("certificatesigningrequests.certificates.k8s.io");
const configMap = kindOf("configmaps");
const secret = kindOf("secrets");
const event = kindOf("events");
const volume = kindOf("persistentvolumes");
const claim = kindOf("persistentvolumeclaims");
const replicaSet = kindOf("replicasets.apps");
const deployment = kindOf("deployments.apps");
const policies = kindOf("sweeppolicies.gc.kubegc.dev");

const containers = [{ name: "c", image: "i" }];
const template = { metadata: { labels: { app: "web" } }, spec: { restartPolicy: "Never", containers } };

/** A Job that has just finished. */
async function finishedJob(
  swept: SweptCluster,
  name: string,
  ttl?: number,
  more: object = {},
): Promise<string> {
  const spec = { template, ...(ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl }) };
  const { metadata } = await swept.make(job, { name, fields: { spec }, ...more });
  const at = timestamp(swept.now);
  await swept.status(job, name, {
    startTime: at,
    conditions: [{ type: "Complete", status: "True", lastTransitionTime: at }],
  });
  return metadata.uid;
}

async function evictedPod(swept: SweptCluster, name: string, namespace = "team"): Promise<void> {
  await swept.make(pod, { name, fields: { spec: { containers } } }, namespace);
  await swept.status(pod, name, { phase: "Failed", reason: "Evicted" }, namespace);
}

const secondsOf = (moment: number): number => Math.floor(moment / 1000) * 1000;

/** For each sweep something that it deletes, how it gets there, and what is left of it after. */
const DELETED: Record<SweepName, (swept: SweptCluster) => Promise<() => Promise<boolean>>> = {
  async orphans(swept) {
    const owner = await swept.make(configMap, { name: "owner" });
    const { metadata } = await swept.make(configMap, { name: "orphan", owners: [ownedBy(owner)] });
    await swept.settle();
    // Taken away behind everybody's back.
    await DB.prepare("DELETE FROM objects WHERE uid = ?1").bind(owner.metadata.uid).run();
    await swept.run("orphans");
    return async () => (await swept.names(configMap)).includes(metadata.name);
  },
  async certificatesigningrequests(swept) {
    const spec = { request: "eA==", signerName: "x.example.com/y", usages: ["client auth"] };
    await swept.make(csr, { name: "denied", fields: { spec } });
    const conditions = [
      { type: "Denied", status: "True", reason: "no", lastUpdateTime: timestamp(swept.now) },
    ];
    await swept.cluster.ask("", {
      ...patch(csr, "denied", { status: { conditions } }),
      ...throughApproval("denied", conditions),
    });
    swept.now += HOUR + 2 * MINUTE;
    return async () => (await swept.names(csr)).length > 0;
  },
  async leases(swept) {
    const spec = { holderIdentity: "n", leaseDurationSeconds: 40, renewTime: microTime(swept.now) };
    await swept.make(lease, { name: "n", fields: { spec } }, "kube-node-lease");
    swept.now += 6 * MINUTE;
    return async () => (await swept.names(lease)).length > 0;
  },
  async jobs(swept) {
    await finishedJob(swept, "j", 10);
    swept.now += MINUTE;
    return async () => (await swept.names(job)).length > 0;
  },
  async cronjobs(swept) {
    const spec = {
      schedule: "* * * * *",
      jobTemplate: { spec: { template } },
      successfulJobsHistoryLimit: 0,
    };
    const owner = await swept.make(cronJob, { name: "c", fields: { spec } });
    await finishedJob(swept, "j", undefined, { owners: [ownedBy(owner, { controller: true })] });
    return async () => (await swept.names(job)).length > 0;
  },
  async pods(swept) {
    for (const name of ["a", "b", "c"]) await evictedPod(swept, name);
    await swept.settle();
    swept.now += 5_000;
    return async () => (await swept.names(pod)).length === 3;
  },
  async persistentvolumes(swept) {
    await swept.make(volume, {
      name: "v",
      fields: {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Delete",
          claimRef: { namespace: "team", name: "c", uid: "u" },
          hostPath: { path: "/x" },
        },
      },
    });
    swept.answer = () => ({ result: "done" });
    return async () => (await swept.names(volume)).length > 0;
  },
  async nodes(swept) {
    await swept.make(node, { name: "n", fields: { spec: { providerID: "x://1" } } });
    swept.answer = () => ({ answer: false });
    return async () => (await swept.names(node)).length > 0;
  },
  async events(swept) {
    const involvedObject = { kind: "Pod", name: "p", namespace: "team" };
    await swept.make(event, {
      name: "e",
      fields: { involvedObject, reason: "r", message: "m", type: "Normal" },
    });
    swept.now += HOUR + MINUTE;
    return async () => (await swept.names(event)).includes("e");
  },
  async secrets(swept) {
    const data = { expiration: btoa(timestamp(swept.now + MINUTE)) };
    await swept.make(
      secret,
      { name: "bootstrap-token-x", fields: { type: "bootstrap.kubernetes.io/token", data } },
      "kube-system",
    );
    swept.now += 2 * MINUTE;
    return async () => (await swept.names(secret)).length > 0;
  },
  async revisions(swept) {
    const spec = {
      replicas: 0,
      revisionHistoryLimit: 0,
      selector: { matchLabels: { app: "web" } },
      template: webTemplate,
    };
    const owner = await swept.make(deployment, { name: "d", fields: { spec } });
    const old = { ...webTemplate, spec: { containers: [{ name: "c", image: "old" }] } };
    for (const [name, template] of [
      ["new", webTemplate],
      ["old", old],
    ] as const) {
      await swept.make(replicaSet, {
        name,
        owners: [ownedBy(owner, { controller: true })],
        fields: { spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template } },
      });
      await swept.status(replicaSet, name, { replicas: 0, observedGeneration: 1 });
    }
    await swept.status(deployment, "d", { observedGeneration: 1 });
    return async () => (await swept.names(replicaSet)).includes("old");
  },
  async ttl(swept) {
    const text = { metadata: { annotations: { "janitor/ttl": "1m" } } };
    await swept.make(configMap, { name: "brief" });
    await swept.cluster.ask("team", patch(configMap, "brief", text));
    swept.now += 2 * MINUTE;
    return async () => (await swept.names(configMap)).includes("brief");
  },
};

const webTemplate = { metadata: { labels: { app: "web" } }, spec: { containers } };
const microTime = (moment: number) => timestamp(moment).replace("Z", ".000000Z");

function throughApproval(name: string, conditions: object[]) {
  const text = JSON.stringify({ status: { conditions } });
  return {
    mutation: { verb: "patch", name, subresource: "approval", type: "merge", text } as const,
  };
}

const NAMESPACES = ["team", "other", "default", "kube-system", "kube-node-lease"];

/** What makes a sweep delete anything, where its defaults do not. */
const settings: Partial<Record<SweepName, object>> = {
  pods: { terminatedPodGCThreshold: 2 },
  persistentvolumes: { deleter: { url: "https://hooks.example/" } },
  nodes: { instanceProvider: { url: "https://hooks.example/" } },
};

describe("each sweep", () => {
  test.each(Object.entries(DELETED) as [SweepName, (typeof DELETED)[SweepName]][])(
    "%s deletes, with a record of why and a run that tells",
    async (name, prepare) => {
      const swept = await SweptCluster.create(NAMESPACES);
      await swept.policy({ sweeps: { [name]: settings[name] ?? {} } });
      const isThere = await prepare(swept);
      await swept.settle();
      swept.now += 5_000;
      await swept.settle();
      expect(await isThere()).toBe(false);
      const counts = await swept.counts(name);
      expect(counts).toMatchObject({ deleted: 1, skipped: 0, reported: 0, failed: 0 });
      const [record] = (await swept.cluster.deletions()).filter(({ rule }) => rule !== "request");
      expect(record?.removed_at).not.toBeNull();
      expect(record?.actor).toMatch(/^system:/);
    },
  );

  test.each(Object.entries(DELETED) as [SweepName, (typeof DELETED)[SweepName]][])(
    "%s in report-only mode deletes nothing, and reports it",
    async (name, prepare) => {
      const swept = await SweptCluster.create(NAMESPACES);
      await swept.policy({ sweeps: { [name]: { ...settings[name], reportOnly: true } } });
      const isThere = await prepare(swept);
      await swept.settle();
      swept.now += 5_000;
      await swept.settle();
      expect(await isThere()).toBe(true);
      const counts = await swept.counts(name);
      expect(counts).toMatchObject({ deleted: 0, patched: 0 });
      expect(counts.reported).toBeGreaterThan(0);
      expect((await swept.cluster.deletions()).filter(({ rule }) => rule !== "request")).toEqual([]);
    },
  );

  test.each(Object.entries(DELETED) as [SweepName, (typeof DELETED)[SweepName]][])(
    "%s run by hand as a dry run deletes nothing, and says what it would delete",
    async (name, prepare) => {
      const swept = await SweptCluster.create(NAMESPACES);
      // Nothing happens by itself, and a run by hand reports.
      await swept.policy({ sweeps: { [name]: { ...settings[name], reportOnly: true } } });
      const isThere = await prepare(swept);
      const run = await swept.run(name, true);
      expect(await isThere()).toBe(true);
      expect(run).toMatchObject({ pending: 0, deleted: 0, patched: 0 });
      expect(run.reported).toBeGreaterThan(0);
      expect(run.deleted_objects).toContain('"reported":true');
    },
  );
});

describe("a Job with a TTL", () => {
  it("goes at the second at which it is over, and not before", async () => {
    const swept = await SweptCluster.create();
    const uid = await finishedJob(swept, "j", 100);
    const due = await swept.sweepAt(uid);
    expect(due).toBe(secondsOf(due ?? 0));
    swept.now = (due ?? 0) - 1;
    await swept.settle();
    expect(await swept.names(job)).toEqual(["j"]);
    swept.now = due ?? 0;
    await swept.settle();
    expect(await swept.names(job)).toEqual([]);
    const [record] = await swept.cluster.deletions();
    expect(record).toMatchObject({ rule: "job-ttl", policy: "Foreground", removed_at: due });
  });

  it("whose TTL is made longer stays as long", async () => {
    const swept = await SweptCluster.create();
    await finishedJob(swept, "j", 100);
    await swept.cluster.ask("team", patch(job, "j", { spec: { ttlSecondsAfterFinished: 1000 } }));
    swept.now += 500_000;
    await swept.settle();
    expect(await swept.names(job)).toEqual(["j"]);
  });
});

describe("one that cannot be judged", () => {
  it("stays, is reported, and holds up no other", async () => {
    const swept = await SweptCluster.create();
    const broken = { metadata: { annotations: { "janitor/ttl": "soon" } } };
    await swept.make(configMap, { name: "bad" });
    await swept.cluster.ask("team", patch(configMap, "bad", broken));
    await swept.make(configMap, { name: "good" });
    await swept.cluster.ask(
      "team",
      patch(configMap, "good", { metadata: { annotations: { "janitor/ttl": "1m" } } }),
    );
    swept.now += 2 * MINUTE;
    await swept.settle();
    expect(await swept.names(configMap)).toEqual(["bad"]);
    expect(await swept.counts("ttl")).toMatchObject({ deleted: 1, skipped: 1 });
  });
});

describe("settings that change", () => {
  it("change what is due, also for objects from before", async () => {
    const swept = await SweptCluster.create();
    const involvedObject = { kind: "Pod", name: "p", namespace: "team" };
    await swept.make(event, {
      name: "e",
      fields: { involvedObject, reason: "r", message: "m", type: "Normal" },
    });
    swept.now += 10 * MINUTE;
    await swept.settle();
    expect(await swept.names(event)).toEqual(["e"]);
    await swept.policy({ sweeps: { events: { eventTTL: "5m" } } });
    await swept.settle();
    expect(await swept.names(event)).toEqual([]);
    await swept.make(event, {
      name: "f",
      fields: { involvedObject, reason: "r", message: "m", type: "Normal" },
    });
    await swept.cluster.ask("", remove(policies, "default"));
    await swept.settle();
    swept.now += 10 * MINUTE;
    await swept.settle();
    expect(await swept.names(event)).toEqual(["f"]);
  });

  it("and objects that were written before there were moments, get theirs", async () => {
    const swept = await SweptCluster.create();
    const uid = await finishedJob(swept, "j", 100);
    const due = await swept.sweepAt(uid);
    await DB.prepare("UPDATE objects SET sweep_at = NULL WHERE cluster = ?1").bind(swept.cluster.id).run();
    await DB.prepare(
      "INSERT INTO work (cluster, namespace, task, uid, stage) VALUES (?1, '', 'moments', '', 1)",
    )
      .bind(swept.cluster.id)
      .run();
    await swept.settle();
    expect(await swept.sweepAt(uid)).toBe(due);
  });
});

describe("Pods of a Node that is gone", () => {
  async function podOnNode() {
    const swept = await SweptCluster.create();
    await swept.make(node, { name: "n" });
    await swept.make(pod, { name: "p", fields: { spec: { nodeName: "n", containers } } });
    await swept.cluster.ask("", remove(node, "n"));
    return swept;
  }

  it("go after its quarantine, Failed first, and not before", async () => {
    const swept = await podOnNode();
    const gone = swept.now;
    swept.now = gone + 39_000;
    await swept.settle();
    expect(await swept.names(pod)).toEqual(["p"]);
    swept.now = gone + 41_000;
    await swept.settle();
    expect(await swept.names(pod)).toEqual([]);
    const { results } = await DB.prepare(
      "SELECT type, body ->> '$.status.phase' AS phase FROM changes WHERE id >> 40 = ?1 AND resource = 'pods' ORDER BY id",
    )
      .bind(swept.cluster.id)
      .all();
    expect(results.slice(-2)).toEqual([
      { type: "MODIFIED", phase: "Failed" },
      { type: "DELETED", phase: "Failed" },
    ]);
  });

  it("#25 stay as they are when they cannot be patched: patch and deletion are one batch", async () => {
    const swept = await podOnNode();
    await swept.make(node, { name: "other" });
    swept.now += 41_000;
    // Between the look and the batch the Pod turns out to be on another Node.
    const { store } = swept.context("team");
    const commit = store.commit.bind(store);
    let refused = 0;
    store.commit = async (commit_) => {
      if (commit_.removals.length > 0 && refused++ === 0) {
        await DB.prepare(
          "UPDATE objects SET resource_version = resource_version + 1, body = json_set(body, '$.spec.nodeName', 'other') WHERE cluster = ?1 AND resource = 'pods'",
        )
          .bind(swept.cluster.id)
          .run();
      }
      return commit(commit_);
    };
    await swept.settle();
    expect(refused).toBe(1);
    const left = await swept.cluster.find(pod, "p");
    expect(left?.status).not.toMatchObject({ phase: "Failed" });
    expect(await swept.counts("pods")).toMatchObject({ deleted: 0 });
  });

  it("stay when it is back", async () => {
    const swept = await podOnNode();
    await swept.make(node, { name: "n" });
    swept.now += MINUTE;
    await swept.settle();
    expect(await swept.names(pod)).toEqual(["p"]);
  });

  it("are found by a run by hand, when nobody saw it go", async () => {
    const swept = await SweptCluster.create();
    await swept.make(pod, { name: "p", fields: { spec: { nodeName: "never", containers } } });
    const run = await swept.run("pods");
    expect(run.message).toContain("missing");
    swept.now += MINUTE;
    await swept.settle();
    expect(await swept.names(pod)).toEqual([]);
  });
});

describe("volumes and claims", () => {
  it("a claim that a Pod uses goes with its Pod, and its volume is freed", async () => {
    const swept = await SweptCluster.create();
    const asked: string[] = [];
    await swept.policy({ sweeps: { persistentvolumes: { deleter: { url: "https://hooks.example/" } } } });
    swept.answer = ({ ask }) => {
      asked.push(ask);
      return { result: "done" };
    };
    const { metadata } = await swept.make(claim, {
      name: "c",
      fields: {
        spec: {
          volumeName: "v",
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
        },
      },
    });
    await swept.make(volume, {
      name: "v",
      fields: {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Delete",
          claimRef: { namespace: "team", name: "c", uid: metadata.uid },
          hostPath: { path: "/x" },
        },
      },
    });
    await swept.status(volume, "v", { phase: "Bound" });
    const volumes = [{ name: "d", persistentVolumeClaim: { claimName: "c" } }];
    await swept.make(pod, { name: "p", fields: { spec: { nodeName: "n", containers, volumes } } });
    await swept.settle();
    await swept.cluster.ask("team", remove(claim, "c"));
    await swept.settle();
    expect(await swept.names(claim)).toEqual(["c"]);
    expect(await swept.names(volume)).toEqual(["v"]);
    await swept.cluster.ask("team", remove(pod, "p", { gracePeriodSeconds: 0 }));
    await swept.settle();
    expect(await swept.names(claim)).toEqual([]);
    swept.now += 2_000;
    await swept.settle();
    expect(await swept.names(volume)).toEqual([]);
    expect(asked).toEqual(["delete-volume"]);
  });
});

describe("a batch that is refused", () => {
  it("changes nothing, and the object is looked at as it is now", async () => {
    const swept = await SweptCluster.create();
    await finishedJob(swept, "j", 10);
    swept.now += MINUTE;
    // Between the look and the batch its TTL is taken away.
    const { store } = swept.context("team");
    const commit = store.commit.bind(store);
    let first = true;
    store.commit = async (commit_) => {
      if (first) {
        first = false;
        await DB.prepare(
          "UPDATE objects SET resource_version = resource_version + 1, body = json_remove(body, '$.spec.ttlSecondsAfterFinished') WHERE cluster = ?1 AND resource = 'jobs.batch'",
        )
          .bind(swept.cluster.id)
          .run();
      }
      return commit(commit_);
    };
    await swept.settle();
    expect(await swept.names(job)).toEqual(["j"]);
    expect(await swept.counts("jobs")).toMatchObject({ found: 0, deleted: 0 });
  });
});

describe("several requests at once", () => {
  it("a run by hand over what is due anyway deletes each object once", async () => {
    const swept = await SweptCluster.create();
    await swept.cluster.ask(
      "team",
      ...Array.from({ length: 3 }, (_, i) => create(configMap, { name: `c${i}` })),
    );
    for (const i of [0, 1, 2]) {
      await swept.cluster.ask(
        "team",
        patch(configMap, `c${i}`, { metadata: { annotations: { "janitor/ttl": "1m" } } }),
      );
    }
    swept.now += 5 * MINUTE;
    await Promise.all([swept.run("ttl"), swept.run("ttl"), swept.settle()]);
    expect(await swept.names(configMap)).toEqual([]);
    expect((await swept.counts("ttl")).deleted).toBe(3);
  });
});

describe("a graph object that another one has taken over from", () => {
  it("deletes nothing of what is due, puts nothing off, and adds nothing to a run", async () => {
    const swept = await SweptCluster.create();
    await finishedJob(swept, "j", 10);
    swept.now += MINUTE;
    await DB.prepare(
      "UPDATE namespaces_owner SET epoch = epoch + 1 WHERE cluster = ?1 AND namespace = 'team'",
    )
      .bind(swept.cluster.id)
      .run();
    const before = await tables(swept.cluster.id);
    await expect(dueSlice(swept.context("team"))).rejects.toThrow("epoch");
    await putOffDue(swept.context("team"));
    expect(await tables(swept.cluster.id)).toEqual(before);
    expect(await swept.runs()).toEqual([]);
  });
});

describe("an object over which a slice fails again and again", () => {
  it("is put off, and the others go", async () => {
    const swept = await SweptCluster.create();
    await finishedJob(swept, "first", 10);
    swept.now += 1_000;
    await finishedJob(swept, "second", 10);
    swept.now += MINUTE;
    await putOffDue(swept.context("team"));
    await swept.settle();
    expect(await swept.names(job)).toEqual(["first"]);
    swept.now += 10 * MINUTE;
    await swept.settle();
    expect(await swept.names(job)).toEqual([]);
  });
});

describe("an instance provider", () => {
  async function silentNode() {
    const swept = await SweptCluster.create();
    await swept.policy({ sweeps: { nodes: { instanceProvider: { url: "https://hooks.example/" } } } });
    await swept.make(node, { name: "n", fields: { spec: { providerID: "x://1" } } });
    return swept;
  }

  it("that gives no answer keeps the Node, and is asked again", async () => {
    const swept = await silentNode();
    await swept.settle();
    expect(await swept.names(node)).toEqual(["n"]);
    expect(await swept.counts("nodes")).toMatchObject({ deleted: 0, skipped: 1 });
    swept.answer = () => ({ answer: false });
    swept.now += 6_000;
    await swept.settle();
    expect(await swept.names(node)).toEqual([]);
  });

  it("whose answer comes when the Node is ready again deletes nothing", async () => {
    const swept = await silentNode();
    let asked = 0;
    swept.answer = () => {
      asked++;
      return { answer: false };
    };
    const context = swept.context("");
    while (!(await dueSlice(context)).empty);
    await swept.status(node, "n", { conditions: [{ type: "Ready", status: "True" }] });
    await swept.settle();
    expect(asked).toBe(1);
    expect(await swept.names(node)).toEqual(["n"]);
  });
});
