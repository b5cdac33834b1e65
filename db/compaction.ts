import { changeId } from "./changes.ts";
import { CHANGES_PER_CLUSTER } from "./sql.ts";

/** The SQL of compaction. Everything is found by ranges of `changes.id`, in slices. */

const VERSION = `c.id & ${CHANGES_PER_CLUSTER - 1}`;
/** When the first change of a range was made. Numbers of one cluster follow each other in time. */
const firstAt = (after: string, through: string) => `
  (SELECT n.at FROM changes n WHERE n.id > c.id * ${CHANGES_PER_CLUSTER} + ${after}
     AND n.id <= c.id * ${CHANGES_PER_CLUSTER} + ${through} ORDER BY n.id LIMIT 1)`;

/**
 * Clusters with something to compact, the longest backlog first. ?1: how many of the newest changes stay whatever their
 * age; ?2 and ?3: changes, and DELETED ones, from before these moments may go; ?4: at most so many.
 */
export const READ_CLUSTERS_TO_COMPACT = `
SELECT c.id AS cluster FROM clusters c
WHERE ${firstAt("c.compacted_version", "c.resource_version - CAST(?1 AS INTEGER)")} <= ?2
   OR ${firstAt("c.forgotten_version", "c.compacted_version")} <= ?3
ORDER BY c.resource_version - c.compacted_version DESC LIMIT ?4`;

/** How far a cluster has been compacted. */
export const READ_COMPACTION = `
SELECT resource_version AS newest, compacted_version AS compacted, forgotten_version AS forgotten
FROM clusters WHERE id = ?1`;

export interface CompactionRow {
  newest: number;
  compacted: number;
  forgotten: number;
}

/** One change of a slice, with the bytes that go when it is compacted. */
export interface CompactedRow {
  version: number;
  at: number;
  size: number;
}

/** ?2 after, ?3 through: resourceVersions; ?4 rows. The bytes are those of the state that each one replaced. */
export const READ_SLICE_TO_COMPACT = `
SELECT ${VERSION} AS version, c.at, coalesce(octet_length(p.body), 0) AS size
FROM changes c LEFT JOIN changes p ON p.id = ${changeId("c.previous")}
WHERE c.id > ${changeId("?2")} AND c.id <= ${changeId("?3")} ORDER BY c.id LIMIT ?4`;

/** The same where only DELETED changes go. */
export const READ_SLICE_TO_FORGET = `
SELECT ${VERSION} AS version, c.at, CASE c.type WHEN 'DELETED' THEN octet_length(c.body) ELSE 0 END AS size
FROM changes c WHERE c.id > ${changeId("?2")} AND c.id <= ${changeId("?3")} ORDER BY c.id LIMIT ?4`;

/** To be run before the deletion in one batch: no reader may find less than the version promises. */
export const RAISE_COMPACTED =
  "UPDATE clusters SET compacted_version = max(compacted_version, CAST(?2 AS INTEGER)) WHERE id = ?1";

export const RAISE_FORGOTTEN =
  "UPDATE clusters SET forgotten_version = max(forgotten_version, CAST(?2 AS INTEGER)) WHERE id = ?1";

/** States that were replaced by the changes after ?2 through ?3. */
export const DELETE_REPLACED = `
DELETE FROM changes WHERE id IN (
  SELECT ${changeId("c.previous")} FROM changes c
  WHERE c.id > ${changeId("?2")} AND c.id <= ${changeId("?3")} AND c.previous IS NOT NULL)`;

/** DELETED changes after ?2 through ?3. */
export const DELETE_DELETED = `
DELETE FROM changes WHERE id > ${changeId("?2")} AND id <= ${changeId("?3")} AND type = 'DELETED'`;

/**
 * The records of the DELETED changes after ?2 through ?3 are kept until ?4, and with them those of what caused them, up to the
 * head of each chain. To be run before the changes go.
 */
export const KEEP_RECORDS_UNTIL = `
WITH RECURSIVE chain(uid) AS (
  SELECT c.uid FROM changes c
  WHERE c.id > ${changeId("?2")} AND c.id <= ${changeId("?3")} AND c.type = 'DELETED'
  UNION
  SELECT d.cause FROM chain h CROSS JOIN deletions d ON d.cluster = ?1 AND d.uid = h.uid WHERE d.cause IS NOT NULL
)
UPDATE deletions SET forget_at = max(coalesce(forget_at, 0), ?4)
WHERE cluster = ?1 AND uid IN (SELECT uid FROM chain) AND removed_at IS NOT NULL`;

/**
 * Records whose time is over at ?1, at most ?2. Those of a chain that still grows stay, and so do those of an owner that
 * somebody still names: the collector may have to know that it is gone.
 */
export const FORGET_RECORDS = `
DELETE FROM deletions WHERE (cluster, uid) IN (
  SELECT d.cluster, d.uid FROM deletions d
  WHERE d.forget_at <= ?1
    AND NOT EXISTS (SELECT 1 FROM deletions o WHERE o.cluster = d.cluster AND o.root = d.root AND o.removed_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM owner_refs r WHERE r.cluster = d.cluster AND r.owner_uid = d.uid)
  ORDER BY d.forget_at LIMIT ?2)`;

/** Those that are still needed at ?1 are looked at again at ?2. */
export const POSTPONE_RECORDS = "UPDATE deletions SET forget_at = ?2 WHERE forget_at <= ?1";
