import {
  type ChangeRow,
  type KeyedObjectRow,
  READ_CHANGES,
  READ_OBJECTS_BY_KEY,
  READ_VERSIONS,
} from "../../db/changes.ts";
import type { Key } from "./initial-events.ts";
import type { Selection } from "./selection.ts";

/** How far a cluster has come, and from where on its changes are kept. */
export interface Versions {
  newest: number;
  /** Changes up to and including this one are gone. */
  compacted: number;
}

export interface Interest {
  resources: readonly string[];
  /** Those whose updates are wanted with the state that they replaced. */
  resourcesByContent: readonly string[];
  namespace: string | null;
  name: string | null;
}

/** A stretch of a cluster's changes: all that are of interest with `after < resourceVersion <= through`. */
export interface Slice extends Versions {
  rows: ChangeRow[];
  through: number;
}

export interface ObjectPage extends Versions {
  rows: KeyedObjectRow[];
  /** The list goes on after these. */
  more: boolean;
}

/** What one read brings into memory: this many rows, and these bytes plus one row and, with selectors, as much again. */
const ROWS = 500;
const BYTES = 1024 * 1024;
/** How many resourceVersions one read looks at, however few of them are of interest. */
const SPAN = 20_000;
/** After every namespace: those are lower-case letters, digits and `-`. */
const LAST_NAMESPACE = "~";

/** Undefined when there is no such cluster. */
export async function readVersions(db: D1Database, cluster: number): Promise<Versions | undefined> {
  return (await db.prepare(READ_VERSIONS).bind(cluster).first<Versions>()) ?? undefined;
}

/**
 * The next changes after a resourceVersion. Reading by id misses nothing: a change is committed together with the
 * counter that gave it its number, so none appears below one that was seen.
 *
 * The versions are read in the same transaction: where `compacted` is beyond `after`, changes are missing.
 *
 * @returns undefined when there is no such cluster.
 */
export async function readChanges(
  db: D1Database,
  cluster: number,
  after: number,
  interest: Interest,
): Promise<Slice | undefined> {
  const [versions, rows] = await db.batch([
    db.prepare(READ_VERSIONS).bind(cluster),
    db
      .prepare(READ_CHANGES)
      .bind(
        cluster,
        after,
        after + SPAN,
        JSON.stringify(interest.resources),
        JSON.stringify(interest.resourcesByContent),
        interest.namespace,
        interest.name,
        ROWS,
        BYTES,
      ),
  ]);
  const found = versions?.results[0] as Versions | undefined;
  if (found === undefined) return undefined;
  const read = (rows?.results ?? []) as ChangeRow[];
  const end = Math.max(after, Math.min(found.newest, after + SPAN));
  return { ...found, rows: read, through: wasCut(read) ? (read.at(-1)?.version ?? end) : end };
}

/**
 * One page of the existing objects of a resource, in the order of their keys, as they were at `newest`.
 *
 * @returns undefined when there is no such cluster.
 */
export async function readObjectPage(
  db: D1Database,
  cluster: number,
  resource: string,
  selection: Selection,
  after: Key,
): Promise<ObjectPage | undefined> {
  const [versions, rows] = await db.batch([
    db.prepare(READ_VERSIONS).bind(cluster),
    db
      .prepare(READ_OBJECTS_BY_KEY)
      .bind(
        cluster,
        resource,
        after.namespace,
        after.name,
        selection.namespace ?? LAST_NAMESPACE,
        selection.name,
        ROWS,
        BYTES,
      ),
  ]);
  const found = versions?.results[0] as Versions | undefined;
  if (found === undefined) return undefined;
  const read = (rows?.results ?? []) as KeyedObjectRow[];
  return { ...found, rows: read, more: wasCut(read) };
}

/** Whether a read may have left rows behind for want of room. */
function wasCut(rows: readonly { size: number }[]): boolean {
  return rows.length >= ROWS || rows.reduce((sum, row) => sum + row.size, 0) >= BYTES;
}
