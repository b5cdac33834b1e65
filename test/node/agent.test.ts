import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { eventually, startServer, type TestServer } from "../server.ts";
import { Forgetful } from "./listener.ts";
import { Machine, type Run } from "./machine.ts";

const POLICIES = "/apis/gc.kubegc.dev/v1alpha1/nodepolicies";
const APP = "registry.example/app:1";

let server: TestServer;
let token: string;
let machine: Machine;
let script: string;
let nodes = 0;
let node: string;

beforeAll(async () => {
  server = await startServer();
  const made = await server.call("POST", "/tokens", { user: "system:nodes", role: "node" });
  token = made.body.token;
  // Young images and frequent looks, so that nothing has to be waited for.
  await policy("default", {
    imagePeriod: "1s",
    containerPeriod: "1s",
    kubeletConfiguration: { imageMinimumGCAge: "1ms", evictionHard: { "imagefs.available": "0%" } },
  });
});
afterAll(() => server.stop());

beforeEach(async () => {
  machine = new Machine();
  node = `machine-${++nodes}`;
  mkdirSync(join(machine.folder, "kubelet", "pods"));
  // As a person would get it: filled in with the cluster's address.
  script = join(machine.folder, "kubegc-node.sh");
  const response = await fetch(`${server.base}/agent/kubegc-node.sh`);
  writeFileSync(script, await response.text());
});
afterEach(() => machine.dispose());

async function policy(name: string, spec: object): Promise<void> {
  const body = { apiVersion: "gc.kubegc.dev/v1alpha1", kind: "NodePolicy", metadata: { name }, spec };
  const answer = await server.call("POST", POLICIES, body);
  if (answer.code !== 201) throw new Error(answer.text);
}

const agent = (args = ["--once"], more: Record<string, string> = {}): Promise<Run> =>
  machine.run(args, { KUBEGC_TOKEN: token, KUBEGC_NODE: node, ...more }, "sh", script);

/** Makes this test's machine one of those that a policy selects. */
async function nodePolicy(spec: object): Promise<void> {
  const labels = { machine: node };
  const answer = await server.call("POST", "/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: node, labels },
  });
  if (answer.code !== 201) throw new Error(answer.text);
  await policy(node, { nodeSelector: { matchLabels: labels }, ...spec });
}

const imagesLeft = () => machine.state.images.flatMap(({ repoTags }) => repoTags).sort();
const podFolder = (pod: string) => mkdirSync(join(machine.folder, "kubelet", "pods", `uid-${pod}`));

/** A machine whose disk is at 98 %: one image in use, one that was used, two never, of 250 kB each. */
async function fullDisk(): Promise<void> {
  machine.change(({ disk }) => {
    disk.capacity = 100_000_000;
  });
  for (const name of ["used", "was-used"]) {
    machine.container(name, "app", machine.image(`registry.example/${name}:1`, 250_000), "RUNNING", 60);
    podFolder(name);
  }
  for (const name of ["never-1", "never-2"]) machine.image(`registry.example/${name}:1`, 250_000);
  expect(await agent()).toMatchObject({ code: 0, stdout: "kubegc-node: nothing to remove\n" });
  machine.change((state) => {
    state.containers = state.containers.slice(0, 1);
  });
  await agent();
  machine.change(({ disk }) => {
    disk.capacity = 1_024_000;
  });
  // Until images are looked at again.
  await new Promise((done) => setTimeout(done, 1100));
}

describe("a disk over its threshold", () => {
  test.each(["older", "newer"] as const)(
    "loses images down to the low one, those never used first; %s crictl",
    async (format) => {
      machine.change((state) => {
        state.format = format;
      });
      await fullDisk();
      // 98 % used of 1,024,000; down to 80 % is 180,800 bytes, which one image is enough for.
      const run = await eventually(agent, ({ stdout }) => stdout.includes("freed"));
      expect(run.stdout).toContain("freed 250.0 kB: 1 images, 0 containers, 0 sandboxes, 0 log folders");
      expect(imagesLeft()).toHaveLength(3);
      expect(imagesLeft()).toEqual(
        expect.arrayContaining(["registry.example/used:1", "registry.example/was-used:1"]),
      );
      expect((await agent()).stdout).toBe("kubegc-node: nothing to remove\n");
    },
  );

  test("loses what was used longest ago before the rest, but nothing that is in use", async () => {
    await nodePolicy({ highThresholdPercent: 30, lowThresholdPercent: 1 });
    await fullDisk();
    await eventually(agent, () => imagesLeft().length === 1);
    expect(imagesLeft()).toEqual(["registry.example/used:1"]);
    expect(machine.removals()).toHaveLength(3);
  });

  test("keeps what is pinned, on the keep-list, protected, or cannot be pulled again", async () => {
    await nodePolicy({
      highThresholdPercent: 1,
      lowThresholdPercent: 0,
      keep: ["registry.example/kept"],
      protect: [{ image: "registry.example/protected", until: "2099-01-01T00:00:00Z" }],
      registries: ["registry.example"],
    });
    machine.image("registry.example/pinned:1", 250_000, { pinned: true });
    for (const name of [
      "registry.example/kept:2",
      "registry.example/protected:1",
      "elsewhere.example/app:1",
      APP,
    ])
      machine.image(name, 150_000);
    await eventually(agent, () => !imagesLeft().includes(APP));
    await agent();
    expect(imagesLeft()).toEqual([
      "elsewhere.example/app:1",
      "registry.example/kept:2",
      "registry.example/pinned:1",
      "registry.example/protected:1",
    ]);
  });

  test("with --dry-run is told of, and stays; the next run does it", async () => {
    await fullDisk();
    const dry = await eventually(
      () => agent(["--dry-run"]),
      ({ stdout }) => stdout.includes("would"),
    );
    expect(dry.stdout).toMatch(
      /^kubegc-node: would remove image registry\.example\/never-[12]:1, 250\.0 kB\n$/,
    );
    expect(imagesLeft()).toHaveLength(4);
    await eventually(agent, ({ stdout }) => stdout.includes("freed 250.0 kB"));
    expect(imagesLeft()).toHaveLength(3);
  });

  test("stays when the policy says to report only", async () => {
    await nodePolicy({ reportOnly: true });
    await fullDisk();
    for (let run = 0; run < 3; run++) await agent();
    expect(imagesLeft()).toHaveLength(4);
    expect(machine.removals()).toEqual([]);
  });
});

test("an image that was not used for longer than the maximum age goes, however empty the disk is", async () => {
  await nodePolicy({ kubeletConfiguration: "imageMinimumGCAge: 1ms\nimageMaximumGCAge: 2s\n" });
  machine.image(APP, 1000);
  machine.container("web", "app", machine.image("registry.example/used:1", 1000), "RUNNING");
  podFolder("web");
  await agent();
  expect(imagesLeft()).toContain(APP);
  await eventually(agent, () => !imagesLeft().includes(APP), 20_000);
  expect(imagesLeft()).toEqual(["registry.example/used:1"]);
});

describe("dead containers", () => {
  const dead = () => machine.state.containers.map(({ id }) => id);

  test("one of each name stays in a pod, the newest; what runs is not counted", async () => {
    const image = machine.image(APP, 1000);
    podFolder("web");
    const oldest = machine.container("web", "app", image, "EXITED", 300);
    const older = machine.container("web", "app", image, "EXITED", 200);
    const newest = machine.container("web", "app", image, "EXITED", 100);
    const running = machine.container("web", "app", image, "RUNNING", 50);
    const side = machine.container("web", "side", image, "EXITED", 400);
    const run = await agent();
    expect(run.stdout).toContain(`removed container ${oldest}\n`);
    expect(dead()).toEqual([newest, running, side]);
    expect(machine.removals()).toEqual([`rm ${oldest}`, `rm ${older}`]);
    expect(imagesLeft()).toEqual([APP]);
  });

  test("limits of the policy count, and an age below which none goes", async () => {
    await nodePolicy({ MinAge: "1m", MaxPerPodContainer: -1, MaxContainers: 2 });
    const image = machine.image(APP, 1000);
    podFolder("web");
    const ids = [500, 400, 300, 5].map((ago) => machine.container("web", "app", image, "EXITED", ago));
    await agent();
    expect(dead()).toEqual(ids.slice(1));
  });

  test("all of a pod that is gone go, with its sandbox and logs, and then the image that they used", async () => {
    await nodePolicy({ highThresholdPercent: 1, lowThresholdPercent: 0 });
    podFolder("other");
    const image = machine.image(APP, 100_000);
    machine.container("gone", "app", image, "EXITED", 300);
    machine.change(({ sandboxes }) => {
      for (const sandbox of sandboxes) sandbox.state = "SANDBOX_NOTREADY";
    });
    mkdirSync(join(machine.folder, "pods", "default_gone_uid-gone"));
    machine.container("other", "app", machine.image("registry.example/used:1", 10_000), "RUNNING", 300);
    await eventually(agent, () => imagesLeft().length === 1);
    expect(machine.state.sandboxes).toHaveLength(1);
    expect(dead()).toHaveLength(1);
    expect(imagesLeft()).toEqual(["registry.example/used:1"]);
  });
});

describe("when the line to the service is bad", () => {
  test("a run without it removes nothing, and the next one does all there is to do", async () => {
    await fullDisk();
    const away = { KUBEGC_URL: "http://127.0.0.1:9/clusters/demo" };
    expect(await agent(["--once"], away)).toMatchObject({ code: 69, stdout: "" });
    expect(imagesLeft()).toHaveLength(4);
    expect((await agent()).stdout).toContain("freed 250.0 kB");
  });

  test("a plan whose answer was lost is not carried out; the next run has one of its own", async () => {
    await fullDisk();
    const line = await Forgetful.start(server.base, 1);
    expect(await agent(["--once"], { KUBEGC_URL: line.url })).toMatchObject({ code: 69, stdout: "" });
    await line.stop();
    expect(imagesLeft()).toHaveLength(4);
    expect((await agent()).stdout).toContain("freed 250.0 kB: 1 images");
    expect((await agent()).stdout).toBe("kubegc-node: nothing to remove\n");
    expect(machine.removals()).toHaveLength(1);
  });

  test("a report that is sent again gets the same plan, and results that are sent again count once", async () => {
    await fullDisk();
    const line = await Forgetful.start(server.base, 3);
    const run = await agent(["--once"], { KUBEGC_URL: line.url, KUBEGC_TRIES: "3" });
    await line.stop();
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("freed 250.0 kB: 1 images") });
    expect((await agent()).stdout).toBe("kubegc-node: nothing to remove\n");
    expect(imagesLeft()).toHaveLength(3);
    expect(machine.removals()).toHaveLength(1);
  });
});

test("a token that is not of a node is refused", async () => {
  const made = await server.call("POST", "/tokens", { user: "somebody", role: "view" });
  const run = await agent(["--once"], { KUBEGC_TOKEN: made.body.token });
  expect(run).toMatchObject({ code: 77, stderr: "kubegc-node: the service refuses the token (403)\n" });
});

describe("what is served for nodes", () => {
  test.each(["kubegc-node.sh", "kubegc-node.service", "kubegc-node.timer", "daemonset.yaml"])(
    "%s, to everybody",
    async (name) => {
      const response = await fetch(`${server.base}/agent/${name}`);
      expect(response.status).toBe(200);
      const text = await response.text();
      if (name !== "kubegc-node.timer") expect(text).toContain(server.base);
      expect(text).not.toContain(server.token);
    },
  );

  test("the DaemonSet is one that the API takes", async () => {
    const text = await (await fetch(`${server.base}/agent/daemonset.yaml`)).text();
    const [configMap, set] = parseAllDocuments(text).map((document) => document.toJS());
    const namespace = "/namespaces/kube-system";
    expect((await server.call("POST", `/api/v1${namespace}/configmaps`, configMap)).code).toBe(201);
    expect((await server.call("POST", `/apis/apps/v1${namespace}/daemonsets`, set)).code).toBe(201);
  });

  test.each(["/agent/other.sh", "/agent/../agent", "/agent/"])("nothing else: %s", async (path) => {
    expect((await fetch(server.base + path)).status).not.toBe(200);
  });
});
