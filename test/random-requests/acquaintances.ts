import type { Dice } from "./dice.ts";

export interface Known {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; uid: string; resourceVersion?: string };
  [field: string]: unknown;
}

/** Objects as the answers of a run showed them, so that later requests can speak of what is, or was, there. */
export class Acquaintances {
  readonly #seen: Known[] = [];
  readonly #limit = 150;
  #continues: string[] = [];
  #next = 0;

  learn(answer: unknown): void {
    const { kind, metadata } = (answer ?? {}) as Known;
    const token = (metadata as { continue?: unknown } | undefined)?.continue;
    if (typeof token === "string") this.#continues = [token, ...this.#continues.slice(0, 20)];
    if (typeof metadata?.uid !== "string" || typeof kind !== "string" || kind.endsWith("List")) return;
    this.#seen[this.#next++ % this.#limit] = answer as Known;
  }

  one(dice: Dice): Known | undefined {
    return dice.one(this.#seen);
  }

  /** One that lies under this path, if any is known: the newest knowledge of it. */
  named(name: string, kind: string): Known | undefined {
    return this.#seen.findLast((known) => known.metadata.name === name && known.kind === kind);
  }

  continueToken(dice: Dice): string | undefined {
    return dice.one(this.#continues);
  }
}
