import { describe, expect, it, test } from "vitest";
import { measure } from "../images/usage.ts";
import {
  disk,
  image,
  imageId,
  type SettingsSketch,
  SimulatedNode,
  settings,
  user,
} from "./simulated-node.fixture.ts";

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;

const thresholds = (high: number, low: number): SettingsSketch => ({
  images: { highThresholdPercent: high, lowThresholdPercent: low },
});

function nodeWith(capacity: number, available: number, sketch: SettingsSketch): SimulatedNode {
  const node = new SimulatedNode(NOW, sketch);
  node.fileSystems = disk(capacity, available);
  return node;
}

const gone = (node: SimulatedNode): string[] => node.tried.filter((step) => step.startsWith("rmi"));

describe("when images are collected for space", () => {
  test.each([
    ["#156 below the threshold: nothing", 1000, 600, 90, 80, 40, undefined],
    ["#158 above it: down to the low one", 1000, 50, 90, 80, 95, 150],
    ["#160 usage is rounded up, so it begins a little early", 1000, 109, 90, 80, 90, 91],
    ["#161 and not a percent earlier", 1000, 110, 90, 80, 89, undefined],
    ["#162 at 85% as at 90", 1000, 159, 85, 80, 85, 41],
    ["#162 and not below", 1000, 160, 85, 80, 84, undefined],
    ["#163 the amount is cut to whole bytes", 999, 149, 85, 80, 86, 50],
    ["#165 more available than there is: nothing used", 1000, 1200, 85, 80, 0, undefined],
    ["#166 equal thresholds: nothing is wanted", 1000, 200, 80, 80, 80, 0],
    [
      "sizes whose product with a percent is no exact number",
      9007199254740991,
      900719925474099,
      85,
      80,
      91,
      900719925474099,
    ],
  ])("%s", (_, capacity, available, high, low, percent, wanted) => {
    const { images } = settings(thresholds(high, low));
    expect(measure({ capacity, available }, images)).toMatchObject({ state: "measured", percent, wanted });
  });

  test.each([
    ["by bytes alone, when percents are off", 100, 0, 900, 700, 50],
    ["by whichever threshold wants more", 90, 80, 900, 850, 150],
    ["and not below both", 99, 80, 951, 500, undefined],
  ])("%s", (_, high, low, highBytes, lowBytes, wanted) => {
    const { images } = settings({
      images: {
        highThresholdPercent: high,
        lowThresholdPercent: low,
        thresholdBytes: { high: highBytes, low: lowBytes },
      },
    });
    const amount = high === 100 ? 250 : wanted;
    expect(measure({ capacity: 1000, available: 50 }, images)).toMatchObject({ wanted: amount });
  });

  it("#156 nothing goes below the threshold", () => {
    const node = nodeWith(1000, 600, thresholds(90, 80));
    node.images = [image(0, 450)];
    expect(node.run()).toEqual([]);
    expect(node.record).toMatchObject({ imageFailures: 0, lastImageRun: { error: null } });
  });

  it("#157 figures that are missing are a failure, and the second one in a row an Event", () => {
    const node = new SimulatedNode(NOW);
    node.fileSystems = { ...disk(1000, 50), layout: "unknown", imagefs: undefined };
    node.run();
    expect(node.reasons).toEqual([]);
    node.run();
    expect(node.reasons).toEqual(["ImageGCFailed"]);
  });

  it("#158 goes what is needed, and the run is over", () => {
    const node = nodeWith(1000, 50, thresholds(90, 80));
    node.images = [image(0, 450)];
    node.run();
    expect(node.record.lastImageRun).toMatchObject({ wanted: 150, freed: 450, error: null });
    expect(node.reasons).toEqual([]);
  });

  it("#159 too little to free is a failure and an Event at once", () => {
    const node = nodeWith(1000, 50, thresholds(90, 80));
    node.images = [image(0, 50)];
    node.run();
    expect(node.record.lastImageRun).toMatchObject({ wanted: 150, freed: 50 });
    expect(node.events).toMatchObject([{ reason: "FreeDiskSpaceFailed" }]);
    expect(node.events[0]?.message).toMatch(
      /Attempted to free 150 bytes, but only found 50 bytes eligible to free/,
    );
  });

  test.each([
    [0, 0],
    [0, 100],
  ])("#164 a capacity of %d is a failure and an Event", (capacity, available) => {
    const node = nodeWith(capacity, available, thresholds(90, 80));
    node.images = [image(0, 50)];
    expect(node.run()).toEqual([]);
    expect(node.events).toEqual([
      { reason: "InvalidDiskCapacity", message: "invalid capacity 0 on image filesystem" },
    ]);
    expect(node.record.imageFailures).toBe(1);
  });

  it("#166 with equal thresholds exactly one image goes", () => {
    const node = nodeWith(1000, 200, thresholds(80, 80));
    node.gives = 0;
    node.images = [image(0, 10), image(1, 10)];
    node.run();
    expect(gone(node)).toEqual([`rmi ${imageId(0)}`]);
    expect(node.record.lastImageRun).toMatchObject({ wanted: 0, freed: 10, error: null });
  });

  it("#167 a removal that fails is the failure, not that too little was freed", () => {
    const node = nodeWith(1000, 50, thresholds(90, 80));
    node.images = [image(0, 450)];
    node.failing.add(`rmi ${imageId(0)}`);
    node.run();
    expect(node.reasons).toEqual([]);
    expect(node.record.lastImageRun?.error).toMatch(
      /wanted to free 150 bytes, but freed 0 bytes space with errors/,
    );
    // Once a run, not once a report.
    expect(gone(node)).toHaveLength(1);
    node.run();
    expect(node.reasons).toEqual(["ImageGCFailed"]);
  });

  it("#168 a high threshold of 100 turns the run off, and all unused images go under pressure still", () => {
    const node = nodeWith(1000, 0, {
      images: { highThresholdPercent: 100 },
      eviction: { hard: { "imagefs.available": { amount: 0 } } },
    });
    node.images = [image(0, 10), image(1, 10)];
    expect(node.run()).toEqual([]);
    expect(node.record.lastImageRun).toBeNull();
    node.settings = settings({
      images: { highThresholdPercent: 100 },
      eviction: { hard: { "imagefs.available": { percent: 15 } } },
    });
    node.run();
    expect(node.left).toEqual([]);
  });

  it("#169 only two failures in a row are an Event", () => {
    const node = nodeWith(1000, 600, thresholds(90, 80));
    const { fileSystems } = node;
    for (const works of [false, true, false, false]) {
      expect(node.reasons).toEqual([]);
      node.fileSystems = works ? fileSystems : { ...fileSystems, imagefs: undefined };
      node.run();
    }
    expect(node.reasons).toEqual(["ImageGCFailed"]);
  });
});

describe("when images are collected by age", () => {
  const aged = (more: Partial<ReturnType<typeof settings>["images"]> = {}): SettingsSketch => ({
    images: { maximumAge: MINUTE, highThresholdPercent: 90, ...more },
    imagePeriod: 1,
  });

  /** Image 0 was last used when the record began, image 1 is in use. */
  function usedOnce(sketch = aged()): SimulatedNode {
    const node = nodeWith(1000, 1000, sketch);
    node.images = [image(0, 10), image(1, 10)];
    node.containers = [user("a", [0]), user("b", [1])];
    node.settle();
    node.containers = [user("b", [1])];
    return node;
  }

  test.each([
    ["#170 not yet when it was used just now", 0, []],
    ["#172 not when it is exactly as old", MINUTE, []],
    ["#171 when it is older", MINUTE + 0.001, [`rmi ${imageId(0)}`]],
  ])("%s", (_, after, expected) => {
    for (const restartResetsAge of [false, true]) {
      const node = usedOnce(aged({ restartResetsAge }));
      node.now += after;
      node.settle();
      expect(gone(node)).toEqual(expected);
      expect(node.record.removedImages.age.images).toBe(expected.length);
      expect(node.left).toContain("1");
    }
  });

  it("#173 one that was never used goes with the first pass, as upstream has it, when ages begin anew at restarts", () => {
    const node = nodeWith(1000, 1000, aged({ minimumAge: MINUTE / 2, restartResetsAge: true }));
    node.settle();
    node.now += 59_000;
    node.images = [image(0, 10)];
    node.settle();
    node.now += 2000;
    node.settle();
    expect(gone(node)).toEqual([`rmi ${imageId(0)}`]);
  });

  it("#173 differs: one that was never used is as old as our knowledge of it", () => {
    const node = nodeWith(1000, 1000, aged({ minimumAge: MINUTE / 2 }));
    node.settle();
    node.now += 59_000;
    node.images = [image(0, 10)];
    node.settle();
    node.now += MINUTE;
    node.settle();
    expect(gone(node)).toEqual([]);
    node.now += 1;
    node.settle();
    expect(gone(node)).toEqual([`rmi ${imageId(0)}`]);
  });

  it("#174 never without a maximum age", () => {
    const node = usedOnce(aged({ maximumAge: 0 }));
    for (let day = 0; day < 3; day++) {
      node.now += 600_000;
      node.settle();
    }
    expect(gone(node)).toEqual([]);
  });

  it("#175 a removal by age that fails ends the run before space is looked at", () => {
    const node = usedOnce();
    node.fileSystems = disk(1000, 50);
    node.images.push(image(2, 400));
    node.failing.add(`rmi ${imageId(0)}`);
    node.now += MINUTE + 1;
    node.settings = { ...node.settings, imagePeriod: MINUTE };
    node.settle();
    expect(gone(node)).toEqual([`rmi ${imageId(0)}`]);
    expect(node.record.lastImageRun).toMatchObject({
      phase: "age",
      error: expect.stringContaining("said no"),
    });
  });

  it("#176 after a restart nothing goes by age at once, when ages begin anew at restarts", () => {
    const day = 86_400_000;
    const lastUsedDayAgo = (restartResetsAge: boolean): SimulatedNode => {
      const node = usedOnce(aged({ maximumAge: 2 * day, restartResetsAge }));
      for (let at = 0; at < day; at += 600_000) {
        node.now += 600_000;
        node.settle();
      }
      node.boot = "second";
      node.settle();
      node.settings = settings(aged({ restartResetsAge }));
      node.now += 30_000;
      node.settle();
      return node;
    };
    expect(gone(lastUsedDayAgo(true))).toEqual([]);
    // Differs: ages survive restarts.
    expect(gone(lastUsedDayAgo(false))).toEqual([`rmi ${imageId(0)}`]);
  });

  it("a node that was away for a week is not emptied when it comes back", () => {
    const node = usedOnce(aged({ maximumAge: 86_400_000 }));
    node.containers = [user("a", [0]), user("b", [1])];
    node.settle();
    node.now += 7 * 86_400_000;
    node.containers = [];
    node.settle();
    node.now += 600_000;
    node.settle();
    expect(gone(node)).toEqual([]);
    // What was in use when it went counts as used until it came back.
    node.now += 86_400_000;
    for (let at = 0; at < 3; at++) {
      node.now += 600_000;
      node.settle();
    }
    expect(gone(node)).toHaveLength(2);
  });
});
