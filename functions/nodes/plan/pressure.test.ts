import { describe, expect, it, test } from "vitest";
import type { Plan } from "./plan.ts";
import { pressureOf } from "./pressure.ts";
import {
  container,
  containerId,
  disk,
  disks,
  image,
  imageId,
  type SettingsSketch,
  SimulatedNode,
  sandbox,
  settings,
} from "./simulated-node.fixture.ts";

const NOW = Date.UTC(2026, 10, 21);
const HARD: SettingsSketch = {
  eviction: {
    hard: { "nodefs.available": { percent: 10 }, "imagefs.available": { percent: 15 } },
  },
  images: { highThresholdPercent: 100 },
};

/** A pod that has ended, whose container uses image 7; an unused image 0; the periodic runs have just been. */
function endedPod(sketch = HARD): SimulatedNode {
  const node = new SimulatedNode(NOW, sketch);
  node.images = [image(7, 100), image(0, 100)];
  node.containers = [container("p0/web", 0, { id: containerId("web"), images: [imageId(7)] })];
  node.sandboxes = [sandbox("p0", "NOTREADY", 0)];
  node.pods = ["p0"];
  node.settle();
  node.now += 10_000;
  return node;
}

const verbs = (plans: Plan[]): string[][] => plans.map(({ steps }) => steps.map(({ verb }) => verb));
const POD_VERBS = /evict|pod/;

describe("under disk pressure", () => {
  it("#220 containers go first, then images, and then it is over", () => {
    const node = endedPod();
    node.fileSystems = disk(1000, 90);
    expect(verbs(node.settle())).toEqual([["rm", "rmi"]]);
    expect(node.record.pressure).toEqual({});
    expect(node.tried.filter((step) => POD_VERBS.test(step))).toEqual([]);
  });

  it("#221 when nothing is left to free it asks for nothing more", () => {
    const node = endedPod();
    node.gives = 0;
    node.fileSystems = disk(1000, 90);
    node.settle();
    expect(node.left).toEqual([]);
    node.now += 10_000;
    expect(node.settle()).toEqual([]);
    expect(node.record.pressure).toEqual({
      "nodefs.available": NOW + 10_000,
      "imagefs.available": NOW + 10_000,
    });
  });

  test.each([
    [
      "#222 dedicated image file system, pressure on the node's: nothing",
      "dedicated",
      [1000, 90],
      [1000, 900],
      [],
    ],
    ["#223 dedicated, pressure on the images': both", "dedicated", [1000, 900], [1000, 90], ["rm", "rmi"]],
    ["#224 split, pressure on the images': images alone", "split", [1000, 900], [1000, 90], ["rmi"]],
    ["#224 split, pressure on the node's: containers alone", "split", [1000, 90], [1000, 900], ["rm"]],
  ] as const)("%s", (_, layout, nodefs, imagefs, expected) => {
    const node = endedPod();
    node.fileSystems = disks(layout, [...nodefs], [...imagefs]);
    expect(verbs(node.settle()).at(0) ?? []).toEqual(expected);
  });

  it("when it cannot be told where images and containers are, nothing", () => {
    const node = endedPod();
    node.fileSystems = { ...disk(1000, 90), layout: "unknown" };
    expect(node.settle()).toEqual([]);
  });

  it("#225 an image that cannot be removed is no failure of the periodic run, and nothing follows when there is room", () => {
    const node = endedPod();
    node.fileSystems = disk(1000, 90);
    node.failing.add(`rmi ${imageId(0)}`);
    node.settle();
    expect(node.tried.filter((step) => step === `rmi ${imageId(0)}`)).toHaveLength(1);
    node.fileSystems = disk(1000, 900);
    node.now += 10_000;
    expect(node.settle()).toEqual([]);
    expect(node.record.imageFailures).toBe(0);
    expect(node.reasons).toEqual([]);
  });

  it("an image that cannot be removed is tried again with the next periodic run, and not with each report", () => {
    const node = endedPod({ ...HARD, images: { highThresholdPercent: 85 } });
    node.fileSystems = disk(1000, 9);
    node.gives = 0;
    node.failing.add(`rmi ${imageId(0)}`);
    for (let at = 0; at < 10; at++) {
      node.settle();
      node.now += 20_000;
    }
    expect(node.left).toEqual(["0"]);
    expect(node.tried.filter((step) => step === `rmi ${imageId(0)}`)).toHaveLength(1);
    node.now += 300_000;
    node.settle();
    node.now += 20_000;
    node.settle();
    expect(node.record.imageFailures).toBeGreaterThan(0);
  });

  it("#226 a container that keeps an image goes, and the image with the next plan of the same turn", () => {
    const node = endedPod();
    node.fileSystems = disk(1000, 10);
    const plans = node.settle();
    expect(plans[0]?.steps).toMatchObject([
      { verb: "rm", id: containerId("web") },
      { verb: "rmi", id: imageId(0) },
    ]);
    expect(plans[1]?.steps).toContainEqual(expect.objectContaining({ verb: "rmi", id: imageId(7) }));
    // The node is told to come back at once.
    expect(plans.map(({ nextReportSeconds }) => nextReportSeconds)).toEqual([1, 1]);
  });

  it("#227 an image younger than the minimum age stays", () => {
    const node = endedPod({ ...HARD, images: { highThresholdPercent: 100, minimumAge: 120_000 } });
    node.fileSystems = disk(1000, 10);
    node.now += 50_000;
    node.settle();
    expect(node.left).toEqual(["7", "0"]);
    node.now += 60_000;
    node.settle();
    expect(node.left).toEqual([]);
  });

  it("does not wait for the next periodic run", () => {
    const node = endedPod();
    expect(node.settle()).toEqual([]);
    node.fileSystems = disk(1000, 90);
    node.now += 1;
    expect(node.settle()).not.toEqual([]);
  });
});

describe("pressure", () => {
  const { eviction } = settings({
    eviction: {
      hard: { "nodefs.available": { amount: 100 }, "imagefs.inodesFree": { percent: 5 } },
      minimumReclaim: { "nodefs.available": { amount: 50 } },
    },
  });

  it("is less than the threshold left", () => {
    expect(pressureOf(disk(1000, 100), eviction, {}, NOW)).toEqual({});
    expect(pressureOf(disk(1000, 99), eviction, {}, NOW)).toEqual({ "nodefs.available": NOW });
  });

  it("lasts until the minimum reclaim is left on top, and says since when", () => {
    const before = { "nodefs.available": NOW - 5 };
    expect(pressureOf(disk(1000, 149), eviction, before, NOW)).toEqual(before);
    expect(pressureOf(disk(1000, 150), eviction, before, NOW)).toEqual({});
  });

  it("is of inodes too, where a file system counts them", () => {
    const figures = disk(1000, 900);
    const imagefs = figures.imagefs && { ...figures.imagefs, inodes: { capacity: 1000, available: 49 } };
    expect(pressureOf({ ...figures, imagefs }, eviction, {}, NOW)).toEqual({ "imagefs.inodesFree": NOW });
    expect(pressureOf(figures, eviction, {}, NOW)).toEqual({});
  });
});
