import {
  type CompactedRow,
  type CompactionRow,
  DELETE_DELETED,
  DELETE_REPLACED,
  FORGET_RECORDS,
  KEEP_RECORDS_UNTIL,
  POSTPONE_RECORDS,
  RAISE_COMPACTED,
  RAISE_FORGOTTEN,
  READ_CLUSTERS_TO_COMPACT,
  READ_COMPACTION,
  READ_SLICE_TO_COMPACT,
  READ_SLICE_TO_FORGET,
} from "../../db/compaction.ts";
import type { Millis } from "../objects/object.ts";
import type { Retention } from "./retention.ts";

/** What one run may do. What is left over is for the next. */
export interface CompactionLimits {
  /** Clusters looked after. */
  clusters: number;
  /** Slices, of all clusters together: two statements to D1 each. */
  slices: number;
  /** Changes that one slice takes in, and the bytes it deletes beside one row. */
  sliceRows: number;
  sliceBytes: number;
}

export const COMPACTION_LIMITS: CompactionLimits = {
  clusters: 50,
  slices: 100,
  sliceRows: 2_000,
  sliceBytes: 32 * 1024 * 1024,
};

/**
 * Compacts the clusters that have something to compact: one query when none has. Safe to run twice at a time.
 *
 * @returns how many slices were written.
 */
export async function compactClusters(
  db: D1Database,
  now: Millis,
  retention: Retention,
  limits: CompactionLimits = COMPACTION_LIMITS,
): Promise<number> {
  const { results } = await db
    .prepare(READ_CLUSTERS_TO_COMPACT)
    .bind(retention.newestChanges, now - retention.changes, now - retention.deletions, limits.clusters)
    .all<{ cluster: number }>();
  let written = 0;
  for (const { cluster } of results) {
    const left = limits.slices - written;
    if (left <= 0) break;
    written += await compactCluster(db, cluster, now, retention, { ...limits, slices: left });
  }
  return written;
}

/**
 * Compacts one cluster from its old end. A change is due when it is old enough and not among the newest; compacting it
 * deletes the state that it replaced, never itself. So at every version from `compacted_version` on the state of each
 * key can still be told, and a change that can be read finds its `previous`. DELETED changes go later, by their own age.
 *
 * @returns how many slices were written.
 */
export async function compactCluster(
  db: D1Database,
  cluster: number,
  now: Millis,
  retention: Retention,
  limits: CompactionLimits = COMPACTION_LIMITS,
): Promise<number> {
  const at = await db.prepare(READ_COMPACTION).bind(cluster).first<CompactionRow>();
  if (at === null) return 0;
  const { newest, compacted, forgotten } = at;
  const shared = { cluster, limits };
  const replaced = await compactRange(db, {
    ...shared,
    after: compacted,
    through: newest - retention.newestChanges,
    horizon: now - retention.changes,
    slices: limits.slices,
    sql: { read: READ_SLICE_TO_COMPACT, raise: RAISE_COMPACTED, remove: DELETE_REPLACED },
  });
  const deleted = await compactRange(db, {
    ...shared,
    after: forgotten,
    through: replaced.reached,
    horizon: now - retention.deletions,
    slices: limits.slices - replaced.slices,
    sql: { read: READ_SLICE_TO_FORGET, raise: RAISE_FORGOTTEN, remove: DELETE_DELETED },
    records: retention.records,
  });
  return replaced.slices + deleted.slices;
}

interface Range {
  cluster: number;
  /** resourceVersions: done through `after`, to be done through `through`. */
  after: number;
  through: number;
  /** Changes made later stay. */
  horizon: Millis;
  slices: number;
  limits: CompactionLimits;
  sql: { read: string; raise: string; remove: string };
  /** How long after a removal its record is kept, where the DELETED changes go: from then on it has an end. */
  records?: Millis;
}

/** Slice after slice, until something is too young or the slices are used up. */
async function compactRange(db: D1Database, range: Range): Promise<{ reached: number; slices: number }> {
  const { cluster, through, horizon, limits, sql } = range;
  let reached = range.after;
  let slices = 0;
  while (slices < range.slices && reached < through) {
    const { results } = await db
      .prepare(sql.read)
      .bind(cluster, reached, through, limits.sliceRows)
      .all<CompactedRow>();
    const end = sliceEnd(results, horizon, limits.sliceBytes);
    if (end === undefined) break;
    // The version is raised first: whoever reads in between sees that something is missing, never the reverse.
    const removedAt = results.find(({ version }) => version === end)?.at ?? horizon;
    await db.batch([
      db.prepare(sql.raise).bind(cluster, end),
      ...(range.records === undefined
        ? []
        : [db.prepare(KEEP_RECORDS_UNTIL).bind(cluster, reached, end, removedAt + range.records)]),
      db.prepare(sql.remove).bind(cluster, reached, end),
    ]);
    reached = end;
    slices++;
  }
  return { reached, slices };
}

/** The last version that goes with this slice; undefined when the first change is too young. At least one change goes. */
export function sliceEnd(rows: readonly CompactedRow[], horizon: Millis, bytes: number): number | undefined {
  let total = 0;
  let end: number | undefined;
  for (const { version, at, size } of rows) {
    total += size;
    if (at > horizon || (end !== undefined && total > bytes)) break;
    end = version;
  }
  return end;
}

/** As many records go in one run, and so long those stay that are still needed, until the next look. */
const RECORDS = 5_000;
const LOOK_AGAIN = 24 * 3_600_000;

/**
 * Forgets the records of deletions whose time is over, with a query that reads only those.
 *
 * @returns how many went
 */
export async function forgetRecords(db: D1Database, now: Millis, most = RECORDS): Promise<number> {
  const { meta } = await db.prepare(FORGET_RECORDS).bind(now, most).run();
  if (meta.changes < most) {
    await db
      .prepare(POSTPONE_RECORDS)
      .bind(now, now + LOOK_AGAIN)
      .run();
  }
  return meta.changes;
}
