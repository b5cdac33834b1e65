import { expect } from "vitest";
import type { TestServer } from "../server.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";
import type { RecordedCase, Seen } from "./recorded-case.ts";
import { Replay } from "./replay.ts";

/** So many cases are replayed at a time: they wait most of the time. */
export const AT_A_TIME = 12;

/** Replays a case and compares every step with what was recorded. */
export async function expectAsRecorded(server: TestServer, recorded: RecordedCase): Promise<void> {
  const replay = await Replay.begin(server, recorded);
  for (const [index, step] of recorded.steps.entries()) {
    const wanted = recorded.expect[index];
    const seen = await replay.step(step, wanted);
    if (isKnownDifference(recorded.name, index, seen)) continue;
    expect(seen, `step ${index}: ${JSON.stringify(step)}`).toEqual(wanted);
  }
}

function isKnownDifference(name: string, index: number, seen: Seen): boolean {
  const known = KNOWN_DIFFERENCES.find(({ of, step }) => of === name && step === index);
  return known !== undefined && JSON.stringify(known.answer) === JSON.stringify(seen);
}
