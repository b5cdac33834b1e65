/** What a failed batch means for whoever sent it. D1 tells by text alone, so the text is read here and nowhere else. */
export type StoreFault =
  /** Another graph object owns the namespace now: this one must write no more. */
  | "superseded"
  /** A row was not as it had been read. Nothing was written; read again and decide again. */
  | "stale"
  /** The namespace, or the kind's definition, does not exist or is going: nothing may be created. Nothing was written. */
  | "closed"
  /** An owner outside this namespace is no longer being deleted in the foreground. Nothing was written. */
  | "moved"
  /** A key was taken meanwhile. Nothing was written. */
  | "taken"
  /** The reply was lost: the batch may have been committed or not. To be read back by its operation id. */
  | "unknown"
  /** D1 is overloaded or was reset over its limits. Nothing more should be sent for a while. */
  | "overloaded"
  /** A fault of ours: the statement is wrong. */
  | "broken";

const GUARD = /CHECK constraint failed: (superseded|stale|closed|moved)\b/;
const UNKNOWN =
  /network connection lost|storage caused object to be reset|reset because its code was updated|internal error|fetch failed|cannot resolve|timed? ?out/i;
const OVERLOADED = /overloaded|exceeded (its )?(cpu|memory)|too many requests queued/i;

/**
 * Sorts an error of D1, or of anything that wraps one, by what is known about the batch afterwards.
 * Sources: developers.cloudflare.com/d1/observability/debug-d1 (which texts may be retried); our own names of
 * the checks on the `guard` table.
 */
export function storeFault(error: unknown): StoreFault {
  for (let e = error; e instanceof Error; e = e.cause) {
    const guard = GUARD.exec(e.message);
    if (guard) return guard[1] as StoreFault;
    if (/NOT NULL constraint failed: nodes\.epoch/.test(e.message)) return "superseded";
    if (/UNIQUE constraint failed/.test(e.message)) return "taken";
    if (OVERLOADED.test(e.message)) return "overloaded";
    if (UNKNOWN.test(e.message)) return "unknown";
  }
  return "broken";
}
