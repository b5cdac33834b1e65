import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCluster } from "../cluster.ts";
import { reviewing, serving, stopServing } from "../outbound/serving.ts";
import { eventually, startServer, type TestServer } from "../server.ts";
import { CORE, Stage } from "./scene.ts";
import { putLeftVolume } from "./scenes/persistentvolumes.ts";

// A cluster's own endpoints, as they are: slow, down, and of their own mind.

let server: TestServer;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
});
afterEach(stopServing);
afterAll(() => server?.stop());

async function stageWith(sweeps: object): Promise<Stage> {
  const stage = new Stage(await makeCluster(server, `endpoints-${++clusters}`));
  await stage.settings(sweeps);
  return stage;
}

const withDeleter = (url: string) => stageWith({ persistentvolumes: { deleter: { url } } });
const withProvider = (url: string) =>
  stageWith({ nodes: { instanceProvider: { url }, nodeMonitorPeriod: "200ms" } });

const statusOf = async (stage: Stage, path: string) => (await stage.get(path)).body?.status;
const isGone = (stage: Stage, path: string) =>
  eventually(
    () => stage.get(path),
    ({ code }) => code === 404,
    20_000,
  );

const reasonsAbout = async (stage: Stage): Promise<string[]> =>
  (await stage.get(`${CORE}/events`)).body.items.map((event: { reason: string }) => event.reason);

describe("a deleter", () => {
  it("that refuses makes the volume Failed, for its reason; it is asked again, with the same key", async () => {
    let refuses = true;
    const { url, asked } = await reviewing(() =>
      refuses ? { result: "Refused", message: "has snapshots" } : { result: "Done" },
    );
    const stage = await withDeleter(url);
    const path = await putLeftVolume(stage, "a", "Delete");
    const { uid } = (await stage.get(path)).body.metadata;
    await eventually(
      () => statusOf(stage, path),
      (status) => status?.phase === "Failed" && status.message === "has snapshots",
    );
    expect(
      await eventually(
        () => reasonsAbout(stage),
        (seen) => seen.includes("VolumeFailedDelete"),
      ),
    ).toContain("VolumeFailedDelete");
    refuses = false;
    await isGone(stage, path);
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked.map((request) => request.uid))).toEqual(new Set([uid]));
    expect(asked).toMatchObject(
      asked.map(() => ({ operation: "Delete", volume: { kind: "PersistentVolume" } })),
    );
  });

  it("that still has it attached is waited for: the volume stays Released", async () => {
    let attached = true;
    const { url } = await reviewing(() =>
      attached ? { result: "InProgress", message: "attached to n1" } : { result: "Done" },
    );
    const stage = await withDeleter(url);
    const path = await putLeftVolume(stage, "a", "Delete");
    await eventually(
      () => reasonsAbout(stage),
      (seen) => seen.includes("VolumeDelete"),
    );
    expect(await statusOf(stage, path)).toMatchObject({ phase: "Released" });
    attached = false;
    await isGone(stage, path);
  });

  it("that is down frees nothing; the volume goes once it is up", async () => {
    const { url } = await reviewing(() => ({ result: "Done" }));
    await stopServing();
    const stage = await withDeleter(url);
    const path = await putLeftVolume(stage, "a", "Delete");
    await eventually(
      () => statusOf(stage, path),
      (status) => status?.message === `${url}/ could not be reached`,
    );
    const back = await reviewing(() => ({ result: "Done" }));
    await stage.settings({ persistentvolumes: { deleter: { url: back.url } } });
    await isGone(stage, path);
  });

  it("that answers for another path, redirects, or says nonsense frees nothing", async () => {
    const elsewhere = await reviewing(() => ({ result: "Done" }));
    const url = await serving((request, response) => {
      const path = request.url?.split("?")[0];
      if (path === "/redirect") response.writeHead(307, { location: elsewhere.url }).end();
      else if (path === "/page") response.end("<html>It works!</html>");
      else response.writeHead(404).end("404 page not found");
    });
    for (const [path, message] of [
      ["redirect", "answered 307, and redirects are not followed"],
      ["page", "did not answer with a VolumeReclaimReview for this request"],
      ["nowhere", "answered 404"],
    ]) {
      const stage = await withDeleter(`${url}/${path}?token=secret`);
      const volume = await putLeftVolume(stage, "a", "Delete");
      const status = await eventually(
        () => statusOf(stage, volume),
        (seen) => seen?.phase === "Failed",
      );
      expect(status.message).toBe(`${url}/${path} ${message}`);
    }
    expect(elsewhere.asked).toEqual([]);
  });

  it("that takes its time holds up nobody", async () => {
    let answer = () => {};
    const url = await serving(async (request, response) => {
      const {
        apiVersion,
        kind,
        request: asked,
      } = (await new Response(request as never).json()) as never as {
        apiVersion: string;
        kind: string;
        request: { uid: string };
      };
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, result: "Done" } }));
    });
    const stage = await withDeleter(url);
    const path = await putLeftVolume(stage, "a", "Delete");
    await eventually(
      () => statusOf(stage, path),
      (status) => status?.phase === "Released",
    );
    const other = await stage.put(`${CORE}/persistentvolumes`, "b", { spec: { hostPath: { path: "/b" } } });
    await stage.delete(other);
    await isGone(stage, other);
    expect((await stage.get(path)).code).toBe(200);
    await eventually(
      async () => {
        answer();
        return stage.get(path);
      },
      ({ code }) => code === 404,
    );
  });

  it("#114 whose answer comes when the volume is gone changes nothing, and no Event tells of it", async () => {
    let answer = () => {};
    const url = await serving(async (request, response) => {
      await new Response(request as never).text();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      response.writeHead(500).end();
    });
    const stage = await withDeleter(url);
    const path = await putLeftVolume(stage, "a", "Delete");
    await eventually(
      () => statusOf(stage, path),
      (status) => status?.phase === "Released",
    );
    await stage.patch(path, { metadata: { finalizers: null } });
    await stage.delete(path);
    await stage.patch(path, { metadata: { finalizers: null } }).catch(() => undefined);
    await isGone(stage, path);
    answer();
    const { status } = await stage.run("persistentvolumes");
    expect(status).toMatchObject({ found: 0, failed: 0, phase: "Succeeded" });
    expect(await reasonsAbout(stage)).toEqual([]);
  });

  it("is told nothing in report-only mode", async () => {
    const { url, asked } = await reviewing(() => ({ result: "Done" }));
    const stage = await stageWith({ persistentvolumes: { deleter: { url }, reportOnly: true } });
    const path = await stage.put(`${CORE}/persistentvolumes`, "a", {
      spec: {
        hostPath: { path: "/a" },
        persistentVolumeReclaimPolicy: "Delete",
        claimRef: { namespace: "default", name: "gone", uid: crypto.randomUUID() },
      },
      status: { phase: "Released" },
    });
    const { status } = await stage.run("persistentvolumes");
    expect(status).toMatchObject({ deleted: 0, changed: 0, reported: 1 });
    expect((await stage.get(path)).code).toBe(200);
    expect(asked).toEqual([]);
  });
});

describe("an instance provider", () => {
  const node = (stage: Stage, name: string, status = "Unknown") =>
    stage.put(`${CORE}/nodes`, name, {
      spec: { providerID: `cloud://${name}` },
      status: { conditions: [{ type: "Ready", status }] },
    });

  it("that refuses, is down or finds the machine again keeps the Node; a Node goes once it says so", async () => {
    let result = "Refused";
    const { url, asked } = await reviewing(() => ({ result, message: "no quota" }));
    const stage = await withProvider(url);
    const path = await node(stage, "n1");
    const problems = async () => {
      const runs = (await stage.get("/apis/gc.kubegc.dev/v1alpha1/sweepruns")).body.items;
      return JSON.stringify(
        runs.map((run: { status: { skippedObjects: object[] } }) => run.status.skippedObjects),
      );
    };
    await eventually(problems, (seen) => seen.includes("no quota"));
    expect((await stage.get(path)).code).toBe(200);
    result = "NotFound";
    await isGone(stage, path);
    expect(asked[0]).toMatchObject({ node: "n1", providerID: "cloud://n1" });
    await eventually(
      () => reasonsAbout(stage),
      (seen) => seen.includes("DeletingNode"),
    );
  });

  it("that says it is shut down has the Node tainted, until it is ready again", async () => {
    const { url } = await reviewing(() => ({ result: "Shutdown" }));
    const stage = await withProvider(url);
    const path = await node(stage, "n1", "False");
    const taints = async () => (await stage.get(path)).body.spec.taints ?? [];
    const taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" };
    expect(await eventually(taints, (seen) => seen.length > 0)).toEqual([taint]);
    await stage.patch(`${path}/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } });
    expect(await eventually(taints, (seen) => seen.length === 0)).toEqual([]);
  });

  it("is not asked about a Node that is ready", async () => {
    const { url, asked } = await reviewing(() => ({ result: "NotFound" }));
    const stage = await withProvider(url);
    const ready = `${CORE}/nodes/ready`;
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    await stage.cluster.call("POST", `${CORE}/nodes`, { metadata: { name: "ready" }, status });
    const other = await node(stage, "other");
    await isGone(stage, other);
    expect((await stage.get(ready)).code).toBe(200);
    expect(new Set(asked.map((request) => request.node))).toEqual(new Set(["other"]));
  });
});
