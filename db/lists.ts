import { changeId } from "./changes.ts";

/**
 * Reads of many objects. Pages are found by key, never by offset, and cut by rows and by bytes; the sizes are summed
 * without reading the bodies, and one row always comes.
 *
 * A page can show an earlier moment. What is in `objects` is now; each change that came later is undone by the first
 * change its key has had since: ADDED, the object was not there; MODIFIED, it was in the state that `previous` points
 * to; DELETED, it was in the state that the change itself carries.
 */

/** One row of a list. */
export interface ListedRow {
  namespace: string;
  name: string;
  resource_version: number;
  /** Null when the state of that moment is no longer kept. */
  body: string | null;
  /** 1 when the object has changed since the moment that is shown, so that no index knows this state. */
  undone: number;
  /** Bytes of this body and those before it. */
  total: number;
}

export const READ_CLUSTER_VERSION = "SELECT resource_version, compacted_version FROM clusters WHERE id = ?1";

export interface ClusterVersionRow {
  resource_version: number;
  compacted_version: number;
}

/** How many changes a page may have to look through: reading them is what an earlier moment costs. */
export const MOST_UNDONE = 50_000;

/** `object`: the one object ?3/?4. Otherwise ?3 is the namespace, or the one to start in, and ?4 the name to start after. */
export type ListScope = "everywhere" | "namespace" | "object";

const within = (scope: ListScope, table: string): string => {
  const { namespace, name } = { namespace: `${table}.namespace`, name: `${table}.name` };
  switch (scope) {
    case "everywhere":
      return `(${namespace}, ${name}) > (?3, ?4)`;
    case "namespace":
      return `${namespace} = ?3 AND ${name} > ?4`;
    case "object":
      return `${namespace} = ?3 AND ${name} = ?4`;
  }
};

const FROM_OBJECTS = "FROM objects o WHERE o.cluster = ?1 AND o.resource = ?2";
const FROM_LABELS = `
FROM labels l CROSS JOIN objects o
  ON o.cluster = l.cluster AND o.resource = l.resource AND o.namespace = l.namespace AND o.name = l.name
WHERE l.cluster = ?1 AND l.resource = ?2 AND l.key = ?9 AND l.value = ?10`;

/**
 * ?1 cluster, ?2 resource, ?3 and ?4 the place, ?5 the resourceVersion to show, or null for now; ?6 rows; ?7 bytes;
 * ?8 a name that all must have, or null; with `labelled` only objects with the label ?9 = ?10, among those that have
 * not changed since.
 */
export function listPage(scope: ListScope, labelled: boolean): string {
  const table = labelled ? "l" : "o";
  return `
WITH undone AS MATERIALIZED (
  SELECT c.namespace, c.name, min(c.id) AS id, c.type, c.previous FROM changes c
  WHERE c.id > ${changeId("?5")} AND c.id <= ${changeId(`(?5 + ${MOST_UNDONE})`)}
    AND c.resource = ?2 AND ${within(scope, "c")} AND (?8 IS NULL OR c.name = ?8)
  GROUP BY c.namespace, c.name
), found AS (
  SELECT * FROM (
    SELECT o.namespace, o.name, o.resource_version, o.id AS object, NULL AS change ${labelled ? FROM_LABELS : FROM_OBJECTS}
      AND ${within(scope, table)} AND (?8 IS NULL OR o.name = ?8)
      AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.namespace = o.namespace AND u.name = o.name)
    ORDER BY ${table}.namespace, ${table}.name LIMIT ?6)
  UNION ALL
  SELECT namespace, name, previous, NULL, CASE type WHEN 'DELETED' THEN id ELSE ${changeId("previous")} END
  FROM undone WHERE type <> 'ADDED'
), sized AS (
  SELECT f.*, coalesce(octet_length(o.body), octet_length(c.body), 0) AS size
  FROM found f LEFT JOIN objects o ON o.id = f.object LEFT JOIN changes c ON c.id = f.change
  ORDER BY f.namespace, f.name LIMIT ?6
), fitting AS (
  SELECT * FROM (SELECT *, sum(size) OVER (ORDER BY namespace, name) AS total FROM sized) WHERE total - size < ?7
)
SELECT f.namespace, f.name, f.resource_version, coalesce(o.body, c.body) AS body, f.object IS NULL AS undone, f.total
FROM fitting f LEFT JOIN objects o ON o.id = f.object LEFT JOIN changes c ON c.id = f.change
ORDER BY f.namespace, f.name`;
}

/** How many objects there are, counted no further than ?5. ?1 to ?4 as above. */
export const countObjects = (scope: ListScope): string =>
  `SELECT count(*) AS count FROM (SELECT 1 ${FROM_OBJECTS} AND ${within(scope, "o")} LIMIT ?5)`;
