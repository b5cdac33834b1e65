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

/** Bodies of more bytes than this are not read by the hundred. */
const UNWIELDY_BODY = 65_536;

/**
 * What a group of mutations needs to be decided: the state of its namespace, the version of the cluster's kinds,
 * and the objects under its keys. ?3: [resource, name]. One row for each key, in order; large bodies are left out.
 */
export const READ_GROUP = `
SELECT c.kinds_version, n.uid AS namespace_uid, n.deletion AS namespace_deletion,
  o.resource, o.namespace, o.name, o.uid, o.resource_version, o.deletion, o.plain, octet_length(o.body) AS size,
  CASE WHEN octet_length(o.body) <= ${UNWIELDY_BODY} THEN o.body END AS body
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
  size: number | null;
  /** Null when there is no object, and when it is large: then it is read apart. */
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

/**
 * Namespaces with work that is due, for whoever wakes graph objects whose alarm was lost. Goes from namespace to
 * namespace in the index, past all work of each: as an expression, not a column, the last namespace is looked up
 * in it.
 */
export const READ_DUE_NAMESPACES = `
WITH RECURSIVE place(id, cluster, namespace) AS (
  SELECT id, cluster, namespace FROM (
    SELECT id, cluster, namespace FROM work WHERE cluster >= 0 ORDER BY cluster, namespace LIMIT 1)
  UNION ALL
  SELECT w.id, w.cluster, w.namespace FROM place p CROSS JOIN work w ON w.id = (
    SELECT n.id FROM work n WHERE (n.cluster, n.namespace) > (p.cluster, p.namespace || '')
    ORDER BY n.cluster, n.namespace LIMIT 1)
)
SELECT p.cluster, p.namespace FROM place p
WHERE EXISTS (SELECT 1 FROM work w WHERE w.cluster = p.cluster AND w.namespace = p.namespace AND w.due_at <= ?1)
LIMIT ?2`;

/** Bodies of more bytes than this are not looked into by the thousand. */
const LARGE_BODY = 16_384;

/** The owner references of object `d`, and where their owners are. */
const REFERENCES = `
  (SELECT json_group_array(json_array(
      r.value ->> 'apiVersion', r.value ->> 'kind', r.value ->> 'name', r.value ->> 'uid',
      coalesce(r.value ->> 'blockOwnerDeletion', 0), o.resource, o.namespace, o.name, o.deletion))
    FROM json_each(d.body, '$.metadata.ownerReferences') r
    LEFT JOIN objects o ON o.uid = r.value ->> 'uid' AND o.cluster = ?1)`;

const LABELS = "coalesce(d.body -> '$.metadata.labels', '{}')";

/** An object `d` to examine: what a decision needs, with its owner references and where their owners are. */
const EXAMINED = `
  d.uid, d.resource, d.name, d.resource_version, d.deletion, d.plain, octet_length(d.body) AS size,
  EXISTS (SELECT 1 FROM owner_refs x WHERE x.cluster = ?1 AND x.owner_uid = d.uid) AS has_dependents,
  CASE WHEN octet_length(d.body) <= ${LARGE_BODY} THEN ${REFERENCES} END AS owners,
  CASE WHEN octet_length(d.body) <= ${LARGE_BODY} THEN ${LABELS} END AS labels`;

/**
 * The dependents that a set of tasks is about. ?3: [work id, owner uid, cursor, only blocking]. Those of one owner
 * come in the order of their uids. The inner query has that order by itself, from the list and then the index: to ask
 * for it there would read and sort all dependents for the first ?4 of them.
 */
export const READ_DEPENDENTS = `
SELECT c.work, ${EXAMINED}
FROM (
  SELECT DISTINCT w.key AS place, w.value ->> 0 AS work, r.dependent_uid AS uid
  FROM json_each(?3) w CROSS JOIN owner_refs r
    ON r.cluster = ?1 AND r.owner_uid = w.value ->> 1 AND r.namespace = ?2 AND r.dependent_uid > w.value ->> 2
  WHERE w.value ->> 3 = 0 OR r.blocking = 1
  LIMIT ?4
) c CROSS JOIN objects d ON d.uid = c.uid
ORDER BY c.place, c.uid`;

/** The same for objects named by uid. ?3: [work id, uid]. */
export const READ_EXAMINED = `
SELECT w.value ->> 0 AS work, ${EXAMINED}
FROM json_each(?3) w CROSS JOIN objects d ON d.uid = w.value ->> 1
WHERE d.cluster = ?1 AND d.namespace = ?2
ORDER BY w.key`;

/** The owner references and labels of large objects. ?2: uids. */
export const READ_REFERENCES = `
SELECT d.uid, ${REFERENCES} AS owners, ${LABELS} AS labels
FROM json_each(?2) e CROSS JOIN objects d ON d.uid = e.value WHERE d.cluster = ?1`;

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
  /**
   * JSON: [apiVersion, kind, name, uid, blocking, owner's resource, namespace, name, deletion] for each reference. Null
   * when the body is large: then they are read apart.
   */
  owners: string | null;
  /** JSON; null when the body is large. */
  labels: string | null;
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

/**
 * Dependents of one owner in this namespace, for release, in the order of their uids. ?3: owner, ?4: cursor, ?5: limit.
 * `sole`: it names nobody else, and is not swept.
 */
export const READ_RELEASED = `
SELECT d.uid, d.resource, d.name, d.resource_version, octet_length(d.body) AS size,
  d.sweep_at IS NULL AND octet_length(d.body) <= ${LARGE_BODY}
    AND json_array_length(d.body, '$.metadata.ownerReferences') = 1 AS sole
FROM (
  SELECT DISTINCT dependent_uid AS uid FROM owner_refs
  WHERE cluster = ?1 AND owner_uid = ?3 AND namespace = ?2 AND dependent_uid > ?4
  ORDER BY dependent_uid LIMIT ?5) r
CROSS JOIN objects d ON d.uid = r.uid ORDER BY r.uid`;

export interface ReleasedRow {
  uid: string;
  resource: string;
  name: string;
  resource_version: number;
  size: number;
  sole: number;
}

/** How large the bodies with these uids are. ?2: uids. */
export const READ_SIZES = `
SELECT o.uid, octet_length(o.body) AS size FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value
WHERE o.cluster = ?1`;

/**
 * In which namespaces an owner has dependents, and in which ones that block it, as JSON lists. ?2: owner. Goes from
 * namespace to namespace in the index.
 */
export const READ_OWNERSHIP = `
WITH RECURSIVE place(namespace) AS (
  SELECT min(namespace) FROM owner_refs WHERE cluster = ?1 AND owner_uid = ?2
  UNION ALL
  SELECT (SELECT min(r.namespace) FROM owner_refs r
          WHERE r.cluster = ?1 AND r.owner_uid = ?2 AND r.namespace > p.namespace)
  FROM place p WHERE p.namespace IS NOT NULL
), named AS (
  SELECT namespace, EXISTS (
    SELECT 1 FROM owner_refs r
    WHERE r.cluster = ?1 AND r.owner_uid = ?2 AND r.namespace = p.namespace AND r.blocking = 1) AS blocked
  FROM place p WHERE namespace IS NOT NULL
)
SELECT json_group_array(namespace) AS named_in, json_group_array(namespace) FILTER (WHERE blocked) AS blocked_in
FROM named`;

export interface OwnershipRow {
  named_in: string;
  blocked_in: string;
}

/** Whether a DELETE in the background would do anything to object `o`: not while it waits, or its grace period runs. */
const DELETABLE = `(o.deletion IS NULL OR (o.deletion <> 'terminating'
  AND coalesce(o.body ->> '$.metadata.deletionGracePeriodSeconds', 0) <= 0))`;

export const HAS_PODS = `
SELECT EXISTS (SELECT 1 FROM objects WHERE cluster = ?1 AND resource = 'pods' AND namespace = ?2) AS found`;

/**
 * The content of a namespace that is to be deleted, in the order of ?3 (resources), after the place ?4 of a resource
 * in it and the name ?5. It has that order by itself, from the list and then the index.
 */
export const READ_CONTENT = `
SELECT e.key AS place, o.uid, o.resource, o.name, o.resource_version, o.plain, octet_length(o.body) AS size,
  CASE WHEN octet_length(o.body) <= ${LARGE_BODY} THEN
    (SELECT json_group_array(r.value ->> 'uid') FROM json_each(o.body, '$.metadata.ownerReferences') r) END AS owners,
  CASE WHEN octet_length(o.body) <= ${LARGE_BODY} THEN coalesce(o.body -> '$.metadata.labels', '{}') END AS labels
FROM json_each(?3) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = e.value AND o.namespace = ?2
  AND o.name > CASE e.key WHEN ?4 THEN ?5 ELSE '' END
WHERE e.key >= ?4 AND ${DELETABLE}
LIMIT ?6`;

export interface ContentRow {
  place: number;
  uid: string;
  resource: string;
  name: string;
  resource_version: number;
  plain: number;
  size: number;
  /** JSON: the uids of its owners; null when the body is large. */
  owners: string | null;
  /** JSON, the same. */
  labels: string | null;
}

/** What is left in a namespace: how many objects of each resource, and by which finalizers they are held. */
export const READ_REMAINING = `
SELECT e.value AS resource, count(*) AS count, sum(${DELETABLE}) AS deletable FROM json_each(?3) e
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
SELECT namespace, count(*) AS count, sum(${DELETABLE}) AS deletable
FROM objects o WHERE cluster = ?1 AND resource = ?2 GROUP BY namespace`;

/**
 * Uids that are named as owners and belong to no object, in order, after ?2; of the next ?3 that are named. Goes from owner
 * to owner in the index: what it costs does not grow with the dependents.
 */
export const READ_ABSENT_OWNERS = `
WITH RECURSIVE named(uid) AS (
  SELECT min(owner_uid) FROM owner_refs WHERE cluster = ?1 AND owner_uid > ?2
  UNION ALL
  SELECT (SELECT min(r.owner_uid) FROM owner_refs r WHERE r.cluster = ?1 AND r.owner_uid > n.uid)
  FROM named n WHERE n.uid IS NOT NULL LIMIT ?3)
SELECT n.uid, NOT EXISTS (SELECT 1 FROM objects o WHERE o.uid = n.uid) AS absent
FROM named n WHERE n.uid IS NOT NULL ORDER BY n.uid`;

/** Definitions by name. ?2: names. */
export const READ_DEFINITIONS = `
SELECT ${COLUMNS} FROM json_each(?2) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = 'customresourcedefinitions.apiextensions.k8s.io'
  AND o.namespace = '' AND o.name = e.value
ORDER BY e.key`;

export const READ_KINDS_VERSION = "SELECT kinds_version FROM clusters WHERE id = ?1";

/** What a cluster serves, how it is swept, and what guards it. */
export const READ_KINDS = `
SELECT o.resource, o.body FROM objects o
WHERE o.cluster = ?1 AND o.namespace = ''
  AND o.resource IN ('customresourcedefinitions.apiextensions.k8s.io', 'sweeppolicies.gc.kubegc.dev',
    'deletionguards.gc.kubegc.dev')`;
