/** What a DeletionGuard is decided from. */

export const READ_GUARDS = `
SELECT o.body FROM objects o
WHERE o.cluster = ?1 AND o.resource = 'deletionguards.gc.kubegc.dev' AND o.namespace = ''`;

/** Labels and annotations of these objects, of those that have one of the keys ?3. ?2: uids. */
export const READ_MARKS = `
SELECT o.uid, json_extract(o.body, '$.metadata.labels', '$.metadata.annotations') AS marks
FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value
WHERE o.cluster = ?1 AND (
  EXISTS (SELECT 1 FROM json_each(o.body, '$.metadata.labels') l WHERE l.key IN (SELECT value FROM json_each(?3)))
  OR EXISTS (SELECT 1 FROM json_each(o.body, '$.metadata.annotations') a WHERE a.key IN (SELECT value FROM json_each(?3))))`;

export interface MarksRow {
  uid: string;
  /** JSON: labels, annotations. */
  marks: string;
}
