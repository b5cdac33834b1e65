import type { Millis } from "../objects/object.ts";

/** Nothing that bears this goes before the moment it names, RFC 3339. */
const PROTECT_UNTIL = "gc.kubegc.dev/protect-until";

/**
 * Argo CD's marks: `Delete=false` protects, `Delete=confirm` protects until somebody has approved.
 * Source: Argo CD, "Sync Options", Resource Deletion With Confirmation.
 */
const SYNC_OPTIONS = "argocd.argoproj.io/sync-options";
const DELETION_APPROVED = "argocd.argoproj.io/deletion-approved";

/** The annotations that a decision has to know. */
export const MARKS: readonly string[] = [PROTECT_UNTIL, SYNC_OPTIONS, DELETION_APPROVED];

/** Why the annotations of an object protect it now, in words; undefined when they do not. */
export function protectionByMarks(
  annotations: Readonly<Record<string, string>>,
  now: Millis,
): string | undefined {
  const until = annotations[PROTECT_UNTIL];
  if (until !== undefined) {
    const moment = Date.parse(until);
    if (Number.isNaN(moment))
      return `its annotation ${PROTECT_UNTIL} cannot be read: ${JSON.stringify(until)}`;
    if (now < moment) return `is protected until ${until}`;
  }
  const options = (annotations[SYNC_OPTIONS] ?? "").split(",").map((option) => option.trim());
  if (options.includes("Delete=false")) return `has ${SYNC_OPTIONS}: Delete=false`;
  if (options.includes("Delete=confirm") && !annotations[DELETION_APPROVED]) {
    return `needs a confirmation: annotate it with ${DELETION_APPROVED}`;
  }
  return undefined;
}
