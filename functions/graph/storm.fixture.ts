import fc from "fast-check";
import { afterAll, beforeAll, vi } from "vitest";
import { NAMESPACES } from "../../test/model/history.ts";
import { FAULTS, type Fate, Fates, fatedDatabase } from "./fates.fixture.ts";
import { DB, TestCluster } from "./graph.fixture.ts";
import { Superseded } from "./graph-store.ts";
import { History } from "./history.fixture.ts";

// Any call of the store, a read, a batch or a claim, may be lost, answered by nobody, repeated, delayed, refused, or come
// when another graph object has taken over.

/** One call in seven or so meets a fault, until there are no more. */
export const fates = fc
  .uint8Array({ maxLength: 150, size: "max" })
  .map((bytes) =>
    [...bytes].map((byte): Fate => (byte < 218 ? "arrives" : (FAULTS[byte % FAULTS.length] ?? "lost"))),
  );

/** How long is waited before something is sent again is no part of what is right. */
export function withoutWaiting(): void {
  beforeAll(() => {
    vi.stubGlobal("setTimeout", (then: () => void) => queueMicrotask(then));
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });
}

const ROUNDS = 500;

/** A history whose calls of the store meet their fates. */
export class Storm {
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
