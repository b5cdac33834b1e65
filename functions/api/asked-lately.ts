/** Keys are remembered in two generations of this size; the older one goes when the newer one is full. */
const GENERATION = 5_000;

/** Which keys were asked for lately, roughly: enough to tell what is asked for again and again. */
export class AskedLately {
  #now = new Set<string>();
  #before = new Set<string>();

  /** Whether the key was asked for before; from now on it was. */
  again(key: string): boolean {
    const known = this.#now.has(key) || this.#before.has(key);
    this.#now.add(key);
    if (this.#now.size >= GENERATION) {
      this.#before = this.#now;
      this.#now = new Set();
    }
    return known;
  }
}
