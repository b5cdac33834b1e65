/** One stored object as a row. `body` is a stored body, JSON text. */
export interface ObjectRow {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  resource_version: number;
  deletion: string | null;
  plain: number;
  body: string;
}

const COLUMNS = "o.resource, o.namespace, o.name, o.uid, o.resource_version, o.deletion, o.plain, o.body";

export const GET_OBJECT = `
SELECT ${COLUMNS} FROM objects o WHERE o.cluster = ?1 AND o.resource = ?2 AND o.namespace = ?3 AND o.name = ?4`;

/**
 * What a group of mutations needs to be decided: the state of its namespace, the version of the cluster's kinds,
 * and the objects under its keys. ?3: [resource, name]. One row for each key, in order.
 */
export const READ_GROUP = `
SELECT c.kinds_version, n.uid AS namespace_uid, n.deletion AS namespace_deletion, ${COLUMNS}
FROM clusters c
CROSS JOIN json_each(?3) e
LEFT JOIN objects n ON n.cluster = c.id AND n.resource = 'namespaces' AND n.namespace = '' AND n.name = ?2
LEFT JOIN objects o ON o.cluster = c.id AND o.resource = e.value ->> 0 AND o.namespace = ?2 AND o.name = e.value ->> 1
WHERE c.id = ?1 ORDER BY e.key`;

export interface GroupRow {
  kinds_version: number;
  namespace_uid: string | null;
  namespace_deletion: string | null;
  resource: string | null;
  namespace: string | null;
  name: string | null;
  uid: string | null;
  resource_version: number | null;
  deletion: string | null;
  plain: number | null;
  body: string | null;
}

/** Where the owners with these uids are. ?2: uids. */
export const READ_OWNERS = `
SELECT o.uid, o.resource, o.namespace, o.name, o.deletion
FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value WHERE o.cluster = ?1`;

export interface OwnerRow {
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  deletion: string | null;
}

/** ?2: uids. */
export const READ_OBJECTS = `
SELECT ${COLUMNS} FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value
WHERE o.cluster = ?1 ORDER BY e.key`;

export interface WorkItemRow {
  id: number;
  task: string;
  uid: string;
  cursor: string;
  detail: string | null;
}

export const READ_WORK = `
SELECT id, task, uid, cursor, detail FROM work
WHERE cluster = ?1 AND namespace = ?2 AND due_at <= ?3 ORDER BY stage, id LIMIT ?4`;

/** Namespaces with work that is due, for whoever wakes graph objects whose alarm was lost. */
export const READ_DUE_NAMESPACES = `
SELECT DISTINCT cluster, namespace FROM work WHERE due_at <= ?1 LIMIT ?2`;

/** An object `d` to examine: what a decision needs, with its owner references and where their owners are. */
const EXAMINED = `
  d.uid, d.resource, d.name, d.resource_version, d.deletion, d.plain, octet_length(d.body) AS size,
  EXISTS (SELECT 1 FROM owner_refs x WHERE x.cluster = ?1 AND x.owner_uid = d.uid) AS has_dependents,
  (SELECT json_group_array(json_array(
      r.value ->> 'apiVersion', r.value ->> 'kind', r.value ->> 'name', r.value ->> 'uid',
      coalesce(r.value ->> 'blockOwnerDeletion', 0), o.resource, o.namespace, o.name, o.deletion))
    FROM json_each(d.body, '$.metadata.ownerReferences') r
    LEFT JOIN objects o ON o.uid = r.value ->> 'uid' AND o.cluster = ?1) AS owners`;

/**
 * The dependents that a set of tasks is about. ?3: [work id, owner uid, cursor, only blocking]. Those of one owner
 * come in the order of their uids.
 */
export const READ_DEPENDENTS = `
SELECT c.work, ${EXAMINED}
FROM (
  SELECT DISTINCT w.key AS place, w.value ->> 0 AS work, r.dependent_uid AS uid
  FROM json_each(?3) w CROSS JOIN owner_refs r
    ON r.cluster = ?1 AND r.owner_uid = w.value ->> 1 AND r.namespace = ?2 AND r.dependent_uid > w.value ->> 2
  WHERE w.value ->> 3 = 0 OR r.blocking = 1
  ORDER BY w.key, r.dependent_uid LIMIT ?4
) c CROSS JOIN objects d ON d.uid = c.uid
ORDER BY c.place, c.uid`;

/** The same for objects named by uid. ?3: [work id, uid]. */
export const READ_EXAMINED = `
SELECT w.value ->> 0 AS work, ${EXAMINED}
FROM json_each(?3) w CROSS JOIN objects d ON d.uid = w.value ->> 1
WHERE d.cluster = ?1 AND d.namespace = ?2
ORDER BY w.key`;

export interface ExaminedRow {
  work: number;
  uid: string;
  resource: string;
  name: string;
  resource_version: number;
  deletion: string | null;
  plain: number;
  size: number;
  has_dependents: number;
  /** JSON: [apiVersion, kind, name, uid, blocking, owner's resource, namespace, name, deletion] for each reference. */
  owners: string;
}

/** Which of these objects have a dependent that is itself in foreground deletion. ?2: uids. */
export const READ_FOREGROUND_DEPENDENTS = `
SELECT e.value AS uid FROM json_each(?2) e WHERE EXISTS (
  SELECT 1 FROM owner_refs r CROSS JOIN objects d ON d.uid = r.dependent_uid
  WHERE r.cluster = ?1 AND r.owner_uid = e.value AND d.deletion = 'foreground')`;

/** Records of removal, for references whose kind is served no more. ?2: uids. */
export const READ_REMOVED = `
SELECT d.uid, d.resource, d.namespace, d.name FROM json_each(?2) e
CROSS JOIN deletions d ON d.cluster = ?1 AND d.uid = e.value WHERE d.removed_at IS NOT NULL`;

/** Dependents of one owner in this namespace, with bodies, for release. ?3: owner, ?4: cursor, ?5: limit, ?6: bytes; one always comes. */
export const READ_RELEASED = `
SELECT ${COLUMNS} FROM (
  SELECT d.*, sum(octet_length(d.body)) OVER (ORDER BY d.uid) AS total FROM (
    SELECT DISTINCT dependent_uid FROM owner_refs
    WHERE cluster = ?1 AND owner_uid = ?3 AND namespace = ?2 AND dependent_uid > ?4
    ORDER BY dependent_uid LIMIT ?5) r
  CROSS JOIN objects d ON d.uid = r.dependent_uid) o
WHERE o.total <= ?6 OR o.total = octet_length(o.body) ORDER BY o.uid`;

/** In which namespaces an owner has dependents, and in which ones that block it, as JSON lists. ?2: owner. */
export const READ_OWNERSHIP = `
SELECT
  (SELECT json_group_array(DISTINCT namespace) FROM owner_refs WHERE cluster = ?1 AND owner_uid = ?2) AS named_in,
  (SELECT json_group_array(DISTINCT namespace) FROM owner_refs
   WHERE cluster = ?1 AND owner_uid = ?2 AND blocking = 1) AS blocked_in`;

export interface OwnershipRow {
  named_in: string;
  blocked_in: string;
}

/**
 * The content of a namespace in the order of ?3 (resources), after the place ?4 of a resource in it and the name
 * ?5. Objects that wait for something a DELETE cannot give them are passed over.
 */
export const READ_CONTENT = `
SELECT e.key AS place, o.uid, o.resource, o.name, o.resource_version, o.plain, octet_length(o.body) AS size
FROM json_each(?3) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = e.value AND o.namespace = ?2
WHERE (e.key > ?4 OR (e.key = ?4 AND o.name > ?5)) AND o.deletion IS NOT 'terminating'
ORDER BY e.key, o.name LIMIT ?6`;

export interface ContentRow {
  place: number;
  uid: string;
  resource: string;
  name: string;
  resource_version: number;
  plain: number;
  size: number;
}

/** What is left in a namespace: how many objects of each resource, and by which finalizers they are held. */
export const READ_REMAINING = `
SELECT e.value AS resource, count(*) AS count, sum(o.deletion IS NOT 'terminating') AS deletable FROM json_each(?3) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = e.value AND o.namespace = ?2
GROUP BY e.key ORDER BY e.key`;

export const READ_REMAINING_FINALIZERS = `
SELECT f.value AS finalizer, count(*) AS count FROM json_each(?3) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = e.value AND o.namespace = ?2
CROSS JOIN json_each(o.body, '$.metadata.finalizers') f
GROUP BY f.value ORDER BY f.value`;

export interface RemainingRow {
  resource: string;
  count: number;
  /** Those that a DELETE would still do something to. */
  deletable: number;
}

/** Namespaces that hold objects of a resource. ?2: resource. */
export const READ_NAMESPACES_OF = `
SELECT namespace, count(*) AS count, sum(deletion IS NOT 'terminating') AS deletable
FROM objects WHERE cluster = ?1 AND resource = ?2 GROUP BY namespace`;

export const READ_KINDS = `
SELECT o.body FROM objects o
WHERE o.cluster = ?1 AND o.resource = 'customresourcedefinitions.apiextensions.k8s.io' AND o.namespace = ''`;
