import type { Millis } from "../objects/object.ts";

/** How long changes are kept: the one place where that is said. */
export interface Retention {
  /** For this long the state at any moment can be listed, and a watch can go on from it. */
  changes: Millis;
  /** So many of a cluster's newest changes are kept, however old they are. */
  newestChanges: number;
  /** For this long the last state of an object that was deleted is kept, which is what it would be restored from. */
  deletions: Millis;
  /**
   * For this long after a removal its record is kept: what it was, who deleted it and why. Longer when its last state is kept
   * longer, when what it caused is younger, and while somebody still names it as an owner.
   */
  records: Millis;
}

/**
 * Upstream's etcd keeps between 5 and 10 minutes of changes, and nothing of what was deleted. A client that was away for
 * longer than an hour had better list again. Always kept is the newest state of every object that exists.
 */
const DEFAULT = {
  changes: 3_600,
  newestChanges: 10_000,
  deletions: 7 * 24 * 3_600,
  records: 30 * 24 * 3_600,
};

/** Variables of the Worker that say otherwise. */
export interface RetentionVars {
  CHANGES_KEPT_SECONDS?: string;
  CHANGES_KEPT_COUNT?: string;
  DELETIONS_KEPT_SECONDS?: string;
  DELETION_RECORDS_KEPT_SECONDS?: string;
}

/** What is no whole number counts as not said: a slip must not delete history. */
export function retentionOf(vars: RetentionVars): Retention {
  return {
    changes: 1_000 * wholeNumber(vars.CHANGES_KEPT_SECONDS, DEFAULT.changes),
    newestChanges: wholeNumber(vars.CHANGES_KEPT_COUNT, DEFAULT.newestChanges),
    deletions: 1_000 * wholeNumber(vars.DELETIONS_KEPT_SECONDS, DEFAULT.deletions),
    records: 1_000 * wholeNumber(vars.DELETION_RECORDS_KEPT_SECONDS, DEFAULT.records),
  };
}

const wholeNumber = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : otherwise;
