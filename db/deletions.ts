/** The records of deletions, as they are read: by the uid of what was deleted. */

export interface DeletionRow {
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  rule: string;
  actor: string;
  policy: string;
  cause: string | null;
  root: string;
  began_at: number;
  removed_at: number | null;
  removed_version: number | null;
  /** JSON. */
  interventions: string | null;
}

const COLUMNS =
  "uid, resource, namespace, name, rule, actor, policy, cause, root, began_at, removed_at, removed_version, interventions";

export const READ_DELETION = `SELECT ${COLUMNS} FROM deletions WHERE cluster = ?1 AND uid = ?2`;

/** Those of the root ?4 after the uid ?2, at most ?3. */
export const LIST_DELETIONS_OF_ROOT = `
SELECT ${COLUMNS} FROM deletions WHERE cluster = ?1 AND root = ?4 AND uid > ?2 ORDER BY uid LIMIT ?3`;

/** Those after the uid ?2, at most ?3. */
export const LIST_DELETIONS = `
SELECT ${COLUMNS} FROM deletions WHERE cluster = ?1 AND uid > ?2 ORDER BY uid LIMIT ?3`;

/** Adds the intervention ?3, JSON, to the record ?2. */
export const ADD_INTERVENTION = `
UPDATE deletions SET interventions = json_insert(coalesce(interventions, '[]'), '$[#]', json(?3))
WHERE cluster = ?1 AND uid = ?2`;

/** Takes the newest one away again: it did not come about. */
export const DROP_INTERVENTION = `
UPDATE deletions SET interventions = json_remove(interventions, '$[#-1]') WHERE cluster = ?1 AND uid = ?2`;
