import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ModelRequest, type ModelState, settled } from "../../test/model/collector.ts";
import { histories, NAMESPACES } from "../../test/model/history.ts";
import { indexOf, unjustified, unsettled } from "../../test/model/invariants.ts";
import { TestCluster } from "./graph.fixture.ts";
import { History, pathOf } from "./history.fixture.ts";

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

function outcomes(state: ModelState, request: ModelRequest): Set<string> {
  const found = new Set<string>();
  for (let order = 0; order < ORDERS; order++) {
    let seed = order * 7919 + 1;
    const pick = (of: number) => {
      if (order === 0) return 0;
      if (order === 1) return of - 1;
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % of;
    };
    found.add(told(settled(state, request, pick)));
  }
  return found;
}

/** `MODEL_HISTORIES=5000 MODEL_SEED=1 npx vitest run model`: more of them, or those of a run before. */
const { MODEL_HISTORIES, MODEL_SEED } = env as unknown as Record<string, string>;
const RUNS = Number(MODEL_HISTORIES || 200);
const parameters = { numRuns: RUNS, ...(MODEL_SEED ? { seed: Number(MODEL_SEED) } : {}) };
const timeout = 60_000 + RUNS * 1000;

test(`${RUNS} histories end as the model says, step by step`, { timeout }, async () => {
  const property = fc.asyncProperty(histories(10), async (steps) => {
    const history = new History(await TestCluster.create(NAMESPACES));
    let before = await history.state();
    for (const step of steps) {
      const asked = history.request(step, before);
      if (asked === undefined) continue;
      const request = await history.send(asked, step);
      await history.cluster.settle();
      const after = await history.state();
      const possible = outcomes(before, request);
      if (!possible.has(told(after))) {
        expect(`after ${JSON.stringify(step)}\n${told(before)}\n⇒\n${told(after)}`).toBe(
          `after ${JSON.stringify(step)}\n${told(before)}\n⇒\n${[...possible].join("\nor\n")}`,
        );
      }
      before = after;
    }
  });
  await fc.assert(property, parameters);
});

/** Whose turn it is between two requests, a few times. */
const turns = fc.array(fc.constantFrom("", ...NAMESPACES), { maxLength: 4 });

test(`${RUNS} histories in which work is done late delete nothing wrongly and leave nothing`, {
  timeout,
}, async () => {
  const property = fc.asyncProperty(
    histories(12),
    fc.array(turns, { maxLength: 12 }),
    async (steps, work) => {
      const history = new History(await TestCluster.create(NAMESPACES));
      for (const [i, step] of steps.entries()) {
        const asked = history.request(step, await history.state());
        if (asked !== undefined) await history.send(asked, step);
        for (const namespace of work[i] ?? []) await history.cluster.slice(namespace);
      }
      await history.cluster.settle();
      expect(unsettled(await history.state())).toEqual([]);
      expect(unjustified(await history.changes())).toEqual([]);
      expect(await history.index()).toEqual(indexOf(await history.state()));
    },
  );
  await fc.assert(property, parameters);
});
