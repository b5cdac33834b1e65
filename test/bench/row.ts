import type { BenchServer } from "./bench-server.ts";
import type { Ceiling } from "./ceiling.ts";

/** What rows measure with. */
export interface Bench {
  server: BenchServer;
  ceiling: Ceiling;
  /** As it is, or less of it in a quick run. */
  size(count: number): number;
  /** How often a measurement is repeated at most. */
  repetitions: number;
  /** How long one measurement of a rate takes, in ms. */
  period: number;
  /** How long a load lasts whose length was asked for. */
  minutes?: number;
}

/** One line of the table. */
export interface Row {
  /** For `--only`. */
  name: string;
  title: string;
  unit: "objects/s" | "requests/s" | "ms";
  target: number;
  /** The least share of the ceiling that is wanted as well. */
  shareWanted?: number;
  /** Takes too long for a run of all rows: only when it is named. */
  onlyByName?: true;
  /** What the ceiling does. */
  ceiling: string;
  measure(bench: Bench): Promise<Samples>;
}

/** In the row's unit, one for each repetition. */
export interface Samples {
  samples: number[];
  /** Of the same on the ceiling. */
  ceiling: number[];
  /** What the figures do not say by themselves. */
  note?: string;
}
