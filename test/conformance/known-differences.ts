import type { Reply } from "./recorded-case.ts";

/** An answer that may differ from the recorded one. The state that follows may not. */
export interface KnownDifference {
  /** The name of the case. */
  of: string;
  /** Counted from 0. */
  step: number;
  /** What may be answered as well. */
  answer: Reply;
  because: string;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    of: "random 126",
    step: 10,
    answer: { code: 200, kind: "Pod", deleting: true },
    because:
      "The step before removes the Pod's only owner, and this one follows at once. A collector that watches " +
      "has not seen the owner go by then; one that works from the same commit may have deleted the Pod already.",
  },
];
