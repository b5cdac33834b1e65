import type { ChangeRow } from "../../db/changes.ts";

/** `unknown`: the state before the change has been compacted. */
export type MatchedBefore = boolean | "unknown";

/** What one watcher is told about a change, and with which state of the object. */
export interface Transition {
  type: "ADDED" | "MODIFIED" | "DELETED";
  state: "current" | "previous";
}

/**
 * What a change means to a watcher with selectors: an object that stops matching is gone for it, one that starts
 * matching is new. Undefined when the watcher never knew the object and need not.
 *
 * Where the state before is unknown, the watcher is told more rather than less: a MODIFIED of an object it did not
 * know reads as new, a DELETED of one it did not know changes nothing.
 *
 * @param change of the object in the store. For DELETED the current state is the last one that was persisted, so both
 *   answers are about the same state.
 *
 * As upstream's `cacheWatcher.convertToWatchEvent`.
 */
export function transition(
  change: ChangeRow["type"],
  before: MatchedBefore,
  now: boolean,
): Transition | undefined {
  switch (change) {
    case "ADDED":
      return now ? { type: "ADDED", state: "current" } : undefined;
    case "DELETED":
      return now ? { type: "DELETED", state: "current" } : undefined;
    case "MODIFIED":
      if (before === "unknown") return { type: now ? "MODIFIED" : "DELETED", state: "current" };
      if (now) return { type: before ? "MODIFIED" : "ADDED", state: "current" };
      return before ? { type: "DELETED", state: "previous" } : undefined;
  }
}
