import { describe, expect, test } from "vitest";
import imagefsinfo from "../../../test/recorded/crictl/imagefsinfo.json" with { type: "json" };
import images126 from "../../../test/recorded/crictl/images.json" with { type: "json" };
import noPods from "../../../test/recorded/crictl/pods-empty.json" with { type: "json" };
import noContainers from "../../../test/recorded/crictl/ps-empty.json" with { type: "json" };
import { imagesInUse } from "./in-use.ts";
import { readReport } from "./read-report.ts";
import type { NodeReport } from "./report.ts";

const AGENT = "version 1\nsequence 7\ntime 1795190423\nmode run\nboot b1\n";
const HEX = "d74226fde1aa617d4dfa0d020849dd0111d5f128418229b5b120afc9a31119cd";
const ID = `sha256:${HEX}`;

function report(parts: Record<string, string>): NodeReport {
  const reading = readReport({ agent: AGENT, ...parts });
  if ("fault" in reading) throw new Error(reading.fault);
  return reading.report;
}

const IMAGE = {
  id: ID,
  repoTags: ["docker.io/library/app-a:1", "docker.io/library/app-a:old"],
  repoDigests: [`docker.io/library/app-a@${ID}`],
  size: "4045660",
  uid: null,
  username: "",
  spec: null,
  pinned: false,
};
const images = (...list: object[]) => JSON.stringify({ images: list });

const CONTAINER = {
  id: "c".repeat(64),
  podSandboxId: "5".repeat(64),
  metadata: { name: "web", attempt: 3 },
  image: { image: ID, annotations: {}, userSpecifiedImage: "", runtimeHandler: "" },
  imageRef: ID,
  state: "CONTAINER_EXITED",
  createdAt: "1795190423134242125",
  labels: {
    "io.kubernetes.container.name": "web",
    "io.kubernetes.pod.name": "web-1",
    "io.kubernetes.pod.namespace": "shop",
    "io.kubernetes.pod.uid": "u1",
  },
  annotations: {},
};
const containers = (...list: object[]) => JSON.stringify({ containers: list });

const SANDBOX = {
  id: "5".repeat(64),
  metadata: { name: "web-1", uid: "u1", namespace: "shop", attempt: 0 },
  state: "SANDBOX_NOTREADY",
  createdAt: "1795190400000000000",
  labels: {},
  annotations: {},
  runtimeHandler: "",
};

test("what a real crictl 1.26 printed of a real containerd is read without a fault", () => {
  const path = "/var/lib/containerd/root/io.containerd.snapshotter.v1.native";
  const found = report({
    images: JSON.stringify(images126),
    containers: JSON.stringify(noContainers),
    pods: JSON.stringify(noPods),
    imagefsinfo: JSON.stringify(imagefsinfo),
    df: `# nodefs -k /\nh\n/dev/vda 10 5 5 50% /\n# fs -k ${path}\nh\n/dev/vda 10 5 5 50% /\n`,
  });
  expect(found).toMatchObject({
    images: { complete: true },
    containers: { items: [], complete: true },
    sandboxes: { items: [], complete: true },
    fileSystems: { layout: "one", imageBytes: 1998848 },
    faults: [],
  });
  expect(found.images?.items.map(({ tags, size }) => [...tags, size])).toEqual([
    ["docker.io/library/app-a:1", "docker.io/library/app-a:old", 4045660],
    ["docker.io/library/app-b:1", 5069660],
    ["docker.io/library/app-c:1", 2509660],
    ["registry.k8s.io/pause:3.6", 1997658],
  ]);
});

describe("images", () => {
  test("as containerd with crictl 1.26 prints them", () => {
    expect(report({ images: images(IMAGE) }).images).toEqual({
      items: [
        {
          id: ID,
          tags: ["docker.io/library/app-a:1", "docker.io/library/app-a:old"],
          digests: [`docker.io/library/app-a@${ID}`],
          size: 4045660,
          pinned: false,
          runtimeHandler: "",
        },
      ],
      complete: true,
    });
  });

  test("sizes as numbers, pins, runtime handlers, ids without algorithm", () => {
    const spec = { image: "", annotations: {}, userSpecifiedImage: "", runtimeHandler: "kata" };
    const [found] = report({ images: images({ id: HEX, size: 5, pinned: true, spec }) }).images?.items ?? [];
    expect(found).toEqual({ id: HEX, tags: [], digests: [], size: 5, pinned: true, runtimeHandler: "kata" });
  });

  test("an entry that cannot be read is told and left out; the others stay", () => {
    const found = report({ images: images(IMAGE, { ...IMAGE, size: "big" }, { size: "1" }) });
    expect(found.images).toMatchObject({ complete: false, items: [{ id: ID }] });
    expect(found.faults).toEqual([
      { path: "images.images[1].size", message: "must be a count of bytes" },
      { path: "images.images[2].id", message: "is missing" },
    ]);
  });

  test.each([
    ["not json", "images", "is not JSON"],
    ["[]", "images", "must be an object"],
    ["{}", "images.images", "must be a list"],
  ])("%s is no listing", (text, path, words) => {
    const found = report({ images: text });
    expect(found.images).toBeUndefined();
    expect(found.faults).toEqual([{ path, message: expect.stringContaining(words) }]);
  });

  test("none at all is a listing; a part that was not sent is none", () => {
    expect(report({ images: '{"images":[]}' }).images).toEqual({ items: [], complete: true });
    expect(report({}).images).toBeUndefined();
  });
});

describe("containers", () => {
  test("their state, pod and creation, with the order of nanoseconds", () => {
    const later = { ...CONTAINER, id: "d".repeat(64), createdAt: "1795190423134243125" };
    const [a, b] = report({ containers: containers(CONTAINER, later) }).containers?.items ?? [];
    expect(a).toMatchObject({
      id: "c".repeat(64),
      sandbox: "5".repeat(64),
      podUid: "u1",
      podNamespace: "shop",
      podName: "web-1",
      name: "web",
      attempt: 3,
      state: "EXITED",
      images: [ID],
    });
    expect(Math.trunc(a?.createdAt ?? 0)).toBe(1795190423134);
    expect(a?.createdAt).toBeLessThan(b?.createdAt ?? 0);
  });

  test.each([
    [{ state: "CONTAINER_PAUSED" }, "containers.containers[0].state"],
    [{ createdAt: "soon" }, "containers.containers[0].createdAt"],
    [{ imageRef: "", image: null }, "containers.containers[0].imageRef"],
    [{ id: 5 }, "containers.containers[0].id"],
    [{ podSandboxId: "" }, "containers.containers[0].podSandboxId"],
  ])("with %j the listing is not whole, so nothing is concluded from it", (change, path) => {
    const found = report({ containers: containers({ ...CONTAINER, ...change }) });
    expect(found.containers).toEqual({ items: [], complete: false });
    expect(found.faults).toMatchObject([{ path }]);
  });

  test("listed twice is not whole either", () => {
    expect(report({ containers: containers(CONTAINER, CONTAINER) }).containers?.complete).toBe(false);
  });

  test("a time as number, and as RFC 3339", () => {
    const created = (createdAt: unknown) =>
      report({ containers: containers({ ...CONTAINER, createdAt }) }).containers?.items[0]?.createdAt;
    expect(created(2_000_000)).toBe(2);
    expect(created("2026-11-20T16:00:28Z")).toBe(Date.UTC(2026, 10, 20, 16, 0, 28));
  });

  test.each([
    ["containerd: the id in imageRef", { imageRef: ID, image: { image: "registry.example/x:1" } }],
    [
      "CRI-O: the digits in image, a digest in imageRef",
      { imageRef: IMAGE.repoDigests[0], image: { image: HEX } },
    ],
    ["CRI-O, older: only the digest", { imageRef: IMAGE.repoDigests[0], image: { image: "other" } }],
    ["by tag alone", { imageRef: "docker.io/library/app-a:old", image: null }],
    ["newest: the id in imageId", { imageId: ID, imageRef: "x", image: { image: "y" } }],
  ])("the image is in use, %s", (_, names) => {
    const found = report({ images: images(IMAGE), containers: containers({ ...CONTAINER, ...names }) });
    const inUse = imagesInUse(found.images?.items ?? [], found.containers?.items ?? []);
    expect([...inUse]).toEqual([ID]);
  });

  test("an image that no container names is not in use", () => {
    const other = { ...CONTAINER, imageRef: `sha256:${"a".repeat(64)}`, image: null };
    const found = report({ images: images(IMAGE), containers: containers(other) });
    expect(imagesInUse(found.images?.items ?? [], found.containers?.items ?? []).size).toBe(0);
  });
});

test("sandboxes", () => {
  const pods = JSON.stringify({ items: [SANDBOX, { ...SANDBOX, state: "SANDBOX_READY", id: "6" }] });
  expect(report({ pods }).sandboxes).toMatchObject({
    complete: true,
    items: [
      { id: "5".repeat(64), podUid: "u1", podNamespace: "shop", podName: "web-1", state: "NOTREADY" },
      { state: "READY" },
    ],
  });
  expect(report({ pods: '{"items":[{"id":"x"}]}' }).sandboxes).toEqual({ items: [], complete: false });
});

describe("file systems", () => {
  const PATH = "/var/lib/containerd/root/io.containerd.snapshotter.v1.native";
  const fsId = (mountpoint: string) => ({
    timestamp: "1795190423134242125",
    fsId: { mountpoint },
    usedBytes: { value: "1998848" },
    inodesUsed: { value: "7" },
  });
  const OLDER = JSON.stringify({ status: fsId(PATH) });
  const newer = (container: string) =>
    JSON.stringify({ status: { imageFilesystems: [fsId(PATH)], containerFilesystems: [fsId(container)] } });
  const HEAD = "Filesystem     1024-blocks     Used Available Capacity Mounted on";
  const section = (head: string, device: string, mount: string, available = "50") =>
    `# ${head}\n${HEAD}\n${device}            1000      950     ${available}      95% ${mount}\n`;
  const node = section("nodefs -k /var/lib/kubelet", "/dev/vda", "/");

  test.each([
    ["one", OLDER, node + section(`fs -k ${PATH}`, "/dev/vda", "/")],
    ["dedicated", OLDER, node + section(`fs -k ${PATH}`, "/dev/vdb", "/var/lib/containerd")],
    ["one", newer(PATH), node + section(`fs -k ${PATH}`, "/dev/vda", "/")],
    ["dedicated", newer(PATH), node + section(`fs -k ${PATH}`, "/dev/vdb", "/images")],
    [
      "split",
      newer("/c"),
      node + section(`fs -k ${PATH}`, "/dev/vdb", "/images") + section("fs -k /c", "/dev/vda", "/"),
    ],
    ["unknown", newer("/c"), node + section(`fs -k ${PATH}`, "/dev/vdb", "/images")],
    ["unknown", OLDER, node],
    ["unknown", OLDER, section(`fs -k ${PATH}`, "/dev/vda", "/")],
    ["unknown", "", node],
    ["unknown", '{"status":{}}', node],
  ])("layout %s", (layout, imagefsinfo, df) => {
    expect(report({ imagefsinfo, df }).fileSystems.layout).toBe(layout);
  });

  test("capacity, what is left, inodes, and what the runtime counts", () => {
    const df = [
      node,
      section(`fs -k ${PATH}`, "/dev/mapper/vg one", "/mnt/with space", "-12"),
      section(`fs -i ${PATH}`, "/dev/mapper/vg one", "/mnt/with space", "77"),
    ].join("");
    expect(report({ imagefsinfo: OLDER, df }).fileSystems).toMatchObject({
      nodefs: { device: "/dev/vda", mountedOn: "/", capacity: 1_024_000, available: 51_200 },
      imagefs: {
        device: "/dev/mapper/vg one",
        mountedOn: "/mnt/with space",
        capacity: 1_024_000,
        available: 0,
        inodes: { capacity: 1000, available: 77 },
      },
      imageBytes: 1998848,
    });
  });

  test("a file system without inodes of its own says nothing about them", () => {
    const df = `${node}# nodefs -i /var/lib/kubelet\nFilesystem Inodes IUsed IFree IUse% Mounted on\n/dev/vda 0 0 0 - /\n`;
    const found = report({ imagefsinfo: OLDER, df });
    expect(found.fileSystems.nodefs).not.toHaveProperty("inodes");
    expect(found.faults).toEqual([]);
  });

  test("what df could not say is told", () => {
    const found = report({
      imagefsinfo: OLDER,
      df: "# fs -k /x\ndf: /x: No such file or directory\n# odd\n",
    });
    expect(found.faults).toEqual([
      { path: "df", message: "says nothing readable about /x" },
      { path: "df", message: 'a section has the head "odd"' },
    ]);
  });
});

describe("the sender", () => {
  test("who, when, and what failed there", () => {
    const found = report({
      agent: "version 1\nsequence 9\ntime 5\nmode dry-run\nfailed containers connection refused\n",
    });
    expect(found.sender).toEqual({ sequence: 9, time: 5000, dryRun: true, boot: "" });
    expect(found.faults).toEqual([{ path: "containers", message: "connection refused" }]);
  });

  test.each([
    [undefined, "a report must have a part named agent"],
    ["", "agent: version must be 1"],
    ["version 2\n", 'agent: version must be 1, not "2"'],
    ["version 1\nsequence x\nmode run\n", "agent: sequence must be a number"],
    ["version 1\nsequence 1\nmode walk\n", "agent: mode must be run or dry-run"],
  ])("%j is refused", (agent, words) => {
    expect(readReport({ agent })).toEqual({ fault: expect.stringContaining(words) });
  });
});

test("results of plans, in order, and lines that are none", () => {
  const results = [
    "done rm x",
    "plan 4 carried-out",
    `done rmi ${ID}`,
    `failed rm ${"c".repeat(64)} container is running: try again`,
    "skipped rmi x in use by now",
    "done sudo x",
    "plan 5 refused",
    "plan six done",
  ].join("\n");
  const found = report({ results });
  expect(found.results).toEqual([
    {
      plan: 4,
      outcome: "carried-out",
      steps: [
        { verb: "rmi", id: ID, outcome: "done", message: "" },
        { verb: "rm", id: "c".repeat(64), outcome: "failed", message: "container is running: try again" },
        { verb: "rmi", id: "x", outcome: "skipped", message: "in use by now" },
      ],
    },
    { plan: 5, outcome: "refused", steps: [] },
  ]);
  expect(found.faults.map(({ path }) => path)).toEqual(["results[0]", "results[5]", "results[7]"]);
});

test("log folders and dead links, one a line", () => {
  expect(report({ logs: "shop_web_u1\nu2\n", links: "web-1_shop_web-abc.log\n" })).toMatchObject({
    logDirectories: ["shop_web_u1", "u2"],
    deadLogLinks: ["web-1_shop_web-abc.log"],
  });
  expect(report({}).logDirectories).toBeUndefined();
});
