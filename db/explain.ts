/** What is told about one object and its place in the graph. */

/** The first ?3 dependents of the owner ?2. */
export const READ_DEPENDENTS_OF = `
SELECT o.uid, o.resource, o.namespace, o.name, o.deletion, r.blocking,
  json_extract(o.body, '$.metadata.finalizers', '$.metadata.deletionTimestamp') AS marks
FROM (SELECT dependent_uid, max(blocking) AS blocking FROM owner_refs
      WHERE cluster = ?1 AND owner_uid = ?2 GROUP BY namespace, dependent_uid LIMIT ?3) r
CROSS JOIN objects o ON o.uid = r.dependent_uid`;

/** Those whose reference blocks it. */
export const READ_BLOCKING_DEPENDENTS_OF = `
SELECT o.uid, o.resource, o.namespace, o.name, o.deletion, 1 AS blocking,
  json_extract(o.body, '$.metadata.finalizers', '$.metadata.deletionTimestamp') AS marks
FROM (SELECT DISTINCT dependent_uid FROM owner_refs
      WHERE cluster = ?1 AND owner_uid = ?2 AND blocking = 1 LIMIT ?3) r
CROSS JOIN objects o ON o.uid = r.dependent_uid`;

export interface DependentRow {
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  deletion: string | null;
  blocking: number;
  /** JSON: finalizers, deletionTimestamp. */
  marks: string;
}

export const COUNT_DEPENDENTS_OF = `
SELECT count(DISTINCT dependent_uid) AS count FROM owner_refs WHERE cluster = ?1 AND owner_uid = ?2`;

/** How many went, of what the record ?2 is the root of. */
export const COUNT_GONE = `
SELECT count(*) AS gone FROM deletions WHERE cluster = ?1 AND root = ?2 AND removed_at IS NOT NULL`;

/** The uids of objects whose deletion has begun and that are still there, after ?2, at most ?3. */
export const LIST_TERMINATING = `
SELECT d.uid FROM deletions d WHERE d.cluster = ?1 AND d.removed_at IS NULL AND d.uid > ?2
ORDER BY d.uid LIMIT ?3`;
