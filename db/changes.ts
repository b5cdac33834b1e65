import { CHANGES_PER_CLUSTER } from "./sql.ts";

/**
 * The SQL of the change feed. Reads are cut by rows and by bytes: a body may be 1.5 MB, so a row count alone bounds
 * nothing. The cut is made on sizes only (`octet_length` reads no text), and the first row always fits, so that a
 * reader always gets on.
 */

/** ?n, a number bound as REAL, as the end of a range of `changes.id`. The cast keeps the product exact beyond 2^53. */
export const changeId = (version: string) =>
  `CAST(?1 AS INTEGER) * ${CHANGES_PER_CLUSTER} + CAST(${version} AS INTEGER)`;

export const READ_VERSIONS =
  "SELECT resource_version AS newest, compacted_version AS compacted FROM clusters WHERE id = ?1";

/**
 * ?1 cluster, ?2 after, ?3 up to: resourceVersions; ?4 resources; ?5 those of them whose updates come with the state
 * that they replaced; ?6 namespace or null; ?7 name or null; ?8 rows; ?9 bytes.
 */
export const READ_CHANGES = `
WITH sized AS (
  SELECT id, octet_length(body) AS size FROM changes
  WHERE id > ${changeId("?2")} AND id <= ${changeId("?3")}
    AND resource IN (SELECT value FROM json_each(?4))
    AND (?6 IS NULL OR namespace = ?6) AND (?7 IS NULL OR name = ?7)
  ORDER BY id LIMIT ?8
), fitting AS (
  SELECT id, size FROM (SELECT id, size, SUM(size) OVER (ORDER BY id) AS total FROM sized) WHERE total - size < ?9
)
SELECT c.id & ${CHANGES_PER_CLUSTER - 1} AS version, c.type, c.resource, c.namespace, c.name, c.body,
       p.body AS previous_body, f.size
FROM fitting f CROSS JOIN changes c ON c.id = f.id
LEFT JOIN changes p ON c.type = 'MODIFIED' AND c.resource IN (SELECT value FROM json_each(?5))
  AND p.id = ${changeId("c.previous")}
ORDER BY c.id`;

export interface ChangeRow {
  version: number;
  type: "ADDED" | "MODIFIED" | "DELETED";
  resource: string;
  namespace: string;
  name: string;
  body: string;
  /** Null when it was not asked for, when there was none, and when it has been compacted. */
  previous_body: string | null;
  size: number;
}

/**
 * Objects of one resource in the order of their keys. ?1 cluster, ?2 resource, ?3 and ?4 the namespace and name to
 * start after, ?5 the last namespace, ?6 name or null, ?7 rows, ?8 bytes.
 */
export const READ_OBJECTS_BY_KEY = `
WITH sized AS (
  SELECT id, namespace, name, octet_length(body) AS size FROM objects
  WHERE cluster = ?1 AND resource = ?2 AND (namespace, name) > (?3, ?4) AND namespace <= ?5
    AND (?6 IS NULL OR name = ?6)
  ORDER BY namespace, name LIMIT ?7
), fitting AS (
  SELECT id, size FROM (
    SELECT id, size, SUM(size) OVER (ORDER BY namespace, name) AS total FROM sized
  ) WHERE total - size < ?8
)
SELECT o.resource_version AS version, o.namespace, o.name, o.body, f.size
FROM fitting f CROSS JOIN objects o ON o.id = f.id
ORDER BY o.namespace, o.name`;

export interface KeyedObjectRow {
  version: number;
  namespace: string;
  name: string;
  body: string;
  size: number;
}
