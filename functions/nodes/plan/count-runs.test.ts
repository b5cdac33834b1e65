import { describe, expect, it } from "vitest";
import type { NodeRecord } from "../record/node-record.ts";
import { disk, image, imageId, type SettingsSketch, SimulatedNode, user } from "./simulated-node.fixture.ts";

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;

function nodeWith(capacity: number, available: number, sketch: SettingsSketch = {}): SimulatedNode {
  const node = new SimulatedNode(NOW, {
    images: { highThresholdPercent: 90, lowThresholdPercent: 80, minimumAge: 0, ...sketch.images },
  });
  node.fileSystems = disk(capacity, available);
  return node;
}

/** `operation result reason: how many, bytes freed`. */
const attempts = ({ imageRuns }: NodeRecord): string[] =>
  imageRuns.attempts.map(({ operation, result, reason, seconds, freed }) => {
    const count = seconds.counts.reduce((sum, each) => sum + each, 0);
    return `${operation} ${result} ${reason}: ${count}, ${freed.sum}`;
  });

describe("collections are counted, in the words of KEP-6053", () => {
  it("one below the threshold did nothing", () => {
    const node = nodeWith(1000, 600);
    node.settle();
    expect(attempts(node.record)).toEqual(["garbage_collect noop threshold: 1, 0"]);
    expect(node.record.imageRuns).toMatchObject({ targets: [], skipped: [], usedPercent: 40 });
    // Not with each report, but with each collection.
    node.now += MINUTE;
    node.settle();
    expect(attempts(node.record)).toEqual(["garbage_collect noop threshold: 1, 0"]);
    node.now += 4 * MINUTE;
    node.settle();
    expect(attempts(node.record)).toEqual(["garbage_collect noop threshold: 2, 0"]);
  });

  it("one above it freed what was wanted, and passed over what had to stay", () => {
    const node = nodeWith(1000, 900);
    node.images = [image(1, 100), image(2, 100), image(3, 100), image(4, 100, { pinned: true })];
    node.containers = [user("web", [3])];
    node.settle();
    node.fileSystems = disk(1000, 50);
    node.now += 5 * MINUTE;
    node.settle();
    expect(attempts(node.record)).toEqual([
      "garbage_collect noop threshold: 1, 0",
      "garbage_collect success threshold: 1, 200",
    ]);
    const { targets, skipped, usedPercent } = node.record.imageRuns;
    expect(targets).toMatchObject([{ operation: "garbage_collect", bytes: { sum: 150 } }]);
    expect(skipped).toEqual([
      { operation: "garbage_collect", reason: "in_use", count: 1 },
      { operation: "garbage_collect", reason: "pinned", count: 1 },
    ]);
    expect(usedPercent).toBe(95);
  });

  it("one that freed less than was wanted is partial; one that found nothing did nothing", () => {
    const node = nodeWith(1000, 50);
    node.images = [image(1, 100)];
    node.settle();
    node.fileSystems = disk(1000, 50);
    node.now += 5 * MINUTE;
    node.settle();
    expect(attempts(node.record)).toEqual([
      "garbage_collect partial insufficient_freed: 1, 100",
      "garbage_collect noop insufficient_freed: 1, 0",
    ]);
  });

  it("one by age says so", () => {
    const node = nodeWith(1000, 600, { images: { maximumAge: MINUTE } });
    node.images = [image(1, 100)];
    node.settle();
    node.now += 5 * MINUTE;
    node.settle();
    expect(attempts(node.record)).toContain("garbage_collect success age: 1, 100");
  });

  it("errors are told apart, and removals that failed are counted", () => {
    const node = nodeWith(0, 0);
    node.settle();
    node.fileSystems = disk(1000, 50);
    node.images = [image(1, 500)];
    node.failing.add(`rmi ${imageId(1)}`);
    node.now += 5 * MINUTE;
    node.settle();
    expect(attempts(node.record)).toEqual([
      "garbage_collect error invalid_capacity: 1, 0",
      "garbage_collect error delete_error: 1, 0",
    ]);
    expect(node.record.imageRuns.failed).toEqual({ space: 1 });
  });

  it("one under pressure is told once, however long the pressure lasts", () => {
    const node = new SimulatedNode(NOW, {
      images: { highThresholdPercent: 100 },
      eviction: { hard: { "imagefs.available": { percent: 15 } } },
    });
    node.fileSystems = disk(1000, 10);
    node.gives = 0;
    node.images = [image(1, 100), image(2, 200)];
    for (let at = 0; at < 4; at++) {
      node.now += MINUTE;
      node.settle();
    }
    expect(attempts(node.record)).toEqual(["delete_unused_images success all_unused: 1, 300"]);
    expect(node.record.lastImageRun).toMatchObject({ phase: "pressure", freed: 300, removed: 2 });
    expect(node.record.imageRuns.targets).toContainEqual(
      expect.objectContaining({
        operation: "delete_unused_images",
        bytes: expect.objectContaining({ sum: 300 }),
      }),
    );
  });
});
