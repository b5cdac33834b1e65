import type { Ask, Decision, Deleted, Patched, PatchedThenDeleted, Question, SweepName } from "./decision.ts";
import type { SweepSettings } from "./settings.ts";

/** In place of a decision that would change something. */
export interface Report {
  act: "report";
  would: Deleted | Patched | PatchedThenDeleted | Ask;
}

/** Questions that are orders: the answer is that it was done. */
const ORDERS: ReadonlySet<Question["ask"]> = new Set(["delete-volume", "recycle-volume"]);

/** Whether somebody outside does something when asked this. */
export const changesOutside = ({ ask }: Question): boolean => ORDERS.has(ask);

/**
 * The decision that may be carried out. Everything a sweep does goes through here, so that in report-only mode nothing is
 * written and nobody outside is told to do anything; asking whether a machine exists is neither.
 */
export function permitted(decision: Decision, name: SweepName, settings: SweepSettings): Decision | Report {
  if (!settings.reportOnly && !settings.sweeps[name].reportOnly) return decision;
  switch (decision.act) {
    case "keep": {
      const { events: _, ...silent } = decision;
      return silent;
    }
    case "skip":
      return decision;
    case "ask":
      return changesOutside(decision.question) ? { act: "report", would: decision } : decision;
    case "patch":
    case "delete":
    case "patch-then-delete":
      return { act: "report", would: decision };
  }
}
