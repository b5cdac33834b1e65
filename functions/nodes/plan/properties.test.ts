import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_RECORD, type NodeRecord } from "../record/node-record.ts";
import type { NodeReport } from "../report/report.ts";
import { matchesImage } from "../settings/image-pattern.ts";
import type { ImagePattern } from "../settings/settings.ts";
import type { ImageRemoval, Plan } from "./plan.ts";
import { container, disk, image, SimulatedNode, sandbox, user } from "./simulated-node.fixture.ts";
import { takeReport } from "./take-report.ts";

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;
const CAPACITY = 1000;
const KEPT = "registry.example/app-k*" as ImagePattern;

/** Images by name; those whose name begins with `k` are on the keep-list. */
const imageSketch = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f", "k1", "k2"),
  size: fc.integer({ min: 0, max: 200 }),
  pinned: fc.boolean(),
  used: fc.boolean(),
});

/** What is on the node at a moment. */
const scene = fc.record({
  images: fc.uniqueArray(imageSketch, { selector: ({ name }) => name, maxLength: 8 }),
  dead: fc.integer({ min: 0, max: 4 }),
  available: fc.integer({ min: 0, max: CAPACITY }),
  /** Until the next scene. */
  minutes: fc.integer({ min: 0, max: 30 }),
  boot: fc.constantFrom("first", "second"),
});

const policy = fc.record({
  low: fc.integer({ min: 0, max: 90 }),
  above: fc.integer({ min: 1, max: 9 }),
  minimum: fc.integer({ min: 0, max: 10 }),
  maximum: fc.constantFrom(0, 11, 60),
  perPod: fc.integer({ min: -1, max: 2 }),
  pressure: fc.boolean(),
});

type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;
type Policy = typeof policy extends fc.Arbitrary<infer T> ? T : never;

function nodeOf({ low, above, minimum, maximum, perPod, pressure }: Policy): SimulatedNode {
  return new SimulatedNode(NOW, {
    images: {
      lowThresholdPercent: low,
      highThresholdPercent: low + above,
      minimumAge: minimum * MINUTE,
      maximumAge: maximum * MINUTE,
      keep: [KEPT],
    },
    containers: { maxPerPodContainer: perPod },
    eviction: { hard: pressure ? { "imagefs.available": { percent: 15 } } : {} },
  });
}

function setScene(node: SimulatedNode, { images, dead, available, boot }: Scene): void {
  node.images = images.map(({ name, size, pinned }) => image(name, size, { pinned }));
  const used = images.filter((each) => each.used).map(({ name }) => name);
  node.containers = [
    user("user", used),
    ...Array.from({ length: dead }, (_, i) => container("p/c", i, { images: [] })),
  ];
  node.sandboxes = [sandbox("user", "READY", 0), sandbox("p", "READY", 0)];
  node.pods = ["user", "p"];
  node.fileSystems = disk(CAPACITY, available);
  node.boot = boot;
}

const removals = ({ steps }: Plan): ImageRemoval[] => steps.filter((step) => step.verb === "rmi");

/** What a plan must never do, whatever was before. */
function check(plan: Plan, node: SimulatedNode, report: NodeReport, before: NodeRecord): void {
  const inUse = new Set(report.containers?.items.flatMap(({ images }) => images));
  for (const { id, reason } of removals(plan)) {
    const listed = report.images?.items.find((each) => each.id === id);
    const known = node.record.images.get(id as never);
    if (listed === undefined || known === undefined) throw new Error(`${id} is not on the node`);
    expect(inUse.has(id)).toBe(false);
    expect(listed.pinned).toBe(false);
    expect(matchesImage(KEPT, listed)).toBe(false);
    expect(node.now - known.firstDetected).toBeGreaterThanOrEqual(node.settings.images.minimumAge);
    if (reason === "age") {
      const since = known.lastUsed ?? known.firstDetected;
      expect(node.now - since).toBeGreaterThan(node.settings.images.maximumAge);
    }
  }
  const forSpace = removals(plan).filter(({ reason }) => reason === "space");
  const { imageRun } = node.record;
  if (forSpace.length > 0 && imageRun !== null) {
    const wanted = (imageRun.wanted ?? 0) - imageRun.freed;
    const withoutLast = forSpace.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
    // Without its last image it would not be enough.
    expect(forSpace.length === 1 || withoutLast < wanted).toBe(true);
  }
  const running = new Set(
    report.containers?.items.filter(({ state }) => state === "RUNNING").map(({ id }) => id as string),
  );
  for (const step of plan.steps) if (step.verb === "rm") expect(running.has(step.id)).toBe(false);
  expect(plan.number === 0 || plan.number > before.planNumber).toBe(true);
}

describe("no plan", () => {
  it("names an image in use, pinned, kept or too young, or frees more than needed by over one image", () => {
    fc.assert(
      fc.property(policy, fc.array(scene, { minLength: 1, maxLength: 8 }), (rules, scenes) => {
        const node = nodeOf(rules);
        for (const each of scenes) {
          setScene(node, each);
          for (let turn = 0; turn < 4; turn++) {
            const before = node.record;
            const report = node.report();
            const { plan } = node.take(report);
            check(plan, node, report, before);
            node.carryOut(plan);
          }
          node.now += each.minutes * MINUTE;
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Reports of a node, each with the moment at which it is sent. Nothing of them depends on what was answered. */
function history(rules: Policy, scenes: readonly Scene[]): { at: number; report: NodeReport }[] {
  const node = nodeOf(rules);
  return scenes.map((each) => {
    setScene(node, each);
    const sent = { at: node.now, report: node.report() };
    node.now += 1000 + each.minutes * MINUTE;
    return sent;
  });
}

describe("reports that are repeated, late or lost", () => {
  const scenes = fc.array(scene, { minLength: 1, maxLength: 10 });

  it("end in the same record, when each comes through once", () => {
    fc.assert(
      fc.property(policy, scenes, fc.infiniteStream(fc.nat(20)), (rules, list, picks) => {
        const { settings } = nodeOf(rules);
        const sent = history(rules, list);
        let clean = EMPTY_RECORD;
        let noisy = EMPTY_RECORD;
        for (const [i, { at, report }] of sent.entries()) {
          const one = takeReport(clean, report, settings, at);
          if (one.state === "taken") clean = one.record;
          const two = takeReport(noisy, report, settings, at);
          if (two.state === "taken") noisy = two.record;
          // Up to two of those that were sent come again.
          for (let again = (picks.next().value ?? 0) % 3; again > 0; again--) {
            const late = sent[(picks.next().value ?? 0) % (i + 1)];
            if (late === undefined) continue;
            const taken = takeReport(noisy, late.report, settings, at + again);
            expect(taken.state).toBe("known");
            // Only a repeat of the latest may be told the same plan once more.
            if (late !== sent[i]) expect(taken.plan.steps).toEqual([]);
            else expect(taken.plan.steps).toEqual(two.plan.steps);
          }
        }
        expect(noisy).toEqual(clean);
      }),
      { numRuns: 200 },
    );
  });

  it("that are lost change nothing but what nobody can know: since when", () => {
    fc.assert(
      fc.property(policy, scenes, fc.infiniteStream(fc.boolean()), (rules, list, lost) => {
        const { settings } = nodeOf(rules);
        const sent = history(rules, list);
        const play = (arrives: (i: number) => boolean): NodeRecord =>
          sent.reduce((record, { at, report }, i) => {
            const taken = arrives(i) ? takeReport(record, report, settings, at) : undefined;
            return taken?.state === "taken" ? taken.record : record;
          }, EMPTY_RECORD);
        const clean = play(() => true);
        const holed = play((i) => i === sent.length - 1 || !lost.next().value);
        const shape = ({ images, containers, sequence, reportedAt, fileSystems }: NodeRecord) => ({
          images: [...images.values()].map(({ firstDetected: _f, lastUsed: _l, ...rest }) => rest),
          containers: [...containers.values()].map(({ exitedAt: _e, ...rest }) => rest),
          sequence,
          reportedAt,
          fileSystems,
        });
        expect(shape(holed)).toEqual(shape(clean));
        for (const { firstDetected, lastUsed } of holed.images.values()) {
          expect(firstDetected).toBeLessThanOrEqual(holed.reportedAt ?? 0);
          expect(lastUsed ?? 0).toBeLessThanOrEqual(holed.reportedAt ?? 0);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("on a line that loses both ways, and repeats, every image that went is counted once, and enough goes in the end", () => {
    const faults = fc.constantFrom("none", "report lost", "answer lost", "repeated");
    fc.assert(
      fc.property(policy, scene, fc.array(faults, { maxLength: 12 }), (rules, start, line) => {
        const node = nodeOf({ ...rules, maximum: 0, pressure: false });
        setScene(node, start);
        const before = node.images.length;
        const total = start.images.reduce((sum, { size }) => sum + size, 0);
        node.fileSystems = disk(CAPACITY + total, start.available);
        node.now += 30 * MINUTE;
        node.take(node.report());
        for (const fault of line) {
          node.now += MINUTE;
          const report = node.report();
          if (fault === "report lost") continue;
          const { plan } = node.take(report);
          if (fault === "repeated") expect(node.take(report).plan.steps).toEqual(plan.steps);
          if (fault !== "answer lost") node.carryOut(plan);
        }
        node.now += 30 * MINUTE;
        node.settle();
        node.now += 30 * MINUTE;
        node.settle();
        const { removedImages } = node.record;
        expect(removedImages.space.images).toBe(before - node.images.length);
        const { error } = node.record.lastImageRun ?? {};
        const free = [...node.record.images.values()].filter(
          (each) => !each.inUse && !each.pinned && !matchesImage(KEPT, each),
        );
        // Either the last run found that there was room enough, or it said that nothing more can go.
        expect(error === null || free.length === 0).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
