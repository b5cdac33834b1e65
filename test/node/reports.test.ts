import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCluster, makeToken, type TestCluster } from "../cluster.ts";
import { type Answer, call, eventually, startServer, type TestServer } from "../server.ts";

let server: TestServer;
let cluster: TestCluster;

beforeAll(async () => {
  server = await startServer();
  cluster = await makeCluster(server, "nodes");
  return () => server.stop();
});

const df = (availableKiB: number): string =>
  ["# nodefs -k /var/lib/kubelet", "# fs -k /var/lib/images"]
    .map(
      (head) =>
        `${head}\nFilesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 1000 0 ${availableKiB} 0% /\n`,
    )
    .join("");

const IMAGE = {
  id: `sha256:${"a".repeat(64)}`,
  repoTags: ["registry.example/app:1"],
  repoDigests: [],
  size: "100",
  pinned: false,
};

/** Parts of a report of a node whose only image is unused. */
const parts = (sequence: number, availableKiB = 900) => ({
  agent: `version 1\nsequence ${sequence}\ntime 1795190423\nmode run\nboot b\n`,
  images: { images: [IMAGE] },
  containers: { containers: [] },
  pods: { items: [] },
  imagefsinfo: { status: { fsId: { mountpoint: "/var/lib/images" }, usedBytes: { value: "1" } } },
  df: df(availableKiB),
  logs: "",
  links: "",
});

const send = (
  node: string,
  body: unknown,
  token: string | undefined = cluster.token,
  headers: Record<string, string> = {},
): Promise<Answer> => call(cluster.base, token, "POST", `/nodes/${node}/report`, body, headers);

/** What a request is answered whose body is announced and not sent. */
function announced(url: string, length: number): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const lines = [
        `POST ${pathname} HTTP/1.1`,
        `host: ${hostname}`,
        `authorization: Bearer ${cluster.token}`,
        "content-type: application/json",
        `content-length: ${length}`,
        "",
        "{",
      ];
      socket.write(lines.join("\r\n"));
    });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("}")) socket.destroy();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

describe("a node's report", () => {
  it("is answered with a plan, as JSON or as lines for a shell", async () => {
    const answer = await send("n1", parts(1));
    expect(answer.code, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      number: 0,
      steps: [],
      nextReportSeconds: 60,
      sequence: 1,
      faults: [],
    });
    const lines = await send("n1", parts(2), cluster.token, { accept: "text/plain" });
    expect(lines.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(lines.text).toMatch(/^kubegc-plan 1\nplan 0 0\nagain 60\n(.*\n)*end 0\n$/);
  });

  it("may be a form, as curl sends it", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries(parts(1))) {
      form.append(name, new File([typeof value === "string" ? value : JSON.stringify(value)], name));
    }
    const response = await fetch(`${cluster.base}/nodes/form/report`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.token}` },
      body: form,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sequence: 1, faults: [] });
  });

  it("says what of it could not be read", async () => {
    const answer = await send("n2", { ...parts(1), images: "crictl: not found" });
    expect(answer.code).toBe(200);
    expect(answer.body.faults).toEqual([{ path: "images", message: expect.stringContaining("not JSON") }]);
  });

  it("is for the node itself, those that speak for all nodes, and admins", async () => {
    const tokenOf = (user: string, role: string) => makeToken(server, "nodes", user, role);
    const report = parts(7);
    const cases: [string, string, number][] = [
      ["system:node:mine", "node", 200],
      ["mine", "node", 200],
      ["system:nodes", "node", 200],
      ["somebody", "admin", 200],
      ["system:node:other", "node", 403],
      ["mine", "view", 403],
    ];
    for (const [user, role, code] of cases) {
      const answer = await send("mine", report, await tokenOf(user, role));
      expect([user, role, answer.code]).toEqual([user, role, code]);
      if (code === 403) expect(answer.body).toMatchObject({ kind: "Status", reason: "Forbidden" });
    }
    for (const token of ["nobody", undefined]) {
      const answer = await call(cluster.base, token, "POST", "/nodes/mine/report", report);
      expect([answer.code, answer.body.reason]).toEqual([401, "Unauthorized"]);
    }
    const elsewhere = await call(
      `${server.url}/clusters/absent`,
      cluster.token,
      "POST",
      "/nodes/mine/report",
      report,
    );
    expect(elsewhere.code).toBe(401);
  });

  it("that is none is refused with a Status, and changes nothing", async () => {
    const cases: [unknown, Record<string, string>, number, string][] = [
      ["{", {}, 400, "BadRequest"],
      [{}, {}, 400, "BadRequest"],
      [{ ...parts(1), agent: "version 2" }, {}, 400, "BadRequest"],
      ["x", { "content-type": "text/plain" }, 415, "UnsupportedMediaType"],
      ["x", { "content-type": "multipart/form-data; boundary=y" }, 400, "BadRequest"],
    ];
    for (const [body, headers, code, reason] of cases) {
      const answer = await send("bad", body, cluster.token, headers);
      expect(answer.body, answer.text).toMatchObject({ kind: "Status", status: "Failure", code, reason });
    }
    // It is refused by its length, before it is sent.
    const large = await announced(`${cluster.base}/nodes/bad/report`, 29 * 1024 * 1024);
    expect(large).toContain("413");
    expect(large).toContain('"reason":"RequestEntityTooLarge"');
    expect((await send("Not_A_Name", parts(1))).code).toBe(400);
    expect((await call(cluster.base, cluster.token, "GET", "/nodes/bad/report")).code).toBe(405);
    // Its first report has any sequence.
    expect((await send("bad", parts(0))).body.sequence).toBe(0);
  });

  it("that comes late or again changes nothing", async () => {
    await send("late", parts(5));
    const late = await send("late", { ...parts(4), images: { images: [] } });
    expect(late.body).toMatchObject({ number: 0, steps: [], sequence: 5 });
  });

  it("of a disk that is full of something else leaves an Event on the Node", async () => {
    const spec = { imagePeriod: "1s", kubeletConfiguration: { imageMinimumGCAge: "1ms" } };
    const policy = await cluster.call("POST", "/apis/gc.kubegc.dev/v1alpha1/nodepolicies", {
      apiVersion: "gc.kubegc.dev/v1alpha1",
      kind: "NodePolicy",
      metadata: { name: "default" },
      spec,
    });
    expect(policy.code, policy.text).toBe(201);
    await send("full", parts(1, 900));
    let sequence = 1;
    // The plan is to remove its one image; the node says that it did, and the disk is as full as before.
    const { body } = await eventually(
      () => send("full", parts(++sequence, 100)),
      (answer) => answer.body.steps.length > 0,
    );
    expect(body.steps).toMatchObject([{ verb: "rmi", id: IMAGE.id, names: IMAGE.repoTags }]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await send("full", { ...parts(++sequence, 100), images: { images: [] } });
    const { items } = (
      await eventually(
        () => cluster.call("GET", "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=full"),
        (answer) => answer.body.items.length > 0,
      )
    ).body;
    expect(items).toContainEqual(
      expect.objectContaining({
        reason: "FreeDiskSpaceFailed",
        type: "Warning",
        message: expect.stringContaining("Failed to garbage collect required amount of images."),
        involvedObject: { kind: "Node", name: "full", uid: "full" },
        source: { component: "kubelet", host: "full" },
      }),
    );
  });

  it("settings that are wrong are refused when they are written", async () => {
    const answer = await cluster.call("POST", "/apis/gc.kubegc.dev/v1alpha1/nodepolicies", {
      apiVersion: "gc.kubegc.dev/v1alpha1",
      kind: "NodePolicy",
      metadata: { name: "wrong" },
      spec: { kubeletConfiguration: { imageGCHighThresholdPercent: 101 } },
    });
    expect([answer.code, answer.body.reason]).toEqual([422, "Invalid"]);
  });
});

describe("what a person sees of a node", () => {
  beforeAll(async () => {
    cluster = await makeCluster(server, "seen");
  });

  const list = async (resource: string, query = "", accept = "application/json"): Promise<Answer> =>
    cluster.call("GET", `/apis/gc.kubegc.dev/v1alpha1/${resource}${query}`, undefined, { accept });

  it("is its images, with why they stay or when they go, and how full it is", async () => {
    const images = [
      IMAGE,
      { ...IMAGE, id: `sha256:${"b".repeat(64)}`, repoTags: ["registry.k8s.io/pause:3.9"] },
      { ...IMAGE, id: `sha256:${"c".repeat(64)}`, repoTags: [], pinned: true },
    ];
    const report = { ...parts(1), images: { images } };
    expect((await send("edge.one", report)).code).toBe(200);
    expect((await send("edge.two", parts(1))).code).toBe(200);

    const { body } = await list("nodeimages", "?fieldSelector=node=edge.one");
    expect(
      body.items.map(({ metadata, status }: { metadata: { name: string }; status: object }) => [
        metadata.name,
        status,
      ]),
    ).toMatchObject([
      ["edge.one.aaaaaaaaaaaaaaaa", { state: "Kept", keptBecause: "too-young", sizeBytes: 100 }],
      ["edge.one.bbbbbbbbbbbbbbbb", { state: "Kept", keptBecause: "sandbox" }],
      ["edge.one.cccccccccccccccc", { state: "Kept", keptBecause: "pinned" }],
    ]);
    const one = await list("nodeimages/edge.one.aaaaaaaaaaaaaaaa");
    expect(one.body.status.repoTags).toEqual(["registry.example/app:1"]);

    const record = await list("noderecords/edge.one");
    expect(record.body.status).toMatchObject({
      usedPercent: 10,
      highThresholdPercent: 85,
      images: { count: 3, inUse: 0, bytes: 300 },
      containers: { running: 0, dead: 0 },
    });
  });

  it("comes in pages, over all nodes", async () => {
    const names: string[] = [];
    let token = "";
    do {
      const { body } = await list("nodeimages", `?limit=1&continue=${token}`);
      names.push(...body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
      token = body.metadata.continue ?? "";
    } while (token !== "");
    const { body } = await list("nodeimages");
    expect(names).toEqual(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
    expect(names).toContain("edge.two.aaaaaaaaaaaaaaaa");
  });

  it("is a table for kubectl", async () => {
    const table = await list("noderecords", "", "application/json;as=Table;v=v1;g=meta.k8s.io");
    const columns = table.body.columnDefinitions.map(({ name }: { name: string }) => name);
    expect(columns.slice(0, 3)).toEqual(["Name", "Used", "High"]);
    const row = table.body.rows.find(({ cells }: { cells: unknown[] }) => cells[0] === "edge.one");
    expect(row.cells.slice(1, 6)).toEqual(["10%", "85%", 3, "0/0", "0B"]);
  });

  it("is forgotten when it is deleted, and begins anew with the next report", async () => {
    await send("old.one", parts(7));
    const gone = (query = "", body?: unknown) =>
      cluster.call("DELETE", `/apis/gc.kubegc.dev/v1alpha1/noderecords/old.one${query}`, body);
    expect((await gone("?dryRun=All")).body).toMatchObject({ status: "Success" });
    expect((await gone("", { preconditions: { uid: "x" } })).body.reason).toBe("Conflict");
    const viewer = await makeToken(server, "seen", "looker", "view");
    const path = "/apis/gc.kubegc.dev/v1alpha1/noderecords/old.one";
    expect((await call(cluster.base, viewer, "DELETE", path)).body.reason).toBe("Forbidden");
    expect((await list("noderecords/old.one")).code).toBe(200);

    const answer = await gone();
    expect(answer.body).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "old.one", kind: "noderecords" },
    });
    expect((await list("noderecords/old.one")).code).toBe(404);
    expect((await list("nodeimages", "?fieldSelector=node=old.one")).body.items).toEqual([]);
    expect((await gone()).code).toBe(404);

    // Whoever recorded it sees with its next report that it is a new one.
    expect((await send("old.one", parts(8))).body).toMatchObject({ sequence: 8 });
    expect((await list("nodeimages", "?fieldSelector=node=old.one")).body.items).toHaveLength(1);
  });

  it("is numbers for Prometheus, with the node as a label", async () => {
    const { text } = await cluster.call("GET", "/metrics");
    for (const line of [
      'kubelet_image_garbage_collected_total{node="edge.one",reason="age"} 0',
      'kubelet_image_garbage_collected_total{node="edge.one",reason="space"} 0',
      'kubelet_image_gc_attempts_total{node="edge.one",operation="garbage_collect",trigger="periodic",result="noop",reason="threshold"} 1',
      'kubelet_image_gc_image_fs_usage_percent{node="edge.one",phase="before"} 10',
    ]) {
      expect(text).toContain(`${line}
`);
    }
  });

  it("is nothing for a node that never reported", async () => {
    expect((await list("noderecords/nobody")).code).toBe(404);
    expect((await list("nodeimages/nobody.aaaaaaaaaaaaaaaa")).code).toBe(404);
    expect((await list("nodeimages/nodot")).code).toBe(404);
  });
});
