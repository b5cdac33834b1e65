import { env, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { Databases } from "../../db/database.ts";
import { READ_GONE_IMAGES, READ_NODE_CONTAINERS, READ_NODE_IMAGES } from "../../db/nodes.ts";
import { WatchedDatabase } from "../graph/database.fixture.ts";
import { newCluster } from "../graph/graph.fixture.ts";
import type { Clock } from "../objects/clock.ts";
import { nodeRecordsName } from "./node-name.ts";
import type { NodeRecords, ReportAnswer } from "./node-records.ts";
import { takeReport } from "./plan/take-report.ts";
import { EMPTY_RECORD, type NodeRecord } from "./record/node-record.ts";
import { settingsOfRow } from "./record/node-settings.ts";
import { NodeStore, NodeSuperseded } from "./record/node-store.ts";
import { readReport } from "./report/read-report.ts";

const { DB, NODE_RECORDS } = env as unknown as Databases & {
  NODE_RECORDS: DurableObjectNamespace<NodeRecords>;
};

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;
const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));
const hex = (n: number): string => n.toString(16).padStart(64, "0");

let cluster = 0;
beforeEach(async () => {
  cluster = await newCluster();
});

interface Sketch {
  sequence: number;
  images?: { n: number; size?: number; pinned?: boolean }[];
  containers?: { n: number; image: number; state?: string }[];
  /** Of 1000 KiB. */
  availableKiB?: number;
  results?: string;
}

/** Parts of a report as crictl and df print them. */
function parts({ sequence, images = [], containers = [], availableKiB = 900, results = "" }: Sketch) {
  return {
    agent: `version 1\nsequence ${sequence}\ntime ${NOW / 1000}\nmode run\nboot b1\n`,
    images: JSON.stringify({
      images: images.map(({ n, size = 102_400, pinned = false }) => ({
        id: `sha256:${hex(n)}`,
        repoTags: [`registry.example/app-${n}:1`],
        repoDigests: [],
        size: String(size),
        pinned,
      })),
    }),
    containers: JSON.stringify({
      containers: containers.map(({ n, image, state = "CONTAINER_RUNNING" }) => ({
        id: hex(n),
        podSandboxId: hex(n + 1_000_000),
        metadata: { name: "app", attempt: 0 },
        image: { image: `sha256:${hex(image)}` },
        imageRef: `sha256:${hex(image)}`,
        state,
        createdAt: `${NOW}000000`,
        labels: {
          "io.kubernetes.container.name": "app",
          "io.kubernetes.pod.name": `pod-${n}`,
          "io.kubernetes.pod.namespace": "default",
          "io.kubernetes.pod.uid": `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`,
        },
      })),
    }),
    pods: JSON.stringify({ items: [] }),
    imagefsinfo: JSON.stringify({
      status: { fsId: { mountpoint: "/var/lib/images" }, usedBytes: { value: "1" } },
    }),
    df: ["# nodefs -k /var/lib/kubelet", "# fs -k /var/lib/images"]
      .map(
        (head) =>
          `${head}\nFilesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 1000 ${1000 - availableKiB} ${availableKiB} 50% /\n`,
      )
      .join(""),
    logs: "",
    links: "",
    results,
  };
}

const records = (node: string) => NODE_RECORDS.getByName(nodeRecordsName(cluster, node));

async function send(node: string, sketch: Sketch | object): Promise<ReportAnswer> {
  const fields = "sequence" in sketch ? parts(sketch) : sketch;
  const body = bytes(JSON.stringify(fields));
  const answer = await records(node).report(body, "application/json");
  if (!answer.ok) throw new Error(JSON.stringify(answer.failure));
  return answer.value as ReportAnswer;
}

const at = (node: string, now: number) =>
  runInDurableObject(records(node), (instance) => {
    (instance as unknown as { clock: Clock }).clock = () => now;
  });

async function stored(text: string, node: string, ...more: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await DB.prepare(text)
    .bind(cluster, node, ...more)
    .all();
  return results;
}

/** The object is gone, and with it all that it knew. */
const evict = (node: string) =>
  runInDurableObject(records(node), (_, state) => state.abort("evicted")).catch(() => undefined);

describe("a node's record", () => {
  it("keeps images and containers, and writes only what has changed", async () => {
    await at("n1", NOW);
    const images = [{ n: 1 }, { n: 2 }];
    const containers = [{ n: 10, image: 1 }];
    await send("n1", { sequence: 1, images, containers });
    await at("n1", NOW + MINUTE);
    await send("n1", { sequence: 2, images, containers });
    expect(await stored(READ_NODE_IMAGES, "n1")).toMatchObject([
      { image: `sha256:${hex(1)}`, first_detected: NOW, last_used: NOW, in_use: 1, size: 102_400 },
      { image: `sha256:${hex(2)}`, first_detected: NOW, last_used: null, in_use: 0 },
    ]);
    expect(await stored(READ_NODE_CONTAINERS, "n1")).toMatchObject([
      { id: hex(10), name: "app", pod_name: "pod-10", state: "RUNNING", exited_at: null },
    ]);
    // Its last use is the latest report that showed it in use.
    await at("n1", NOW + 2 * MINUTE);
    await send("n1", { sequence: 3, images });
    expect(await stored(READ_NODE_IMAGES, "n1")).toMatchObject([
      { first_detected: NOW, last_used: NOW + MINUTE, in_use: 0 },
      { first_detected: NOW, last_used: null },
    ]);
    expect(await stored(READ_NODE_CONTAINERS, "n1")).toEqual([]);
  });

  it("outlives its object: ages go on where they were", async () => {
    await at("n1", NOW);
    await send("n1", { sequence: 1, images: [{ n: 1 }], containers: [{ n: 10, image: 1 }] });
    await at("n1", NOW + 4 * MINUTE);
    await send("n1", { sequence: 2, images: [{ n: 1 }], containers: [{ n: 10, image: 1 }] });
    await evict("n1");
    await at("n1", NOW + 10 * MINUTE);
    await send("n1", { sequence: 3, images: [{ n: 1 }] });
    expect(await stored(READ_NODE_IMAGES, "n1")).toMatchObject([
      { first_detected: NOW, last_used: NOW + 4 * MINUTE, in_use: 0 },
    ]);
  });

  it("asks for what the disk needs, learns what went, and says by which rule", async () => {
    await at("n1", NOW);
    const images = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const containers = [{ n: 10, image: 1 }];
    await send("n1", { sequence: 1, images, containers, availableKiB: 900 });
    await at("n1", NOW + 5 * MINUTE);
    const { plan } = await send("n1", { sequence: 2, images, containers, availableKiB: 140 });
    expect(plan).toMatchObject({
      number: 1,
      nextReportSeconds: 1,
      steps: [
        { verb: "rmi", id: `sha256:${hex(2)}` },
        { verb: "rmi", id: `sha256:${hex(3)}` },
      ].slice(0, plan.steps.length),
    });
    expect(plan.steps.length).toBeGreaterThan(0);
    const gone = plan.steps.map(({ id }) => id);
    const left = images.filter(({ n }) => !gone.includes(`sha256:${hex(n)}`));
    // The answer of the node is lost; what it lists says enough.
    await evict("n1");
    await at("n1", NOW + 5 * MINUTE + 5000);
    await send("n1", { sequence: 3, images: left, containers, availableKiB: 500 });
    expect(await stored(READ_GONE_IMAGES, "n1", 10)).toMatchObject(
      gone.map(() => ({
        gone_at: NOW + 5 * MINUTE + 5000,
        gone_by: expect.stringMatching(/space|pressure/),
      })),
    );
  });

  it("answers a repeat with the same plan, and what came late with none", async () => {
    await at("n1", NOW);
    const images = [{ n: 1 }, { n: 2 }];
    await send("n1", { sequence: 1, images });
    await at("n1", NOW + 5 * MINUTE);
    const first = await send("n1", { sequence: 2, images, availableKiB: 10 });
    expect(first.plan.steps).not.toEqual([]);
    expect(await send("n1", { sequence: 2, images, availableKiB: 10 })).toEqual(first);
    await evict("n1");
    await at("n1", NOW + 5 * MINUTE);
    expect((await send("n1", { sequence: 2, images, availableKiB: 10 })).plan).toEqual(first.plan);
    const late = await send("n1", { sequence: 1, images: [], availableKiB: 900 });
    expect(late).toMatchObject({ plan: { number: 0, steps: [] }, sequence: 2 });
    expect(await stored(READ_NODE_IMAGES, "n1")).toHaveLength(2);
  });

  it("takes reports of one node one after the other", async () => {
    await at("n1", NOW);
    await Promise.all([1, 2, 3].map((sequence) => send("n1", { sequence, images: [{ n: sequence }] })));
    expect(await stored("SELECT sequence FROM nodes WHERE cluster = ?1 AND node = ?2", "n1")).toEqual([
      { sequence: 3 },
    ]);
    expect(await stored(READ_NODE_IMAGES, "n1")).toHaveLength(1);
  });

  it("leaves an Event about the Node in the outbox of default", async () => {
    const store = new NodeStore(DB, cluster, "n1");
    const { epoch, record } = await store.claim();
    const event = { reason: "FreeDiskSpaceFailed", message: "full", firstAt: NOW, writtenAt: NOW, count: 1 };
    const after = { ...record, sequence: 1, reportedAt: NOW };
    await store.write(epoch, { before: record, after, removed: new Map(), events: [event] });
    const { results } = await DB.prepare(
      "SELECT detail FROM work WHERE cluster = ?1 AND namespace = 'default' AND task = 'event'",
    )
      .bind(cluster)
      .all<{ detail: string }>();
    expect(results.map(({ detail }) => JSON.parse(detail))).toMatchObject([
      {
        involvedObject: { kind: "Node", name: "n1", uid: "n1" },
        reason: "FreeDiskSpaceFailed",
        source: { component: "kubelet", host: "n1" },
        type: "Warning",
        count: 1,
      },
    ]);
  });

  it("knows whether there was a Node of its name", async () => {
    const registered = () =>
      stored("SELECT state ->> '$.registered' AS there FROM nodes WHERE cluster = ?1 AND node = ?2", "n1");
    await send("n1", { sequence: 1 });
    expect(await registered()).toEqual([{ there: 0 }]);
    await DB.prepare(
      `INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
       VALUES (?1, 'nodes', '', 'n1', ?2, 1, 1, '{"metadata":{"name":"n1"}}')`,
    )
      .bind(cluster, crypto.randomUUID())
      .run();
    await send("n1", { sequence: 2 });
    expect(await registered()).toEqual([{ there: 1 }]);
  });

  it("refuses what is no report, and changes nothing", async () => {
    const bodies: [string, string][] = [
      ["text/plain", "hello"],
      ["application/json", "{"],
      ["application/json", "[]"],
      ["application/json", "{}"],
      ["multipart/form-data; boundary=x", "--y"],
      ["application/json", JSON.stringify({ agent: "version 1\nsequence -1\nmode run" })],
    ];
    for (const [type, body] of bodies) {
      const answer = await records("n1").report(bytes(body), type);
      expect([answer.ok, body]).toEqual([false, body]);
    }
    expect(await stored("SELECT 1 FROM nodes WHERE cluster = ?1 AND node = ?2", "n1")).toEqual([]);
  });
});

describe("settings of a node", () => {
  const policy = (name: string, spec: object) =>
    DB.prepare(
      `INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
       VALUES (?1, 'nodepolicies.gc.kubegc.dev', '', ?2, ?3, 1, 1, ?4)`,
    )
      .bind(cluster, name, crypto.randomUUID(), JSON.stringify({ metadata: { name }, spec }))
      .run();

  it("are those of the cluster's policies, by the labels of the Node", async () => {
    await policy("all", { reportOnly: false, containerPeriod: "30s" });
    await policy("edge", { nodeSelector: { matchLabels: { site: "edge" } }, containerPeriod: "2m" });
    await DB.prepare(
      `INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
       VALUES (?1, 'nodes', '', 'n2', ?2, 1, 1, ?3)`,
    )
      .bind(
        cluster,
        crypto.randomUUID(),
        JSON.stringify({ metadata: { name: "n2", labels: { site: "edge" } } }),
      )
      .run();
    expect((await send("n1", { sequence: 1 })).plan.nextReportSeconds).toBe(30);
    expect((await send("n2", { sequence: 1 })).plan.nextReportSeconds).toBe(120);
    expect((await send("n2", { sequence: 2 })).plan.nextReportSeconds).toBe(120);
  });

  it("with report-only nothing is asked for, and what would have gone is said", async () => {
    await policy("all", { reportOnly: true });
    await at("n1", NOW);
    await send("n1", { sequence: 1, images: [{ n: 1 }] });
    await at("n1", NOW + 5 * MINUTE);
    const { plan } = await send("n1", { sequence: 2, images: [{ n: 1 }], availableKiB: 10 });
    expect(plan).toMatchObject({ number: 0, steps: [], withheld: [{ verb: "rmi" }] });
  });

  it("that cannot be read remove nothing", () => {
    const broken = JSON.stringify([["all", { nonsense: 1 }]]);
    expect(settingsOfRow({ labels: null, policies: broken }).reportOnly).toBe(true);
    expect(settingsOfRow({ labels: null, policies: "[]" }).reportOnly).toBe(false);
  });
});

describe("what a report costs", () => {
  const IMAGES = Array.from({ length: 1000 }, (_, n) => ({ n }));
  const CONTAINERS = Array.from({ length: 10_000 }, (_, n) => ({ n, image: n % 1000 }));

  function taken(record: NodeRecord, sketch: Sketch, now: number) {
    const reading = readReport(parts(sketch));
    if ("fault" in reading) throw new Error(reading.fault);
    const outcome = takeReport(record, reading.report, settingsOfRow({ labels: null, policies: "[]" }), now);
    if (outcome.state !== "taken") throw new Error("late");
    return { before: record, after: outcome.record, removed: outcome.removed, events: [] };
  }

  it("at most five queries for a thousand images and ten thousand containers, and two when nothing has changed", {
    timeout: 60_000,
  }, async () => {
    const watched = new WatchedDatabase(DB);
    const store = new NodeStore(watched.asD1, cluster, "big");
    const { epoch, record } = await store.claim();
    const first = taken(record, { sequence: 1, images: IMAGES, containers: CONTAINERS }, NOW);
    await store.write(epoch, first);
    expect(watched.costs.statements).toBeLessThanOrEqual(5);
    expect(watched.costs.rowsWritten).toBeLessThan(11_010);

    watched.reset();
    await store.settings();
    const second = taken(first.after, { sequence: 2, images: IMAGES, containers: CONTAINERS }, NOW + MINUTE);
    await store.write(epoch, second);
    expect(watched.costs).toMatchObject({ calls: 2, statements: expect.toBeOneOf([2, 4]) });
    expect(watched.costs.rowsWritten).toBeLessThanOrEqual(2);

    // All containers are others now, and every image has changed.
    watched.reset();
    await store.settings();
    const others = CONTAINERS.map(({ n, image }) => ({ n: n + 20_000, image }));
    const third = taken(
      second.after,
      { sequence: 3, images: IMAGES.map(({ n }) => ({ n, size: 7 })), containers: others.slice(0, 5000) },
      NOW + 2 * MINUTE,
    );
    await store.write(epoch, third);
    expect(watched.costs.calls).toBe(2);
    expect(watched.costs.statements).toBeLessThanOrEqual(5);
    expect(await stored(READ_NODE_CONTAINERS, "big")).toHaveLength(5000);

    watched.reset();
    const again = await new NodeStore(watched.asD1, cluster, "big").claim();
    expect(watched.costs).toMatchObject({ calls: 2, statements: 3 });
    expect(again.record).toEqual({
      ...third.after,
      images: third.after.images,
      containers: third.after.containers,
    });
  });
});

describe("two objects for one node", () => {
  it("the later one holds it, and the earlier one writes nothing more", async () => {
    const one = new NodeStore(DB, cluster, "n1");
    const held = await one.claim();
    const other = await new NodeStore(DB, cluster, "n1").claim();
    const change = {
      before: EMPTY_RECORD,
      after: { ...EMPTY_RECORD, sequence: 1, reportedAt: NOW },
      removed: new Map(),
      events: [],
    };
    await expect(one.write(held.epoch, change)).rejects.toThrow(NodeSuperseded);
    expect(await stored("SELECT sequence, epoch FROM nodes WHERE cluster = ?1 AND node = ?2", "n1")).toEqual([
      { sequence: null, epoch: other.epoch },
    ]);
  });

  it("a batch whose reply was lost is looked up, and written once", async () => {
    for (const arrived of [true, false]) {
      const watched = new WatchedDatabase(DB);
      const store = new NodeStore(watched.asD1, cluster, `n-${arrived}`);
      const { epoch, record } = await store.claim();
      let lost = false;
      watched.around = async (sql, send) => {
        if (lost || !sql.some((text) => text.includes("INSERT INTO nodes"))) return send();
        lost = true;
        if (arrived) await send();
        throw new Error("D1_ERROR: Network connection lost.");
      };
      const change = {
        before: record,
        after: { ...record, sequence: 5, reportedAt: NOW },
        removed: new Map(),
        events: [],
      };
      await store.write(epoch, change);
      expect(
        await stored("SELECT sequence FROM nodes WHERE cluster = ?1 AND node = ?2", `n-${arrived}`),
      ).toEqual([{ sequence: 5 }]);
    }
  });
});
