/**
 * What nodes reported. A report is one batch: the node's row, which is its fence too, and, of images and containers,
 * the rows that changed, as one JSON parameter each. A row of what is not on the node any more stays for a while with
 * the moment and the reason, so that a person can see what went; it is written anew when the same thing comes back.
 */

const SETTINGS = `
  (SELECT coalesce(body -> '$.metadata.labels', '{}') FROM objects
   WHERE cluster = ?1 AND resource = 'nodes' AND namespace = '' AND name = ?2) AS labels,
  (SELECT json_group_array(json_array(name, body -> '$.spec')) FROM objects
   WHERE cluster = ?1 AND resource = 'nodepolicies.gc.kubegc.dev' AND namespace = '') AS policies`;

/**
 * ?2: node. The next epoch of whoever records this node, and all that is known of it but images and containers; with the
 * settings, as below. The first epoch is the time, so that it is a new one too for a node that was forgotten.
 */
export const CLAIM_NODE = `
INSERT INTO nodes (cluster, node, epoch) VALUES (?1, ?2, CAST(unixepoch('subsec') * 1000 AS INTEGER))
ON CONFLICT (cluster, node) DO UPDATE SET epoch = epoch + 1
RETURNING epoch, sequence, reported_at, boot, file_systems, state, ${SETTINGS}`;

/** Says which epoch holds the node, and what its last batch was. */
export const NODE_OUTCOME = "SELECT epoch, operation FROM nodes WHERE cluster = ?1 AND node = ?2";

/**
 * The node's row, and the fence of the batch: under another epoch than ?3, or when the row has gone, the epoch becomes NULL,
 * which the table refuses, and with it the batch.
 */
export const WRITE_NODE = `
INSERT INTO nodes (cluster, node, epoch, operation, sequence, reported_at, boot, file_systems, state)
VALUES (?1, ?2, (SELECT epoch FROM nodes WHERE cluster = ?1 AND node = ?2 AND epoch = ?3), ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (cluster, node) DO UPDATE SET
  epoch = excluded.epoch, operation = excluded.operation, sequence = excluded.sequence, reported_at = excluded.reported_at,
  boot = excluded.boot, file_systems = excluded.file_systems, state = excluded.state`;

/** ?3: [key, id, handler, tags, digests, size, pinned, first detected, last used, in use, gone at, gone by]. */
export const WRITE_NODE_IMAGES = `
INSERT INTO node_images (cluster, node, key, image, handler, tags, digests, size, pinned, first_detected, last_used,
                         in_use, gone_at, gone_by)
SELECT ?1, ?2, e.value ->> 0, e.value ->> 1, e.value ->> 2, e.value -> 3, e.value -> 4, e.value ->> 5, e.value ->> 6,
       e.value ->> 7, e.value ->> 8, e.value ->> 9, e.value ->> 10, e.value ->> 11
FROM json_each(?3) e WHERE true
ON CONFLICT (cluster, node, key) DO UPDATE SET
  tags = excluded.tags, digests = excluded.digests, size = excluded.size, pinned = excluded.pinned,
  first_detected = excluded.first_detected, last_used = excluded.last_used, in_use = excluded.in_use,
  gone_at = excluded.gone_at, gone_by = excluded.gone_by`;

/** ?3: [id, pod uid, pod namespace, pod name, name, attempt, state, created at, exited at, gone at]. */
export const WRITE_NODE_CONTAINERS = `
INSERT INTO node_containers (cluster, node, id, pod_uid, pod_namespace, pod_name, name, attempt, state, created_at,
                             exited_at, gone_at)
SELECT ?1, ?2, e.value ->> 0, e.value ->> 1, e.value ->> 2, e.value ->> 3, e.value ->> 4, e.value ->> 5, e.value ->> 6,
       e.value ->> 7, e.value ->> 8, e.value ->> 9
FROM json_each(?3) e WHERE true
ON CONFLICT (cluster, node, id) DO UPDATE SET
  state = excluded.state, exited_at = excluded.exited_at, gone_at = excluded.gone_at`;

const IMAGE_COLUMNS =
  "key, image, handler, tags, digests, size, pinned, first_detected, last_used, in_use, gone_at, gone_by";
const CONTAINER_COLUMNS =
  "id, pod_uid, pod_namespace, pod_name, name, attempt, state, created_at, exited_at, gone_at";

/** What is on the node. */
export const READ_NODE_IMAGES = `
SELECT ${IMAGE_COLUMNS} FROM node_images WHERE cluster = ?1 AND node = ?2 AND gone_at IS NULL`;
export const READ_NODE_CONTAINERS = `
SELECT ${CONTAINER_COLUMNS} FROM node_containers WHERE cluster = ?1 AND node = ?2 AND gone_at IS NULL`;

/** What was on the node and went, the latest first; at most ?3. */
export const READ_GONE_IMAGES = `
SELECT ${IMAGE_COLUMNS} FROM node_images WHERE cluster = ?1 AND node = ?2 AND gone_at IS NOT NULL
ORDER BY gone_at DESC LIMIT ?3`;

/** One node, and all nodes of a cluster after the name ?2, at most ?3. */
export const READ_NODE = `
SELECT node, sequence, reported_at, boot, file_systems, state FROM nodes WHERE cluster = ?1 AND node = ?2`;
export const READ_NODES = `
SELECT node, sequence, reported_at, boot, file_systems, state FROM nodes
WHERE cluster = ?1 AND node > ?2 ORDER BY node LIMIT ?3`;

/** The same from the name ?2 on. */
export const READ_NODES_FROM = `
SELECT node, sequence, reported_at, boot, file_systems, state FROM nodes
WHERE cluster = ?1 AND node >= ?2 ORDER BY node LIMIT ?3`;

/** Rows of what went before ?3. */
export const FORGET_GONE_IMAGES = `
DELETE FROM node_images WHERE cluster = ?1 AND node = ?2 AND gone_at < ?3`;
export const FORGET_GONE_CONTAINERS = `
DELETE FROM node_containers WHERE cluster = ?1 AND node = ?2 AND gone_at < ?3`;

/**
 * Nodes after the one of cluster ?1 and name ?2, at most ?3, and whether each is gone: it has not reported since ?4, and has
 * no Node object, though it had one when it last reported; or it has none, and has not reported since ?5.
 */
export const READ_GONE_NODES = `
SELECT n.cluster, n.node,
  coalesce(n.reported_at, 0) < ?4
  AND NOT EXISTS (SELECT 1 FROM objects o
                  WHERE o.cluster = n.cluster AND o.resource = 'nodes' AND o.namespace = '' AND o.name = n.node)
  AND (coalesce(n.reported_at, 0) < ?5 OR n.state ->> '$.registered' IS 1) AS gone
FROM nodes n WHERE (n.cluster, n.node) > (?1, ?2) ORDER BY n.cluster, n.node LIMIT ?3`;

/** Takes the node away from whoever records it, unless it has reported since ?3. */
export const TAKE_NODE = `
UPDATE nodes SET epoch = epoch + 1
WHERE cluster = ?1 AND node = ?2 AND coalesce(reported_at, 0) < ?3 RETURNING epoch`;

/** So much of what is known of a node, at most ?4 rows each, under the epoch ?3; and the node, when there is no more. */
const HELD = "EXISTS (SELECT 1 FROM nodes WHERE cluster = ?1 AND node = ?2 AND epoch = ?3)";
export const FORGET_NODE_IMAGES = `
DELETE FROM node_images WHERE cluster = ?1 AND node = ?2 AND ${HELD}
AND key IN (SELECT key FROM node_images WHERE cluster = ?1 AND node = ?2 LIMIT ?4)`;
export const FORGET_NODE_CONTAINERS = `
DELETE FROM node_containers WHERE cluster = ?1 AND node = ?2 AND ${HELD}
AND id IN (SELECT id FROM node_containers WHERE cluster = ?1 AND node = ?2 LIMIT ?4)`;
export const FORGET_NODE = `
DELETE FROM nodes WHERE cluster = ?1 AND node = ?2 AND epoch = ?3
AND NOT EXISTS (SELECT 1 FROM node_images WHERE cluster = ?1 AND node = ?2)
AND NOT EXISTS (SELECT 1 FROM node_containers WHERE cluster = ?1 AND node = ?2)`;

/** Of each node what is counted, as a JSON list: removed images, removed containers, collections. Five thousand nodes at most. */
export const READ_NODE_COUNTS = `
SELECT node, reported_at, json_extract(state, '$.removedImages', '$.removedContainers', '$.imageRuns') AS counts
FROM nodes WHERE cluster = ?1 AND reported_at IS NOT NULL ORDER BY node LIMIT 5000`;

/** Of node ?2: its labels as the cluster's API has them, NULL when there is no such Node; and every NodePolicy as [name, spec]. */
export const READ_NODE_SETTINGS = `SELECT ${SETTINGS}`;

export interface NodeRow {
  epoch: number;
  sequence: number | null;
  reported_at: number | null;
  boot: string | null;
  /** JSON. */
  file_systems: string | null;
  /** JSON. */
  state: string | null;
}

export interface NodeImageRow {
  key: string;
  image: string;
  handler: string;
  /** JSON lists. */
  tags: string;
  digests: string;
  size: number;
  pinned: number;
  first_detected: number;
  last_used: number | null;
  in_use: number;
  gone_at: number | null;
  gone_by: string | null;
}

export interface NodeContainerRow {
  id: string;
  pod_uid: string;
  pod_namespace: string;
  pod_name: string;
  name: string;
  attempt: number;
  state: string;
  created_at: number;
  exited_at: number | null;
  gone_at: number | null;
}

export interface NodeSettingsRow {
  labels: string | null;
  policies: string;
}
