/** The SQL of the sweeps: what is due, who has to look, and what runs have done. */

/** A row of the outbox for the object `o`: it is to be looked at, and a look that is under way does not count. */
const lookAt = (sweep: string) => `
INSERT OR REPLACE INTO work (cluster, namespace, task, uid, stage, detail)
SELECT DISTINCT ?1, o.namespace, 'sweep', 'due ' || o.uid, 1, json_object('sweep', '${sweep}', 'uids', json_array(o.uid))`;

/**
 * What has to be looked at because of a removal, by the graph that it belongs to. ?1 cluster, ?2 uids that are about to be
 * removed, ?3 namespace. A moment beside the object would not do: whoever is looking at it now would take that away.
 */
export const MADE_DUE = {
  /** The volumes of claims that go. */
  volumes: `${lookAt("persistentvolumes")}
FROM json_each(?2) e CROSS JOIN objects c ON c.uid = e.value
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = 'persistentvolumes' AND o.namespace = ''
  AND o.name = c.body ->> '$.spec.volumeName'
WHERE c.resource = 'persistentvolumeclaims' AND ?3 <> ''
RETURNING namespace`,
  /** The claims that Pods use which go, if they wait for that. */
  claims: `${lookAt("persistentvolumes")}
FROM json_each(?2) e CROSS JOIN objects p ON p.uid = e.value CROSS JOIN json_each(p.body, '$.spec.volumes') v
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = 'persistentvolumeclaims' AND o.namespace = ?3
  AND o.name = coalesce(v.value ->> '$.persistentVolumeClaim.claimName', p.name || '-' || (v.value ->> '$.name'))
WHERE p.resource = 'pods' AND o.deletion = 'terminating'
RETURNING namespace`,
  /** The StorageVersions of an API server, when its Lease may be among what goes. */
  "storage-versions": `${lookAt("leases")}
FROM objects o
WHERE o.cluster = ?1 AND o.resource = 'storageversions.internal.apiserver.k8s.io' AND o.namespace = ''
  AND ?3 = 'kube-system' AND EXISTS (
    SELECT 1 FROM json_each(?2) e CROSS JOIN objects l ON l.uid = e.value
    WHERE l.resource = 'leases.coordination.k8s.io')
RETURNING namespace`,
} as const;

/** ?1: [uid, resourceVersion, moment]. Whoever wrote the object meanwhile computed its moment. */
export const LOOKED = `
UPDATE objects SET sweep_at = e.value ->> 2 FROM json_each(?1) e
WHERE objects.uid = e.value ->> 0 AND objects.resource_version = e.value ->> 1`;

/** As many objects are named in a run, of each sort. */
const NAMED = 100;

const named = (list: string) => `(
  SELECT json_group_array(json(n.value)) FROM (
    SELECT a.value FROM json_each(sweep_runs.${list}) a
    UNION ALL SELECT b.value FROM json_each(excluded.${list}) b LIMIT ${NAMED}) n)`;

/** ?2: now; ?3: rows to be added to those that there are. A run is over when no part of it is left. */
export const ADD_TO_RUNS = `
INSERT INTO sweep_runs (cluster, name, sweep, cause, dry_run, pending, started_at, completed_at, found, deleted, patched,
  skipped, reported, failed, deleted_objects, skipped_objects, message)
SELECT ?1, e.value ->> 'name', e.value ->> 'sweep', e.value ->> 'cause', e.value ->> 'dryRun', e.value ->> 'pending', ?2,
  CASE WHEN e.value ->> 'pending' <= 0 THEN ?2 END, e.value ->> 'found', e.value ->> 'deleted', e.value ->> 'patched',
  e.value ->> 'skipped', e.value ->> 'reported', e.value ->> 'failed', e.value -> 'deletedObjects',
  e.value -> 'skippedObjects', e.value ->> 'message'
FROM json_each(?3) e WHERE true
ON CONFLICT (cluster, name) DO UPDATE SET
  pending = pending + excluded.pending,
  completed_at = CASE WHEN pending + excluded.pending <= 0 THEN ?2 END,
  found = found + excluded.found, deleted = deleted + excluded.deleted, patched = patched + excluded.patched,
  skipped = skipped + excluded.skipped, reported = reported + excluded.reported, failed = failed + excluded.failed,
  deleted_objects = ${named("deleted_objects")}, skipped_objects = ${named("skipped_objects")},
  message = CASE WHEN excluded.message = '' THEN message ELSE excluded.message END`;

/** ?3: [{sweep, rule, deleted, failed}]. */
export const ADD_TO_TOTALS = `
INSERT INTO sweep_totals (cluster, namespace, sweep, rule, deleted, failed)
SELECT ?1, ?2, e.value ->> 'sweep', e.value ->> 'rule', e.value ->> 'deleted', e.value ->> 'failed'
FROM json_each(?3) e WHERE true
ON CONFLICT (cluster, namespace, sweep, rule) DO UPDATE SET
  deleted = deleted + excluded.deleted, failed = failed + excluded.failed`;

const COLUMNS = "o.resource, o.namespace, o.name, o.uid, o.resource_version, o.deletion, o.plain";

/** Bodies of more bytes than this are read apart. */
const UNWIELDY_BODY = 65_536;
const BODY = `octet_length(o.body) AS size, CASE WHEN octet_length(o.body) <= ${UNWIELDY_BODY} THEN o.body END AS body`;

/** An object that a sweep has to look at. */
export interface SweptRow {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  resource_version: number;
  deletion: string | null;
  plain: number;
  sweep_at: number | null;
  size: number;
  /** Null when it is large. */
  body: string | null;
}

/** What is due in a namespace at ?3, at most ?4, the oldest moment first. */
export const READ_DUE = `
SELECT ${COLUMNS}, o.sweep_at, ${BODY} FROM objects o
WHERE o.cluster = ?1 AND o.namespace = ?2 AND o.sweep_at <= ?3 ORDER BY o.sweep_at LIMIT ?4`;

/** Those of ?3, a list of uids, that are in the namespace. */
export const READ_SWEPT = `
SELECT ${COLUMNS}, o.sweep_at, ${BODY} FROM json_each(?3) e CROSS JOIN objects o ON o.uid = e.value
WHERE o.cluster = ?1 AND o.namespace = ?2 ORDER BY e.key`;

/** When a namespace has something to do next: the earliest moment before ?3 of an object, and of what is in the outbox. */
export const READ_NEXT = `
SELECT (SELECT min(o.sweep_at) FROM objects o WHERE o.cluster = ?1 AND o.namespace = ?2 AND o.sweep_at < ?3) AS sweep,
  (SELECT min(w.due_at) FROM work w WHERE w.cluster = ?1 AND w.namespace = ?2) AS work`;

/** The object that has been due for longest at ?3 waits until ?4, when the namespace is still held under the epoch ?5. */
export const PUT_OFF_DUE = `
UPDATE objects SET sweep_at = ?4 WHERE id = (
  SELECT o.id FROM objects o WHERE o.cluster = ?1 AND o.namespace = ?2 AND o.sweep_at <= ?3 ORDER BY o.sweep_at LIMIT 1)
AND EXISTS (SELECT 1 FROM namespaces_owner n WHERE n.cluster = ?1 AND n.namespace = ?2 AND n.epoch = ?5)`;

/** Namespaces with objects that are due at ?1, of the ?2 that have been due for longest. Reads nothing that is not due. */
export const READ_DUE_OBJECTS = `
SELECT DISTINCT d.cluster, d.namespace FROM (
  SELECT o.cluster, o.namespace FROM objects o WHERE o.sweep_at <= ?1 ORDER BY o.sweep_at LIMIT ?2) d`;

const AFTER = "i.cluster = ?1 AND (i.resource, i.namespace, i.name) > (?2, ?3, ?4) AND i.resource <= ?6";

/** Where a window of ?5 objects ends that begins after the place (?2 resource, ?3 namespace, ?4 name); none of a resource after ?6. */
export const READ_WINDOW_END = `
SELECT i.resource, i.namespace, i.name FROM objects i WHERE ${AFTER}
ORDER BY i.resource, i.namespace, i.name LIMIT 1 OFFSET ?5 - 1`;

/**
 * Of the objects of such a window those that a sweep might look at: of the kinds ?7, with a moment, or with one of the texts
 * ?8 to ?11 in their bodies.
 */
export const READ_WINDOW = `
SELECT ${COLUMNS}, o.sweep_at, ${BODY}
FROM (
  SELECT i.* FROM objects i WHERE ${AFTER} ORDER BY i.resource, i.namespace, i.name LIMIT ?5) o
WHERE o.sweep_at IS NOT NULL OR o.resource IN (SELECT value FROM json_each(?7))
  OR instr(o.body, ?8) OR instr(o.body, ?9) OR instr(o.body, ?10) OR instr(o.body, ?11)
ORDER BY o.resource, o.namespace, o.name`;

/** Objects of one resource ?2 in a namespace ?3, by names ?4. */
export const READ_NAMED = `
SELECT ${COLUMNS}, o.body FROM json_each(?4) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = ?2 AND o.namespace = ?3 AND o.name = e.value`;

/** Where a rule that counts finds too many objects to be sure of the order, it does not count: so many, and one more. */
export const COUNTED_DEPENDENTS = 10_000;

/**
 * Of the dependents in namespace ?2 of owners ?3, those of resource ?4, without the part ?5 of their bodies, which
 * nobody asks for.
 */
export const READ_DEPENDENTS_SLIM = `
SELECT DISTINCT r.owner_uid AS owner, ${COLUMNS}, json_remove(o.body, '$.metadata.managedFields', ?5) AS body
FROM json_each(?3) e CROSS JOIN owner_refs r ON r.cluster = ?1 AND r.owner_uid = e.value AND r.namespace = ?2
CROSS JOIN objects o ON o.uid = r.dependent_uid
WHERE o.resource = ?4 LIMIT ${COUNTED_DEPENDENTS + 1}`;

/** Labels \`controller-revision-hash\` of the Pods in namespace ?2 that owners ?3 have. */
export const READ_REVISION_HASHES = `
SELECT DISTINCT r.owner_uid AS owner, o.body ->> '$.metadata.labels."controller-revision-hash"' AS hash
FROM json_each(?3) e CROSS JOIN owner_refs r ON r.cluster = ?1 AND r.owner_uid = e.value AND r.namespace = ?2
CROSS JOIN objects o ON o.uid = r.dependent_uid
WHERE o.resource = 'pods'`;

/** So many Pods are read to find those that use a claim. */
export const CLAIM_USERS = 2_000;

/** Pods of namespace ?2 that use one of the claims ?3, or that have a claim of their own. */
export const READ_CLAIM_USERS = `
SELECT ${COLUMNS}, json_remove(o.body, '$.metadata.managedFields', '$.spec.containers', '$.status.containerStatuses') AS body
FROM objects o
WHERE o.cluster = ?1 AND o.resource = 'pods' AND o.namespace = ?2 AND EXISTS (
  SELECT 1 FROM json_each(o.body, '$.spec.volumes') v
  WHERE v.value -> '$.ephemeral' IS NOT NULL
    OR v.value ->> '$.persistentVolumeClaim.claimName' IN (SELECT value FROM json_each(?3)))
LIMIT ${CLAIM_USERS + 1}`;

/** The claims ?2: [namespace, name], with the volumes they are bound to. */
export const READ_CLAIMS = `
SELECT o.namespace, o.name, o.uid, coalesce(o.body ->> '$.spec.volumeName', '') AS volume FROM json_each(?2) e
CROSS JOIN objects o ON o.cluster = ?1 AND o.resource = 'persistentvolumeclaims' AND o.namespace = e.value ->> 0
  AND o.name = e.value ->> 1`;

/** Of the claims ?2: [namespace, name], those that a Pod uses which has not ended. */
export const READ_ACTIVE_CLAIMS = `
SELECT e.value ->> 0 AS namespace, e.value ->> 1 AS name, min(p.name) AS pod FROM json_each(?2) e
CROSS JOIN objects p ON p.cluster = ?1 AND p.resource = 'pods' AND p.namespace = e.value ->> 0
CROSS JOIN json_each(p.body, '$.spec.volumes') v
WHERE v.value ->> '$.persistentVolumeClaim.claimName' = e.value ->> 1
  AND coalesce(p.body ->> '$.status.phase', '') NOT IN ('Succeeded', 'Failed')
GROUP BY e.key`;

/** Of the Secrets ?3 of namespace ?2, those that a Pod mounts. */
export const READ_MOUNTED_SECRETS = `
SELECT DISTINCT v.value ->> '$.secret.secretName' AS name FROM objects p CROSS JOIN json_each(p.body, '$.spec.volumes') v
WHERE p.cluster = ?1 AND p.resource = 'pods' AND p.namespace = ?2
  AND v.value ->> '$.secret.secretName' IN (SELECT value FROM json_each(?3))`;

export const READ_TRACKED_SINCE = `
SELECT o.body ->> '$.data.since' AS since FROM objects o
WHERE o.cluster = ?1 AND o.resource = 'configmaps' AND o.namespace = 'kube-system'
  AND o.name = 'kube-apiserver-legacy-service-account-token-tracking'`;

const POD_OF_NODE = "o.cluster = ?1 AND o.resource = 'pods' AND o.body ->> '$.spec.nodeName'";

/** Pods of namespace ?2 that are bound to Node ?3, after the id ?4, at most ?5. */
export const READ_PODS_OF_NODE = `
SELECT o.id, o.uid FROM objects o WHERE ${POD_OF_NODE} = ?3 AND o.namespace = ?2 AND o.id > ?4 ORDER BY o.id LIMIT ?5`;

/** Namespaces with Pods that are bound to Node ?2: from one to the next in the index. */
export const READ_NAMESPACES_OF_NODE = `
WITH RECURSIVE place(namespace) AS (
  SELECT min(o.namespace) FROM objects o WHERE ${POD_OF_NODE} = ?2
  UNION ALL
  SELECT (SELECT min(o.namespace) FROM objects o WHERE ${POD_OF_NODE} = ?2 AND o.namespace > p.namespace)
  FROM place p WHERE p.namespace IS NOT NULL
)
SELECT namespace FROM place WHERE namespace IS NOT NULL`;

/** Names, after ?2, that Pods are bound to and no Node has; of the next ?3. From one to the next in the index. */
export const READ_MISSING_NODES = `
WITH RECURSIVE named(node) AS (
  SELECT min(o.body ->> '$.spec.nodeName') FROM objects o WHERE ${POD_OF_NODE} > ?2
  UNION ALL
  SELECT (SELECT min(o.body ->> '$.spec.nodeName') FROM objects o WHERE ${POD_OF_NODE} > n.node)
  FROM named n WHERE n.node IS NOT NULL LIMIT ?3)
SELECT n.node, NOT EXISTS (
  SELECT 1 FROM objects x WHERE x.cluster = ?1 AND x.resource = 'nodes' AND x.namespace = '' AND x.name = n.node) AS missing
FROM named n WHERE n.node IS NOT NULL AND n.node <> '' ORDER BY n.node`;

const TERMINATED_COLUMNS = `o.uid, o.namespace, o.name, o.body ->> '$.metadata.creationTimestamp' AS created,
  o.body ->> '$.status.phase' = 'Failed' AND o.body ->> '$.status.reason' = 'Evicted' AS evicted`;

export interface TerminatedRow {
  uid: string;
  namespace: string;
  name: string;
  created: string | null;
  evicted: number | null;
}

/** How many objects of a cluster wait at the moment ?2. */
export const COUNT_AT = "SELECT count(*) AS count FROM objects o WHERE o.sweep_at = ?2 AND o.cluster = ?1";

/** The terminated Pods of a cluster that wait at the moment ?2 to be counted. */
export const READ_COUNTED = `
SELECT ${TERMINATED_COLUMNS} FROM objects o WHERE o.sweep_at = ?2 AND o.cluster = ?1 AND o.resource = 'pods'`;

/** The same with those that are due at ?3, and so have not been looked at since they ended. */
export const READ_TERMINATED = `${READ_COUNTED}
UNION ALL
SELECT ${TERMINATED_COLUMNS} FROM objects o WHERE o.sweep_at <= ?3 AND o.cluster = ?1 AND o.resource = 'pods'
  AND coalesce(o.body ->> '$.status.phase', '') NOT IN ('Pending', 'Running', 'Unknown')`;

/**
 * A window of ?6 owner references after the place ?2 to ?5, each with who names whom, and where the owner is, if it is.
 * In the order of the key of `owner_refs`.
 */
export const READ_REFERENCES_WINDOW = `
SELECT r.owner_uid AS owner, r.namespace, r.dependent_uid AS dependent, r.position, r.claim ->> '$.apiVersion' AS api_version,
  r.claim ->> '$.kind' AS kind, r.claim ->> '$.name' AS name,
  o.resource, o.namespace AS owner_namespace, o.name AS owner_name, o.deletion
FROM (
  SELECT w.*, d.body -> ('$.metadata.ownerReferences[' || w.position || ']') AS claim FROM (
    SELECT * FROM owner_refs WHERE cluster = ?1 AND (owner_uid, namespace, dependent_uid, position) > (?2, ?3, ?4, ?5)
    ORDER BY owner_uid, namespace, dependent_uid, position LIMIT ?6) w
  CROSS JOIN objects d ON d.uid = w.dependent_uid) r
LEFT JOIN objects o ON o.uid = r.owner_uid AND o.cluster = ?1
ORDER BY r.owner_uid, r.namespace, r.dependent_uid, r.position`;

export interface ReferenceRow {
  owner: string;
  namespace: string;
  dependent: string;
  position: number;
  api_version: string | null;
  kind: string | null;
  name: string | null;
  resource: string | null;
  owner_namespace: string | null;
  owner_name: string | null;
  deletion: string | null;
}

/** A run that is asked for, with its one part so far: to go through the cluster. */
export const INSERT_RUN = `
INSERT INTO sweep_runs (cluster, name, sweep, cause, dry_run, pending, started_at) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6)`;

export const INSERT_SCAN = `
INSERT INTO work (cluster, namespace, task, uid, stage) VALUES (?1, '', 'scan', ?2, 2)`;

/** How far runs have come, and whether one has been stopped. ?2: names. */
export const READ_STOPPED = `
SELECT r.name, r.deleted, r.message FROM json_each(?2) e
CROSS JOIN sweep_runs r ON r.cluster = ?1 AND r.name = e.value`;

export interface StoppedRow {
  name: string;
  deleted: number;
  message: string;
}

const RUN_COLUMNS = `name, sweep, cause, dry_run, pending, started_at, completed_at, found, deleted, patched, skipped, reported,
  failed, deleted_objects, skipped_objects, message`;

/** A row of `sweep_runs`. */
export interface SweepRunRow {
  name: string;
  sweep: string;
  cause: string;
  dry_run: number;
  pending: number;
  started_at: number;
  completed_at: number | null;
  found: number;
  deleted: number;
  patched: number;
  skipped: number;
  reported: number;
  failed: number;
  deleted_objects: string;
  skipped_objects: string;
  message: string;
}

export const READ_RUN = `SELECT ${RUN_COLUMNS} FROM sweep_runs WHERE cluster = ?1 AND name = ?2`;

/** Those after the name ?2, at most ?3. */
export const LIST_RUNS = `
SELECT ${RUN_COLUMNS} FROM sweep_runs WHERE cluster = ?1 AND name > ?2 ORDER BY name LIMIT ?3`;

export const DELETE_RUN = "DELETE FROM sweep_runs WHERE cluster = ?1 AND name = ?2";

/** Runs that are over and began before ?2, or before the newest ?3 of their sweep; the newest of each sweep stays. */
export const PRUNE_RUNS = `
DELETE FROM sweep_runs WHERE (cluster, name) IN (
  SELECT r.cluster, r.name FROM (
    SELECT cluster, name, started_at, pending,
      row_number() OVER (PARTITION BY sweep ORDER BY started_at DESC) AS place
    FROM sweep_runs WHERE cluster = ?1) r
  WHERE r.pending <= 0 AND r.place > 1 AND (r.started_at < ?2 OR r.place > ?3))`;

/** Clusters that are to be gone through at ?1, at most ?2. */
export const READ_RESYNCS =
  "SELECT id AS cluster FROM clusters WHERE resync_at <= ?1 ORDER BY resync_at LIMIT ?2";

/** Only who finds it still due at ?2 moves it to ?3. */
export const CLAIM_RESYNC = "UPDATE clusters SET resync_at = ?3 WHERE id = ?1 AND resync_at <= ?2";

export const SET_RESYNC = "UPDATE clusters SET resync_at = ?2 WHERE id = ?1";

/** Takes the lease ?1 until ?3, if nobody holds it at ?2. */
export const TAKE_CRON_LEASE = `
INSERT INTO cron_leases (name, held_until) VALUES (?1, ?3)
ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until WHERE held_until <= ?2
RETURNING held_until`;

/** Lets go of it, if it is still held until ?2. */
export const LEAVE_CRON_LEASE = "UPDATE cron_leases SET held_until = 0 WHERE name = ?1 AND held_until = ?2";

/** What was asked is answered: the part of it is due at once, when the namespace is still held under the epoch ?4. */
export const ANSWERED = `
UPDATE work SET due_at = 0 WHERE cluster = ?1 AND namespace = ?2 AND task = 'sweep' AND uid = ?3
AND EXISTS (SELECT 1 FROM namespaces_owner n WHERE n.cluster = ?1 AND n.namespace = ?2 AND n.epoch = ?4)`;
