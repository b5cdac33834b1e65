import {
  type Commit,
  type Committed,
  emptyCommit,
  nextOf,
  type OpenCommit,
  versionsOf,
  writeCommit,
} from "../../db/commit.ts";
import { storeFault } from "../../db/errors.ts";
import { CLAIM_EPOCH, OPERATION_OUTCOME } from "../../db/sql.ts";
import type { Clock } from "../objects/clock.ts";
import { backoff } from "./backoff.ts";

/** Another graph object has taken over this namespace. Whoever sees it must write no more. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

export type CommitOutcome =
  | { ok: true; committed: Committed }
  /** Nothing was written, because something was not as it had been read: read again and decide again. */
  | { ok: false; again: "stale" | "closed" | "moved" | "taken" }
  /** Nothing was written, and nothing more should be sent for a while. */
  | { ok: false; again: "overloaded" };

const ATTEMPTS = 3;

interface OutcomeRow {
  epoch: number;
  operation: string | null;
  resource_version: number;
}

/**
 * One graph object's hold on the store: the epoch that fences its batches, and commits whose outcome is always
 * known in the end.
 *
 *     claim:   epoch := epoch + 1, once, before the first batch
 *     commit:  batch { guard(epoch, operation of the batch before); …; operation := id }
 *              reply lost → read back epoch and operation
 *                operation = id        committed: the reply is made up from what was recorded
 *                epoch moved           superseded: stop for good
 *                neither               not committed: the same batch is sent again, three times in all
 *              still unknown → the hold is given up and taken anew, so that nothing of it comes in late
 *
 * The fence is needed because a superseded Durable Object can still reach D1: uniqueness is enforced only where
 * an event starts and where the object's own storage is touched.
 */
export class GraphStore {
  readonly db: D1Database;
  readonly cluster: number;
  readonly namespace: string;
  /** Whether what was last assumed without a read turned out otherwise: then nothing is assumed for a while. */
  surprised = false;
  readonly #clock: Clock;
  #claimed: Promise<number | undefined> | undefined;
  #heldAt = Number.NEGATIVE_INFINITY;
  /** The operation of the last batch under this hold. */
  #last: string | null = null;

  constructor(db: D1Database, cluster: number, namespace: string, clock: Clock) {
    this.db = db;
    this.cluster = cluster;
    this.namespace = namespace;
    this.#clock = clock;
  }

  /** An empty commit of this object, to be filled and sent. */
  async begin(): Promise<OpenCommit> {
    return emptyCommit({
      cluster: this.cluster,
      namespace: this.namespace,
      epoch: await this.hold(),
      operation: crypto.randomUUID(),
      after: this.#last,
      now: this.#clock(),
    });
  }

  /**
   * Reads under this object's hold on the namespace: what comes back is what its last batch left, or it is Superseded.
   * Null as well in a namespace that there is not. Costs one query beside the given one, in the same round trip, and none when the hold was confirmed a moment ago.
   */
  async readHeld<T>(statement: D1PreparedStatement): Promise<T | null> {
    const epoch = await this.#hold();
    if (epoch === undefined) return null;
    const [found, owner] = await this.db.batch<T | OutcomeRow>([
      statement,
      this.db.prepare(OPERATION_OUTCOME).bind(this.cluster, this.namespace),
    ]);
    const row = owner?.results[0] as OutcomeRow | undefined;
    if (row?.epoch !== epoch) throw new Superseded(`${this.cluster}/${this.namespace}: taken over`);
    this.#heldAt = this.#clock();
    return (found?.results[0] as T | undefined) ?? null;
  }

  /** Whether this object was seen to hold the namespace within so many milliseconds. */
  heldWithin(milliseconds: number): boolean {
    return this.#clock() - this.#heldAt <= milliseconds;
  }

  /**
   * The epoch of this object's hold on the namespace, taken when it is first asked for. To be asked for before anything
   * is read that a commit is decided from: until then whoever holds the namespace can still change it.
   *
   * One claim, however many ask for it at once: a second one would end the first.
   */
  async hold(): Promise<number> {
    const epoch = await this.#hold();
    if (epoch === undefined) throw new Error(`${this.cluster}/${this.namespace}: no such namespace`);
    return epoch;
  }

  /** Takes hold of the namespace, if there is one: a request for one that there is not leaves nothing behind. */
  async holds(): Promise<boolean> {
    return (await this.#hold()) !== undefined;
  }

  async #hold(): Promise<number | undefined> {
    this.#claimed ??= this.#claim();
    const claimed = this.#claimed;
    const epoch = await claimed.catch((fault: unknown) => {
      if (this.#claimed === claimed) this.#claimed = undefined;
      throw fault;
    });
    if (epoch === undefined && this.#claimed === claimed) this.#claimed = undefined;
    return epoch;
  }

  async #claim(): Promise<number | undefined> {
    // A claim that was made and not answered is ended by the next one, like anybody else's.
    const row = await askAgain(() =>
      this.db
        .prepare(CLAIM_EPOCH)
        .bind(this.cluster, this.namespace)
        .first<Pick<OutcomeRow, "epoch" | "operation">>(),
    );
    this.#last = row?.operation ?? null;
    return row?.epoch;
  }

  /** @throws Superseded, or a fault of the store that is not one of the outcomes. */
  async commit(commit: Commit): Promise<CommitOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        const committed = await writeCommit(this.db, commit);
        this.#heldAt = this.#clock();
        this.#last = commit.operation;
        return { ok: true, committed };
      } catch (error) {
        const fault = storeFault(error);
        if (fault === "broken") {
          this.#letGo();
          throw error;
        }
        if (fault === "superseded") {
          throw new Superseded(`${this.cluster}/${this.namespace}: epoch ${commit.epoch} is over`);
        }
        // An earlier attempt, or a copy of this one, may have come in: then it was this batch that was in its own way.
        if (fault !== "overloaded" || attempt > 1) {
          const committed = await this.#readBack(commit).catch((unreadable: unknown) => {
            this.#letGo();
            throw unreadable;
          });
          if (committed) return { ok: true, committed };
        }
        if (fault === "unknown" && attempt < ATTEMPTS) {
          await backoff(attempt);
          continue;
        }
        // An attempt that is still on its way must not come in under what is read and decided from now on.
        if (fault === "unknown" || attempt > 1) this.#letGo();
        if (fault === "unknown") throw error;
        return { ok: false, again: fault };
      }
    }
  }

  /** Ends its own hold: the next one has another epoch, and nothing that was sent under this one is written any more. */
  #letGo(): void {
    this.#claimed = undefined;
    this.#heldAt = Number.NEGATIVE_INFINITY;
  }

  /** Looks up whether a batch whose reply was lost was committed. */
  async #readBack(commit: Commit): Promise<Committed | undefined> {
    const row = await askAgain(() =>
      this.db.prepare(OPERATION_OUTCOME).bind(this.cluster, this.namespace).first<OutcomeRow>(),
    );
    if (row?.epoch !== commit.epoch) throw new Superseded(`${this.cluster}/${this.namespace}: taken over`);
    this.#last = row.operation;
    if (row.operation !== commit.operation) return undefined;
    return {
      resourceVersion: row.resource_version,
      versions: versionsOf(commit, row.resource_version),
      // Which namespaces have new work was in the lost reply: their own alarm or cron comes to it.
      wake: [],
      next: nextOf(commit),
    };
  }
}

/** Asks once more, and once more, when the answer was lost: only for what changes nothing, or may be done twice. */
export async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (fault) {
      if (storeFault(fault) !== "unknown" || attempt === ATTEMPTS) throw fault;
      await backoff(attempt);
    }
  }
}
