import type { Millis } from "../objects/object.ts";

/** As many rows of the outbox are looked at together when all is well. */
const ITEMS = 500;
/** So many slices in a row may change no object before the outbox rests: tasks that only make each other due would go round for ever. */
const IDLE_SLICES = 50;
const IDLE_REST = 5_000;
const FAULT_REST = 2_000;
const MOST_REST = 60_000;
/** A task that fails alone so many times is put off, so that those behind it go on. */
const FAULTS_ALONE = 3;

/**
 * How fast an outbox is worked off. It never spins on tasks that change nothing, and a task that always fails neither
 * holds up the others nor is forgotten.
 */
export class Pace {
  #idle = 0;
  #faults = 0;
  #restUntil: Millis = 0;

  /** Rows to look at in the next slice: after a fault one at a time, to find the one that fails. */
  get items(): number {
    return this.#faults > 0 ? 1 : ITEMS;
  }

  /** Milliseconds until the next slice; 0 is now. */
  rest(now: Millis): number {
    return Math.max(0, this.#restUntil - now);
  }

  /** The alarm has waited already. */
  endRest(): void {
    this.#restUntil = 0;
  }

  /** A slice was committed. */
  committed(changedObjects: boolean, now: Millis): void {
    this.#faults = 0;
    this.#idle = changedObjects ? 0 : this.#idle + 1;
    if (this.#idle >= IDLE_SLICES) {
      this.#idle = 0;
      this.#restUntil = now + IDLE_REST;
    }
  }

  /** A slice failed. True when the first task is to be put off. */
  failed(now: Millis): boolean {
    this.#faults++;
    const putOff = this.#faults > FAULTS_ALONE;
    if (putOff) this.#faults = 1;
    this.#restUntil = now + Math.min(MOST_REST, FAULT_REST * 2 ** (this.#faults - 1));
    return putOff;
  }
}
