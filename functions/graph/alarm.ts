import type { Millis } from "../objects/object.ts";

/** What an alarm needs of a Durable Object's storage. */
export interface AlarmStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
}

/** No alarm is set for later than this: one that comes for nothing does no harm. */
const FARTHEST = 24 * 3_600_000;

/**
 * The one alarm of a graph object, for all that it has to do later.
 *
 * Invariant: it is never set for later than any moment it was asked for, whoever asked first, and whatever an object of
 * the same name had set before this one began.
 */
export class Alarm {
  readonly #storage: AlarmStorage;
  /** What it is set for, as far as this object knows; none is known of at first. */
  #at = Number.POSITIVE_INFINITY;
  #setting: Promise<void> = Promise.resolve();

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /** It is to come at this moment, or earlier. */
  by(moment: Millis, now: Millis): Promise<void> {
    const at = Math.ceil(Math.min(Math.max(moment, now), now + FARTHEST));
    if (at >= this.#at) return this.#setting;
    this.#at = at;
    this.#setting = this.#setting
      .catch(() => undefined)
      .then(async () => {
        const set = await this.#storage.getAlarm();
        if (set === null || set > at) await this.#storage.setAlarm(at);
      });
    // What fails is tried again by whoever asks next.
    this.#setting.catch(() => {
      this.#at = Number.POSITIVE_INFINITY;
    });
    return this.#setting;
  }

  /** It came, and is set no more. */
  came(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }
}
