import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { type ModelRequest, type ModelState, settled } from "../../test/model/collector.ts";
import { indexOf, uncaused, unjustified, unsettled } from "../../test/model/invariants.ts";
import { type History, pathOf } from "./history.fixture.ts";

/** `npm test` runs 2,000; `MODEL_HISTORIES=20000 MODEL_SEED=1 npm test -- model` more of them, or those of a run before. */
const { MODEL_HISTORIES, MODEL_SEED } = env as unknown as Record<string, string>;
const RUNS = Number(MODEL_HISTORIES || 200);
/** Two files share them, so that two cores do. */
export const HALF = Math.ceil(RUNS / 2);
/** Of histories that cost more, with faults or with work done late; and of those that ask something at each step. */
export const SOME = Math.ceil(RUNS / 20);
export const FEW = Math.ceil(RUNS / 40);
export const parameters: { numRuns: number; seed?: number } = {
  numRuns: HALF,
  ...(MODEL_SEED ? { seed: Number(MODEL_SEED) } : {}),
};
export const timeout = 60_000 + RUNS * 1000;

/** As text that compares, and reads well when it does not. */
function told(state: ModelState): string {
  const lines = [...state.values()].map((object) => {
    const owners = object.owners.map(
      ({ kind, name, uid, blocking }) => `${kind}/${name}#${uid.slice(-4)}${blocking ? "!" : ""}`,
    );
    const going = object.deleting ? " going" : "";
    return `${pathOf(object)}#${object.uid.slice(-4)}${going} [${object.finalizers}] ← ${owners.sort().join(", ")}`;
  });
  return lines.sort().join("\n");
}

/** As many orders of work are tried in the model: some outcomes depend on it, and any of them will do. */
const ORDERS = 60;

/** What the request may lead to, the likeliest first, each once. */
function* outcomes(state: ModelState, request: ModelRequest): Generator<string> {
  const found = new Set<string>();
  for (let order = 0; order < ORDERS; order++) {
    let seed = order * 7919 + 1;
    const pick = (of: number) => {
      if (order === 0) return 0;
      if (order === 1) return of - 1;
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % of;
    };
    const outcome = told(settled(state, request, pick));
    if (found.has(outcome)) continue;
    found.add(outcome);
    yield outcome;
  }
}

/** Fails unless the model, from the state before, comes to the state after. `or`: what it may have stayed as well. */
export function expectAgreement(
  before: ModelState,
  request: ModelRequest | undefined,
  after: ModelState,
  or?: ModelState,
): void {
  const seen = told(after);
  const possible = or === undefined ? [] : [told(or)];
  if (possible.includes(seen)) return;
  for (const outcome of request ? outcomes(before, request) : []) {
    if (outcome === seen) return;
    possible.push(outcome);
  }
  const asked = `after ${JSON.stringify(request)}\n${told(before)}\n⇒\n`;
  expect(asked + seen).toBe(asked + possible.join("\nor\n"));
}

/** What has to hold when all work is done, whatever happened. */
export async function expectInvariants(history: History): Promise<void> {
  const [state, changes] = await Promise.all([history.state(), history.changes()]);
  expect(unsettled(state)).toEqual([]);
  expect(unjustified(changes)).toEqual([]);
  expect(uncaused(changes, await history.records())).toEqual([]);
  expect(await history.missing()).toEqual([]);
  expect(await history.index()).toEqual(indexOf(state));
}
