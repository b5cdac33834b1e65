/**
 * The SQL of a commit. Every statement takes sets as one JSON parameter, because D1 allows a hundred
 * parameters and no loop; `CROSS JOIN` tells SQLite to go through the set and look each row up by its key.
 *
 * A number bound by the Workers API arrives as REAL; numbers inside JSON arrive as INTEGER.
 */

/** Clusters lie 2^40 apart in `changes.id`. */
export const CHANGES_PER_CLUSTER = 2 ** 40;

/** Where the changes of cluster ?1, bound as REAL, begin. The cast keeps the product exact beyond 2^53. */
const FIRST_CHANGE = `CAST(?1 AS INTEGER) * ${CHANGES_PER_CLUSTER}`;

/**
 * The namespace is still held under the epoch ?3, and the last batch was ?4 (with ?5 = 0 whichever): a batch that comes in
 * twice, or after its time, is out of its turn.
 */
export const GUARD_EPOCH = `
INSERT INTO guard (superseded, stale)
SELECT CASE WHEN n.epoch IS NOT ?3 THEN 1 END, CASE WHEN n.epoch IS ?3 THEN 1 END
FROM (SELECT 1) LEFT JOIN namespaces_owner n ON n.cluster = ?1 AND n.namespace = ?2
WHERE n.epoch IS NOT ?3 OR (?5 = 1 AND n.operation IS NOT ?4)`;

export const GUARD_OPEN_NAMESPACE = `
INSERT INTO guard (closed)
SELECT 1 WHERE NOT EXISTS (
  SELECT 1 FROM objects
  WHERE cluster = ?1 AND resource = 'namespaces' AND namespace = '' AND name = ?2 AND deletion IS NULL)`;

/** ?2: resources that CustomResourceDefinitions give. */
export const GUARD_DEFINITIONS = `
INSERT INTO guard (closed)
SELECT 1 FROM json_each(?2) e WHERE NOT EXISTS (
  SELECT 1 FROM objects
  WHERE cluster = ?1 AND resource = 'customresourcedefinitions.apiextensions.k8s.io' AND namespace = ''
    AND name = e.value AND deletion IS NULL) LIMIT 1`;

/** ?2: uids. */
export const GUARD_STILL_FOREGROUND = `
INSERT INTO guard (moved)
SELECT 1 FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value
WHERE o.cluster = ?1 AND o.deletion IS NOT 'foreground' LIMIT 1`;

/** ?2: uids. */
export const GUARD_WITHOUT_DEPENDENTS = `
INSERT INTO guard (moved)
SELECT 1 FROM json_each(?2) e CROSS JOIN owner_refs r ON r.cluster = ?1 AND r.owner_uid = e.value LIMIT 1`;

/** ?1: [uid, resourceVersion]. */
export const GUARD_VERSIONS = `
INSERT INTO guard (stale)
SELECT 1 FROM json_each(?1) e LEFT JOIN objects o ON o.uid = e.value ->> 0
WHERE o.resource_version IS NOT (e.value ->> 1) LIMIT 1`;

export const TAKE_VERSIONS = `
UPDATE clusters SET
  resource_version = resource_version + ?2,
  kinds_version = CASE WHEN ?3 = 1 THEN resource_version + ?2 ELSE kinds_version END
WHERE id = ?1 RETURNING resource_version`;

/** The number of the k-th row of this batch, of ?taken in all. */
const version = (cluster: string, taken: string, k: string) =>
  `(SELECT resource_version FROM clusters WHERE id = ${cluster}) - ${taken} + (${k})`;

export const INSERT_OBJECTS = `
INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, deletion, plain, sweep_at, body)
SELECT ?1, e.value ->> 'r', ?2, e.value ->> 'n', e.value ->> 'u', ${version("?1", "?3", "e.value ->> 'k'")},
       NULL, e.value ->> 'p', e.value ->> 's', e.value -> 'b'
FROM json_each(?4) e`;

export const UPDATE_OBJECTS = `
UPDATE objects SET
  resource_version = ${version("?1", "?2", "e.value ->> 'k'")},
  deletion = e.value ->> 'd', plain = e.value ->> 'p', sweep_at = e.value ->> 's', body = e.value -> 'b'
FROM json_each(?3) e WHERE objects.uid = e.value ->> 'u'`;

/** ?3: [uid, owner, k]. Each names nobody else. What is left of the body stays as it is, byte for byte. */
export const RELEASE_OBJECTS = `
UPDATE objects SET
  resource_version = ${version("?1", "?2", "e.value ->> 2")},
  body = json_remove(body, '$.metadata.ownerReferences')
FROM json_each(?3) e WHERE objects.uid = e.value ->> 0`;

/** ?3 as above. */
export const DELETE_SOLE_OWNER_REFS = `
DELETE FROM owner_refs WHERE (cluster, owner_uid, namespace, dependent_uid, position) IN (
  SELECT ?1, e.value ->> 1, ?2, e.value ->> 0, 0 FROM json_each(?3) e)`;

/** ?3: [uid, type, previous resourceVersion]. */
export const INSERT_CHANGES = `
INSERT INTO changes (id, type, resource, namespace, name, uid, at, previous, body)
SELECT ${FIRST_CHANGE} + o.resource_version, e.value ->> 1,
       o.resource, o.namespace, o.name, o.uid, ?2, e.value ->> 2, o.body
FROM json_each(?3) e CROSS JOIN objects o ON o.uid = e.value ->> 0`;

/** ?4: [uid, rule, actor, policy, cause, k, resource, name]. */
export const INSERT_DELETED_CHANGES = `
INSERT INTO changes (id, type, resource, namespace, name, uid, at, previous, body)
SELECT ${FIRST_CHANGE} + CAST(${version("?1", "?3", "e.value ->> 5")} AS INTEGER), 'DELETED',
       o.resource, o.namespace, o.name, o.uid, ?2, o.resource_version, o.body
FROM json_each(?4) e CROSS JOIN objects o ON o.uid = e.value ->> 0`;

/** The head of the chain of causes: that of the cause, if it has a record; the cause; or the object itself. */
const ROOT = `coalesce(
    (SELECT c.root FROM deletions c WHERE c.cluster = ?1 AND c.uid = e.value ->> 4), e.value ->> 4, e.value ->> 0)`;

/** ?4 as above, ?5: namespace. An object whose deletion had begun keeps the cause it had then. */
export const CLOSE_DELETIONS = `
INSERT INTO deletions (cluster, uid, resource, namespace, name, rule, actor, policy, cause, root, began_at,
                       removed_at, removed_version)
SELECT ?1, e.value ->> 0, e.value ->> 6, ?5, e.value ->> 7,
       e.value ->> 1, e.value ->> 2, e.value ->> 3, e.value ->> 4,
       ${ROOT}, ?2, ?2, ${version("?1", "?3", "e.value ->> 5")}
FROM json_each(?4) e
WHERE true
ON CONFLICT (cluster, uid) DO UPDATE SET
  removed_at = excluded.removed_at, removed_version = excluded.removed_version`;

/** ?3: [uid, rule, actor, policy, cause]. A second request changes the policy, not the cause. */
export const BEGIN_DELETIONS = `
INSERT INTO deletions (cluster, uid, resource, namespace, name, rule, actor, policy, cause, root, began_at)
SELECT ?1, o.uid, o.resource, o.namespace, o.name, e.value ->> 1, e.value ->> 2, e.value ->> 3, e.value ->> 4,
       ${ROOT}, ?2
FROM json_each(?3) e CROSS JOIN objects o ON o.uid = e.value ->> 0
WHERE true
ON CONFLICT (cluster, uid) DO UPDATE SET policy = excluded.policy`;

/** ?1: uids. To be run after the body was written. */
export const INSERT_LABELS = `
INSERT OR REPLACE INTO labels (cluster, resource, key, value, namespace, name)
SELECT o.cluster, o.resource, l.key, l.value, o.namespace, o.name
FROM json_each(?1) e CROSS JOIN objects o ON o.uid = e.value
CROSS JOIN json_each(o.body, '$.metadata.labels') l`;

/** ?1: uids. To be run before the body is written. */
export const DELETE_LABELS = `
DELETE FROM labels WHERE (cluster, resource, key, value, namespace, name) IN (
  SELECT o.cluster, o.resource, l.key, l.value, o.namespace, o.name
  FROM json_each(?1) e CROSS JOIN objects o ON o.uid = e.value
  CROSS JOIN json_each(o.body, '$.metadata.labels') l)`;

export const INSERT_OWNER_REFS = `
INSERT OR REPLACE INTO owner_refs (cluster, owner_uid, namespace, dependent_uid, position, blocking)
SELECT o.cluster, r.value ->> 'uid', o.namespace, o.uid, r.key, coalesce(r.value ->> 'blockOwnerDeletion', 0)
FROM json_each(?1) e CROSS JOIN objects o ON o.uid = e.value
CROSS JOIN json_each(o.body, '$.metadata.ownerReferences') r`;

export const DELETE_OWNER_REFS = `
DELETE FROM owner_refs WHERE (cluster, owner_uid, namespace, dependent_uid, position) IN (
  SELECT o.cluster, r.value ->> 'uid', o.namespace, o.uid, r.key
  FROM json_each(?1) e CROSS JOIN objects o ON o.uid = e.value
  CROSS JOIN json_each(o.body, '$.metadata.ownerReferences') r)`;

/** ?3: [resource, name, labels]: those that a removed object has. */
export const DELETE_REMOVED_LABELS = `
DELETE FROM labels WHERE (cluster, resource, key, value, namespace, name) IN (
  SELECT ?1, e.value ->> 0, l.key, l.value, ?2, e.value ->> 1
  FROM json_each(?3) e CROSS JOIN json_each(e.value -> 2) l)`;

/** ?3: [owner, uid, position]: those that removed objects have. */
export const DELETE_REMOVED_OWNER_REFS = `
DELETE FROM owner_refs WHERE (cluster, owner_uid, namespace, dependent_uid, position) IN (
  SELECT ?1, e.value ->> 0, ?2, e.value ->> 1, e.value ->> 2 FROM json_each(?3) e)`;

export const DELETE_OBJECTS = "DELETE FROM objects WHERE uid IN (SELECT value FROM json_each(?1))";

/**
 * ?2: uids of owners; ?3: task. One row for each namespace that has a dependent of the owner, found by going from
 * namespace to namespace in the index: what it costs does not grow with the dependents.
 */
export const WORK_FOR_DEPENDENTS = `
WITH RECURSIVE place(owner, namespace) AS (
  SELECT e.value, (SELECT min(r.namespace) FROM owner_refs r WHERE r.cluster = ?1 AND r.owner_uid = e.value)
  FROM json_each(?2) e
  WHERE EXISTS (SELECT 1 FROM owner_refs r WHERE r.cluster = ?1 AND r.owner_uid = e.value)
  UNION ALL
  SELECT p.owner, (SELECT min(r.namespace) FROM owner_refs r
                   WHERE r.cluster = ?1 AND r.owner_uid = p.owner AND r.namespace > p.namespace)
  FROM place p WHERE p.namespace IS NOT NULL
)
INSERT OR REPLACE INTO work (cluster, namespace, task, uid, stage)
SELECT ?1, namespace, ?3, owner, 0 FROM place WHERE namespace IS NOT NULL
RETURNING namespace`;

/** ?2: uids of owners. Only those in foreground deletion can be waiting for a dependent to go. */
export const WORK_FOR_OWNERS = `
INSERT OR REPLACE INTO work (cluster, namespace, task, uid, stage)
SELECT ?1, o.namespace, 'owner', o.uid, 2
FROM json_each(?2) e CROSS JOIN objects o ON o.uid = e.value
WHERE o.cluster = ?1 AND o.deletion = 'foreground'
RETURNING namespace`;

/**
 * ?3: [dependent uid, owner uid]. An owner outside this namespace may have gone between the look at it and this
 * batch, and its removal did not see the dependent: then the dependent is due a look.
 */
export const WORK_FOR_ABSENT_OWNERS = `
INSERT OR REPLACE INTO work (cluster, namespace, task, uid, stage)
SELECT DISTINCT ?1, ?2, 'examine', e.value ->> 0, 0
FROM json_each(?3) e
WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.uid = e.value ->> 1)`;

const NOT_BEING_EMPTIED = `NOT EXISTS (
  SELECT 1 FROM work w WHERE w.cluster = ?1 AND w.namespace = ?2 AND w.task IN ('namespace', 'instances') AND w.uid = h.uid)`;

/**
 * ?3: the resources of what is removed. What went may have been the last thing that a terminating Namespace, or a
 * terminating CustomResourceDefinition (its name is its objects' resource), was waiting for. Not while its content is
 * still being deleted here: the end of that makes it due.
 */
export const WORK_FOR_CONTENT = `
INSERT OR REPLACE INTO work (cluster, namespace, task, uid, stage)
SELECT ?1, '', 'finalize', h.uid, 2
FROM objects h
WHERE ?2 <> '' AND h.cluster = ?1 AND h.resource = 'namespaces' AND h.namespace = '' AND h.name = ?2
  AND h.deletion IS NOT NULL AND ${NOT_BEING_EMPTIED}
UNION ALL
SELECT ?1, '', 'finalize', h.uid, 2
FROM json_each(?3) gone
CROSS JOIN objects h ON h.cluster = ?1 AND h.resource = 'customresourcedefinitions.apiextensions.k8s.io'
  AND h.namespace = '' AND h.name = gone.value
WHERE h.deletion IS NOT NULL AND ${NOT_BEING_EMPTIED}
RETURNING namespace`;

/** ?2: [namespace, task, uid, stage, detail, due]. A task that is due without a detail, which limits it, stays so. */
export const INSERT_WORK = `
INSERT OR REPLACE INTO work (cluster, namespace, task, uid, stage, detail, due_at)
SELECT ?1, e.value ->> 0, e.value ->> 1, e.value ->> 2, e.value ->> 3,
  CASE WHEN NOT EXISTS (
    SELECT 1 FROM work w WHERE w.cluster = ?1 AND w.namespace = e.value ->> 0 AND w.task = e.value ->> 1
      AND w.uid = e.value ->> 2 AND w.detail IS NULL) THEN e.value ->> 4 END,
  e.value ->> 5
FROM json_each(?2) e RETURNING namespace`;

/** ?2 as above. A row that waits already keeps its time. */
export const INSERT_WORK_UNLESS_DUE = `
INSERT OR IGNORE INTO work (cluster, namespace, task, uid, stage, detail, due_at)
SELECT ?1, e.value ->> 0, e.value ->> 1, e.value ->> 2, e.value ->> 3, e.value ->> 4, e.value ->> 5
FROM json_each(?2) e RETURNING namespace`;

/** ?1: ids. A row that was made due again meanwhile has another id and stays. */
export const DELETE_WORK = "DELETE FROM work WHERE id IN (SELECT value FROM json_each(?1))";

/** ?1: [id, cursor]. */
export const ADVANCE_WORK =
  "UPDATE work SET cursor = e.value ->> 1 FROM json_each(?1) e WHERE work.id = e.value ->> 0";

/** The first task that is due at ?3 waits until ?4, when the namespace is still held under the epoch ?5. */
export const PUT_OFF_WORK = `
UPDATE work SET due_at = ?4 WHERE id = (
  SELECT id FROM work WHERE cluster = ?1 AND namespace = ?2 AND due_at <= ?3 ORDER BY stage, id LIMIT 1)
AND EXISTS (SELECT 1 FROM namespaces_owner WHERE cluster = ?1 AND namespace = ?2 AND epoch = ?5)`;

export const RECORD_OPERATION = `
UPDATE namespaces_owner SET
  operation = ?3, resource_version = (SELECT resource_version FROM clusters WHERE id = ?1)
WHERE cluster = ?1 AND namespace = ?2`;

export const OPERATION_OUTCOME =
  "SELECT epoch, operation, resource_version FROM namespaces_owner WHERE cluster = ?1 AND namespace = ?2";

/** Returns nothing, and leaves nothing, for a namespace that there is not and never was. */
export const CLAIM_EPOCH = `
INSERT INTO namespaces_owner (cluster, namespace, epoch)
SELECT ?1, ?2, 1 WHERE ?2 = ''
  OR EXISTS (SELECT 1 FROM namespaces_owner WHERE cluster = ?1 AND namespace = ?2)
  OR EXISTS (SELECT 1 FROM objects WHERE cluster = ?1 AND resource = 'namespaces' AND namespace = '' AND name = ?2)
  OR EXISTS (SELECT 1 FROM work WHERE cluster = ?1 AND namespace = ?2)
ON CONFLICT (cluster, namespace) DO UPDATE SET epoch = epoch + 1
RETURNING epoch, operation`;
