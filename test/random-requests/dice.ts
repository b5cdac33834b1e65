/** Draws that a seed repeats. */
export interface Dice {
  /** From 0 up to but not including `of`. */
  below(of: number): number;
  /** True so many times in a hundred. */
  percent(chance: number): boolean;
  one<T>(from: readonly [T, ...T[]] | readonly T[]): T;
  /** One of these, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T;
}

/** The mulberry32 generator. Source: github.com/bryc/code, jshash/PRNGs.md. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (of: number) => Math.floor(next() * of);
  return {
    below,
    percent: (chance) => next() * 100 < chance,
    one: (from) => from[below(from.length)] as (typeof from)[number],
    weighted(choices) {
      let rest = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choice] of choices) {
        rest -= weight;
        if (rest < 0) return choice;
      }
      throw new Error("nothing to choose from");
    },
  };
}
