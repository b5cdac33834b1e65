/** Reads of many objects. Pages are found by key, never by offset. */

/** One row of a list. */
export interface ListedRow {
  namespace: string;
  name: string;
  resource_version: number;
  body: string;
}

const COLUMNS = "o.namespace, o.name, o.resource_version, o.body";

/** A page ends after ?n rows, or when its bodies pass ?bytes; one row always comes. */
const bounded = (rows: string, order: string, bytes: string) => `
SELECT namespace, name, resource_version, body FROM (
  SELECT *, sum(length(body)) OVER (ORDER BY ${order}) - length(body) AS before FROM (${rows}))
WHERE before <= ${bytes} ORDER BY ${order}`;

export const READ_CLUSTER_VERSION = "SELECT resource_version, compacted_version FROM clusters WHERE id = ?1";

/** ?2 resource, ?3 namespace, ?4 after name, ?5 rows, ?6 bytes. */
export const LIST_IN_NAMESPACE = bounded(
  `SELECT ${COLUMNS} FROM objects o
   WHERE o.cluster = ?1 AND o.resource = ?2 AND o.namespace = ?3 AND o.name > ?4
   ORDER BY o.name LIMIT ?5`,
  "name",
  "?6",
);

/** ?2 resource, ?3 after namespace, ?4 after name, ?5 rows, ?6 bytes. */
export const LIST_EVERYWHERE = bounded(
  `SELECT ${COLUMNS} FROM objects o
   WHERE o.cluster = ?1 AND o.resource = ?2 AND (o.namespace, o.name) > (?3, ?4)
   ORDER BY o.namespace, o.name LIMIT ?5`,
  "namespace, name",
  "?6",
);

/** The same, only objects with the label ?7 = ?8. */
export const LIST_LABELLED_IN_NAMESPACE = bounded(
  `SELECT ${COLUMNS} FROM labels l CROSS JOIN objects o
     ON o.cluster = l.cluster AND o.resource = l.resource AND o.namespace = l.namespace AND o.name = l.name
   WHERE l.cluster = ?1 AND l.resource = ?2 AND l.key = ?7 AND l.value = ?8 AND l.namespace = ?3 AND l.name > ?4
   ORDER BY l.name LIMIT ?5`,
  "name",
  "?6",
);

export const LIST_LABELLED_EVERYWHERE = bounded(
  `SELECT ${COLUMNS} FROM labels l CROSS JOIN objects o
     ON o.cluster = l.cluster AND o.resource = l.resource AND o.namespace = l.namespace AND o.name = l.name
   WHERE l.cluster = ?1 AND l.resource = ?2 AND l.key = ?7 AND l.value = ?8
     AND (l.namespace, l.name) > (?3, ?4)
   ORDER BY l.namespace, l.name LIMIT ?5`,
  "namespace, name",
  "?6",
);
