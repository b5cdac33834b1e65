import fc from "fast-check";
import { afterAll, beforeAll, test, vi } from "vitest";
import { histories, NAMESPACES } from "../../test/model/history.ts";
import { FAULTS, type Fate, Fates, fatedDatabase } from "./fates.fixture.ts";
import { DB, TestCluster } from "./graph.fixture.ts";
import { Superseded } from "./graph-store.ts";
import { History } from "./history.fixture.ts";
import { expectAgreement, expectInvariants, parameters, RUNS, timeout } from "./model.fixture.ts";

// Any call of the store, a read, a batch or a claim, may be lost, answered by nobody, repeated, delayed, refused, or come
// when another graph object has taken over.

/** One call in seven or so meets a fault, until there are no more. */
const fates = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fate>("arrives") },
    { weight: 1, arbitrary: fc.constantFrom(...FAULTS) },
  ),
  { maxLength: 150, size: "max" },
);

// How long is waited before something is sent again is no part of what is right.
beforeAll(() => {
  vi.stubGlobal("setTimeout", (then: () => void) => queueMicrotask(then));
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const ROUNDS = 500;

class Storm {
  readonly fates: Fates;
  readonly history: History;

  private constructor(fates: Fates, history: History) {
    this.fates = fates;
    this.history = history;
  }

  static async begin(queue: readonly Fate[]): Promise<Storm> {
    const fates: Fates = new Fates(queue, () =>
      DB.prepare("UPDATE namespaces_owner SET epoch = epoch + 1 WHERE cluster = ?1").bind(cluster.id).run(),
    );
    fates.blows = false;
    const cluster = await TestCluster.create(NAMESPACES, fatedDatabase(DB, fates).asD1);
    const storm = new Storm(fates, new History(cluster));
    fates.blows = true;
    return storm;
  }

  async calm<T>(something: () => Promise<T>): Promise<T> {
    this.fates.blows = false;
    return something().finally(() => {
      this.fates.blows = true;
    });
  }

  /** A turn that may fail; whoever was superseded makes room for another. */
  async slice(namespace: string): Promise<void> {
    const { cluster } = this.history;
    await cluster.slice(namespace).catch((fault: unknown) => {
      if (fault instanceof Superseded) cluster.replaceGraph(namespace);
    });
  }

  /** Everybody comes back to the work until there is none, and nothing is on its way. */
  async settle(): Promise<void> {
    const { cluster } = this.history;
    for (let rounds = 0; rounds < ROUNDS; rounds++) {
      const due = await this.calm(() => cluster.due());
      for (const namespace of due) await this.slice(namespace);
      if (due.length === 0 && !(await this.fates.flush())) return;
    }
    throw new Error(`the outbox never empties: ${await cluster.outbox()}`);
  }
}

test(`${RUNS} histories under faults end as the model says, step by step, for what was answered`, {
  timeout,
}, async () => {
  const property = fc.asyncProperty(histories(10), fates, async (steps, queue) => {
    const storm = await Storm.begin(queue);
    const { history } = storm;
    let before = await history.state();
    for (const step of steps) {
      const asked = history.request(step, before);
      if (asked === undefined) continue;
      const { request, told } = await history.attempt(asked, step);
      await storm.settle();
      const after = await history.state();
      if (told === "done") expectAgreement(before, request, after);
      if (told === "nothing") expectAgreement(before, undefined, after, before);
      if (told === "unknown") expectAgreement(before, await history.found(asked, step), after, before);
      before = after;
    }
    await expectInvariants(history);
  });
  await fc.assert(property, parameters);
});

/** Whose turn it is between two requests, a few times. */
const turns = fc.array(fc.constantFrom("", ...NAMESPACES), { maxLength: 4 });

test(`${RUNS} histories under faults, work done late, delete nothing wrongly and lose nothing`, {
  timeout,
}, async () => {
  const property = fc.asyncProperty(
    histories(12),
    fc.array(turns, { maxLength: 12 }),
    fates,
    async (steps, work, queue) => {
      const storm = await Storm.begin(queue);
      const { history } = storm;
      for (const [i, step] of steps.entries()) {
        const asked = history.request(step, await history.state());
        // What was still on its way may have come in between: then there is nothing to do it to any more.
        if (asked !== undefined) await history.attempt(asked, step).catch(() => undefined);
        for (const namespace of work[i] ?? []) await storm.slice(namespace);
      }
      await storm.settle();
      await expectInvariants(history);
    },
  );
  await fc.assert(property, parameters);
});
