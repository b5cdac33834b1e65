import {
  type Commit,
  type Committed,
  emptyCommit,
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
 *     commit:  batch { guard(epoch); …; operation := id }
 *              reply lost → read back epoch and operation
 *                operation = id        committed: the reply is made up from what was recorded
 *                epoch moved           superseded: stop for good
 *                neither               not committed: the same batch is sent again
 *
 * The fence is needed because a superseded Durable Object can still reach D1: uniqueness is enforced only where
 * an event starts and where the object's own storage is touched.
 */
export class GraphStore {
  readonly db: D1Database;
  readonly cluster: number;
  readonly namespace: string;
  readonly #clock: Clock;
  #claimed: Promise<number> | undefined;
  #heldAt = Number.NEGATIVE_INFINITY;

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
      now: this.#clock(),
    });
  }

  /**
   * Reads under this object's hold on the namespace: what comes back is what its last batch left, or it is Superseded.
   * Costs one query beside the given one, in the same round trip, and none when the hold was confirmed a moment ago.
   */
  async readHeld<T>(statement: D1PreparedStatement): Promise<T | null> {
    const epoch = await this.hold();
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
  hold(): Promise<number> {
    this.#claimed ??= this.#claim().catch((fault: unknown) => {
      this.#claimed = undefined;
      throw fault;
    });
    return this.#claimed;
  }

  async #claim(): Promise<number> {
    const row = await this.db
      .prepare(CLAIM_EPOCH)
      .bind(this.cluster, this.namespace)
      .first<{ epoch: number }>();
    if (!row) throw new Error("claiming a namespace returned no epoch");
    return row.epoch;
  }

  /** @throws Superseded, or a fault of the store that is not one of the outcomes. */
  async commit(commit: Commit): Promise<CommitOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        const committed = await writeCommit(this.db, commit);
        this.#heldAt = this.#clock();
        return { ok: true, committed };
      } catch (error) {
        const fault = storeFault(error);
        if (fault === "broken") throw error;
        if (fault === "superseded") {
          throw new Superseded(`${this.cluster}/${this.namespace}: epoch ${commit.epoch} is over`);
        }
        // An earlier attempt may have been on its way still when it was looked up, and have come in since.
        if (fault === "unknown" || attempt > 1) {
          const committed = await this.#readBack(commit);
          if (committed) return { ok: true, committed };
        }
        if (fault !== "unknown") return { ok: false, again: fault };
        if (attempt === ATTEMPTS) throw error;
        await backoff(attempt);
      }
    }
  }

  /** Looks up whether a batch whose reply was lost was committed. */
  async #readBack(commit: Commit): Promise<Committed | undefined> {
    const row = await this.db
      .prepare(OPERATION_OUTCOME)
      .bind(this.cluster, this.namespace)
      .first<OutcomeRow>();
    if (row?.epoch !== commit.epoch) throw new Superseded(`${this.cluster}/${this.namespace}: taken over`);
    if (row.operation !== commit.operation) return undefined;
    return {
      resourceVersion: row.resource_version,
      versions: versionsOf(commit, row.resource_version),
      // Which namespaces have new work was in the lost reply: their own alarm or cron comes to it.
      wake: [],
    };
  }
}
