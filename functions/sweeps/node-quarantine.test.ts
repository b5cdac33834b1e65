import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lookForNodes, type Quarantine } from "./node-quarantine.ts";
import { SECOND, settingsOf, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("pods");

interface Pass {
  /** Seconds after the first. */
  at: number;
  bound: string[];
  present: string[];
}

/** What is due in each pass. */
function passes(...all: Pass[]): string[][] {
  let quarantine: Quarantine = new Map();
  return all.map(({ at, bound, present }) => {
    const look = lookForNodes(quarantine, bound, new Set(present), settings, T0 + at * SECOND);
    quarantine = look.quarantine;
    return look.due;
  });
}

const gone = (at: number): Pass => ({ at, bound: ["gone", "gone"], present: [] });

describe("a Node is due to be looked for again", () => {
  test.each<[string, Pass[], string[][]]>([
    [
      "#13 not when it exists",
      [
        { at: 0, bound: ["e1", "e2"], present: ["e1", "e2"] },
        { at: 80, bound: ["e1", "e2"], present: ["e1", "e2"] },
      ],
      [[], []],
    ],
    [
      "#14 when it was not found, whatever a fresh look says",
      [
        { at: 0, bound: ["e1", "e2"], present: [] },
        { at: 80, bound: ["e1", "e2"], present: [] },
      ],
      [[], ["e1", "e2"]],
    ],
    ["#15 #21 once, however many Pods it has", [gone(0), gone(80)], [[], ["gone"]]],
    ["#16 not after 20 s", [gone(0), gone(20)], [[], []]],
    [
      "#18 only the one that is missing",
      [
        { at: 0, bound: ["gone", "existing"], present: ["existing"] },
        { at: 80, bound: ["gone", "existing"], present: ["existing"] },
      ],
      [[], ["gone"]],
    ],
    ["#20 not when it is back", [gone(0), { at: 80, bound: ["gone"], present: ["gone"] }], [[], []]],
    ["#22 not when it went only now", [{ at: 0, bound: ["gone"], present: ["gone"] }, gone(80)], [[], []]],
    [
      "#23 #24 again after another quarantine",
      [gone(0), gone(80), gone(100), gone(120)],
      [[], ["gone"], [], ["gone"]],
    ],
    ["#26 by its first look, not by the last", [gone(0), gone(20), gone(41)], [[], [], ["gone"]]],
    ["at 40 s exactly, and then not again", [gone(0), gone(40), gone(41)], [[], ["gone"], []]],
    [
      "and not for Pods without a Node",
      [
        { at: 0, bound: [""], present: [] },
        { at: 80, bound: [""], present: [] },
      ],
      [[], []],
    ],
  ])("%s", (_, all, due) => {
    expect(passes(...all)).toEqual(due);
  });
});

test("the first look never makes a Node due, and none is due before it was missing for the quarantine", () => {
  const steps = fc.array(fc.tuple(fc.nat(60), fc.subarray(["a", "b", "c"])), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (all) => {
      const bound = ["a", "b", "c"];
      let quarantine: Quarantine = new Map();
      let now = T0;
      const missingSince = new Map<string, number>();
      for (const [seconds, present] of all) {
        now += seconds * SECOND;
        const look = lookForNodes(quarantine, bound, new Set(present), settings, now);
        for (const name of look.due) {
          expect(present).not.toContain(name);
          expect(now - (missingSince.get(name) ?? now)).toBeGreaterThanOrEqual(40 * SECOND);
        }
        for (const name of bound)
          if (!present.includes(name) && !missingSince.has(name)) missingSince.set(name, now);
        quarantine = look.quarantine;
      }
    }),
  );
});
