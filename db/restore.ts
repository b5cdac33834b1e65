/** What comes back after a deletion. */

/** Which of these places are taken. ?3: [resource, name]. */
export const READ_TAKEN = `
SELECT e.key AS place FROM json_each(?3) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = e.value ->> 0 AND o.namespace = ?2 AND o.name = e.value ->> 1
ORDER BY e.key`;

/** Which of these uids somebody has. ?2: uids. */
export const READ_THERE = `
SELECT o.uid FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value WHERE o.cluster = ?1`;

export interface LostRow {
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  cause: string | null;
  removed_at: number | null;
  removed_version: number | null;
  /** Of the last state, in bytes; null when it is not kept any more. */
  size: number | null;
  body: string | null;
}

const LOST = `d.uid, d.resource, d.namespace, d.name, d.cause, d.removed_at, d.removed_version,
  octet_length(c.body) AS size, c.body`;

/** The last state is the change that recorded the removal. */
const LAST_STATE = `LEFT JOIN changes c ON c.id = CAST(?1 AS INTEGER) * ${2 ** 40} + d.removed_version AND c.type = 'DELETED'`;

/** What the record ?2 is about, with its last state. */
export const READ_LOST = `SELECT ${LOST} FROM deletions d ${LAST_STATE} WHERE d.cluster = ?1 AND d.uid = ?2`;

/** The same of all records with the root ?2, after the uid ?3, at most ?4. */
export const READ_LOST_TREE = `
SELECT ${LOST} FROM deletions d ${LAST_STATE}
WHERE d.cluster = ?1 AND d.root = ?2 AND d.uid > ?3 ORDER BY d.uid LIMIT ?4`;

export const READ_ROOT = "SELECT root FROM deletions WHERE cluster = ?1 AND uid = ?2";

/** Parts of a set that is to be imported, until it is committed. */
export const ADD_IMPORT = `
INSERT INTO imports (cluster, session, part, taken_at, items)
SELECT ?1, ?2, coalesce(max(part), 0) + 1, ?3, ?4 FROM imports WHERE cluster = ?1 AND session = ?2`;

export const READ_IMPORT = "SELECT items FROM imports WHERE cluster = ?1 AND session = ?2 ORDER BY part";

export const FORGET_IMPORT = "DELETE FROM imports WHERE cluster = ?1 AND session = ?2";

/** Those that came before ?2. */
export const FORGET_IMPORTS = "DELETE FROM imports WHERE cluster = ?1 AND taken_at < ?2";
