import { median } from "./measure.ts";
import type { Row, Samples } from "./row.ts";

/** What became of a row. */
export type Result = Measured | Failed;

export interface Measured {
  name: string;
  title: string;
  unit: Row["unit"];
  median: number;
  best: number;
  target: number;
  met: boolean;
  ceiling: { what: string; median: number };
  /** Of the ceiling: 1 is as fast as it, also where less is better. */
  share: number;
  shareWanted?: number;
  note?: string;
  samples: Samples;
}

export interface Failed {
  name: string;
  title: string;
  error: string;
}

export function resultOf(row: Row, { note, ...figures }: Samples): Measured {
  const { name, title, unit, target, shareWanted } = row;
  const lessIsBetter = unit === "ms";
  const value = median(figures.samples);
  const ceiling = median(figures.ceiling);
  const share = lessIsBetter ? ceiling / value : value / ceiling;
  const reached = lessIsBetter ? value <= target : value >= target;
  return {
    name,
    title,
    unit,
    median: value,
    best: lessIsBetter ? Math.min(...figures.samples) : Math.max(...figures.samples),
    target,
    met: reached && share >= (shareWanted ?? 0),
    ceiling: { what: row.ceiling, median: ceiling },
    share,
    ...(shareWanted === undefined ? {} : { shareWanted }),
    ...(note === undefined ? {} : { note }),
    samples: figures,
  };
}
