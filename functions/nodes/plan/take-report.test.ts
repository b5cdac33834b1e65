import { describe, expect, it } from "vitest";
import { MOST_STEPS } from "./plan.ts";
import { container, disk, image, imageId, SimulatedNode, sandbox, user } from "./simulated-node.fixture.ts";

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;

/** Over its threshold by 150, with images of a hundred each. */
function fullNode(): SimulatedNode {
  const node = new SimulatedNode(NOW, { images: { highThresholdPercent: 90, lowThresholdPercent: 80 } });
  node.fileSystems = disk(1000, 50);
  node.images = [image("a", 100), image("b", 100), image("c", 100), image("d", 100)];
  return node;
}

const removed = (node: SimulatedNode): string[] => node.tried.filter((step) => step.startsWith("rmi"));

describe("a plan", () => {
  it("that was lost is made again from the next report, under a new number", () => {
    const node = fullNode();
    const lost = node.take(node.report()).plan;
    node.now += MINUTE;
    const { plan } = node.take(node.report());
    expect([lost.number, plan.number]).toEqual([1, 2]);
    expect(plan.steps).toEqual(lost.steps);
  });

  it("leaves out what came into use since it was lost", () => {
    const node = fullNode();
    node.take(node.report());
    node.now += MINUTE;
    node.containers = [user("late", ["a"])];
    const { plan } = node.take(node.report());
    expect(plan.steps.map(({ id }) => id)).toEqual([imageId("b"), imageId("c")]);
  });

  it("whose results were lost is known by what is listed", () => {
    const node = fullNode();
    node.carryOut(node.take(node.report()).plan);
    node.results = [];
    node.now += MINUTE;
    expect(node.take(node.report()).plan.steps).toEqual([]);
    expect(node.record.lastImageRun).toMatchObject({ wanted: 150, freed: 200, removed: 2, error: null });
  });

  it("whose results come again is counted once", () => {
    const node = fullNode();
    node.carryOut(node.take(node.report()).plan);
    const { results } = node;
    for (let i = 0; i < 3; i++) {
      node.results = results;
      node.take(node.report());
      node.now += 1000;
    }
    expect(node.record.removedImages.space).toEqual({ images: 2, bytes: 200 });
  });

  it("that the node refused is a failure, and is not asked for again at once", () => {
    const node = fullNode();
    const { number } = node.take(node.report()).plan;
    node.results = [{ plan: number, outcome: "refused", steps: [] }];
    node.now += 1000;
    const { plan } = node.take(node.report());
    expect(plan.steps.map(({ id }) => id)).toEqual([imageId("c"), imageId("d")]);
  });

  it("that was too old when it came is made again", () => {
    const node = fullNode();
    const { number, steps } = node.take(node.report()).plan;
    node.results = [{ plan: number, outcome: "expired", steps: [] }];
    node.now += MINUTE;
    expect(node.take(node.report()).plan.steps).toEqual(steps);
  });

  it("has so many steps at most, and the rest follows at once", () => {
    const node = new SimulatedNode(NOW, { containers: { maxPerPodContainer: 0 } });
    node.containers = Array.from({ length: MOST_STEPS + 20 }, (_, i) => container("p/c", i));
    node.sandboxes = [sandbox("p", "READY", 0)];
    node.pods = ["p"];
    expect(node.settle().map(({ steps }) => steps.length)).toEqual([MOST_STEPS, 20]);
  });

  it("names nothing that could mean something else to a runtime or a shell", () => {
    const node = fullNode();
    node.images = [
      { ...image("a", 400), id: "sha256:abc" as never },
      { ...image("b", 400), tags: ["registry.example/b:1; reboot"] },
    ];
    node.logs = ["default_web_gone", "../etc", "a b", "$(reboot)"];
    expect(node.take(node.report()).plan.steps).toEqual([{ verb: "rmlog", id: "default_web_gone" }]);
  });
});

describe("a dry run", () => {
  it("says what would go now, and leaves the runs as they were", () => {
    const node = fullNode();
    node.settle();
    const before = node.record;
    node.fileSystems = disk(1000, 50);
    node.now += 1000;
    const report = node.report();
    const { plan } = node.take({ ...report, sender: { ...report.sender, dryRun: true } });
    expect(plan.steps.map(({ verb }) => verb)).toEqual(["rmi", "rmi"]);
    const { imageRun, imagesLookedAt, containersLookedAt, imageFailures } = node.record;
    expect({ imageRun, imagesLookedAt, containersLookedAt, imageFailures }).toEqual({
      imageRun: before.imageRun,
      imagesLookedAt: before.imagesLookedAt,
      containersLookedAt: before.containersLookedAt,
      imageFailures: before.imageFailures,
    });
  });

  it("between a plan and its results loses neither: no more goes than was needed", () => {
    const node = fullNode();
    node.carryOut(node.take(node.report()).plan);
    const report = node.report();
    node.take({ ...report, sender: { ...report.sender, dryRun: true } });
    node.now += 1000;
    node.settle();
    expect(removed(node)).toHaveLength(2);
    expect(node.record.removedImages.space.images).toBe(2);
  });
});

describe("the periodic runs", () => {
  it("are each minute for containers and every five for images, and a timer that is a little early misses none", () => {
    const node = new SimulatedNode(NOW, {
      images: { highThresholdPercent: 90 },
      containers: { maxPerPodContainer: 0 },
    });
    node.sandboxes = [sandbox("p", "READY", 0)];
    node.pods = ["p"];
    const seen: string[][] = [];
    for (let minute = 0; minute < 7; minute++) {
      node.fileSystems = disk(1000, 50);
      node.images.push(image(`i${minute}`, 1000));
      node.containers.push(container("p/c", minute));
      const verbs = node.settle().flatMap(({ steps }) => steps.map(({ verb }) => verb));
      seen.push(verbs);
      node.now += MINUTE - 2000;
    }
    expect(seen.map((verbs) => verbs.includes("rm"))).toEqual(Array(7).fill(true));
    expect(seen.map((verbs) => verbs.includes("rmi"))).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it("with report-only ask for nothing, and say what they would have", () => {
    const node = fullNode();
    node.settings = { ...node.settings, reportOnly: true };
    const { plan } = node.take(node.report());
    expect(plan).toMatchObject({
      number: 0,
      steps: [],
      withheld: [{ id: imageId("a") }, { id: imageId("b") }],
    });
    expect(node.record.withheld).toEqual(plan.withheld);
    node.fileSystems = disk(0, 0);
    node.run();
    node.run();
    expect(node.reasons).toEqual([]);
  });
});

describe("an Event that stays true", () => {
  it("is written again after ten minutes, with its count", () => {
    const node = new SimulatedNode(NOW);
    node.logs = undefined;
    const counts: number[] = [];
    for (let minute = 0; minute <= 10; minute++) {
      const taken = node.take(node.report());
      if (taken.state === "taken") counts.push(...taken.events.map(({ count }) => count));
      node.now += MINUTE;
    }
    expect(counts).toEqual([1, 11]);
  });
});
