/** A stored object as a reader needs it. */
export interface HotObject {
  resourceVersion: number;
  /** Stored body, JSON text. */
  body: string;
}

/** In UTF-16 units, which is what the texts take in memory at most twice over. */
const LIMIT = 16_000_000;

/**
 * Objects that were read lately, in the memory of the one object that writes them. What a commit may have changed is
 * forgotten before its reply is sent, and a read that was on its way meanwhile is not remembered, so nothing older
 * than the last reply is ever given.
 */
export class HotObjects {
  readonly #objects = new Map<string, HotObject>();
  #size = 0;
  #changes = 0;

  /** To be asked before a read, and handed to `remember` with its result. */
  get moment(): number {
    return this.#changes;
  }

  get(key: string): HotObject | undefined {
    const found = this.#objects.get(key);
    if (found === undefined) return undefined;
    // The order of a Map is that of insertion: what is asked for goes to the end.
    this.#objects.delete(key);
    this.#objects.set(key, found);
    return found;
  }

  remember(key: string, object: HotObject, moment: number): void {
    if (moment !== this.#changes || object.body.length > LIMIT / 8) return;
    this.#drop(key);
    this.#objects.set(key, object);
    this.#size += object.body.length;
    for (const oldest of this.#objects.keys()) {
      if (this.#size <= LIMIT) break;
      this.#drop(oldest);
    }
  }

  /** Requests name what they change. */
  forget(keys: Iterable<string>): void {
    this.#changes++;
    for (const key of keys) this.#drop(key);
  }

  /** A slice of work changes whatever it changes. */
  forgetAll(): void {
    this.#changes++;
    this.#objects.clear();
    this.#size = 0;
  }

  #drop(key: string): void {
    const found = this.#objects.get(key);
    if (found === undefined) return;
    this.#objects.delete(key);
    this.#size -= found.body.length;
  }
}
