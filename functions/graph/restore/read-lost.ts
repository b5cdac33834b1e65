import { type LostRow, READ_LOST, READ_LOST_TREE, READ_ROOT, READ_THERE } from "../../../db/restore.ts";
import { apiVersion } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { GroupResource } from "../../objects/object.ts";
import { parseStored } from "../../objects/stored-body.ts";
import { isCollected } from "../plan.ts";
import type { Lost } from "./relink.ts";

/** Rows of one answer, with bodies. */
const PAGE = 1_000;
/** All bodies together; they are held in memory, sent on and written in one batch for each namespace. */
const MOST_BYTES = 24_000_000;

/** Why something that a record speaks of cannot come back. */
export interface Unrestorable {
  /** `configmaps team/a`. */
  what: string;
  why: "still-there" | "forgotten" | "kind-gone";
}

export type LostReading =
  | { found: "lost"; lost: Lost[]; unrestorable: Unrestorable[] }
  | { found: "nothing" | "too-much" };

/**
 * What one record lost, or with `tree` all that went because of it too: the last state of each, where it is still kept.
 */
export async function readLost(
  db: D1Database,
  cluster: number,
  { uid, tree }: { uid: string; tree: boolean },
  kinds: KindRegistry,
): Promise<LostReading> {
  const rows = tree ? await readTree(db, cluster, uid) : await readOne(db, cluster, uid);
  if (rows === undefined) return { found: "too-much" };
  if (rows.length === 0) return { found: "nothing" };
  const lost: Lost[] = [];
  const unrestorable: Unrestorable[] = [];
  for (const row of rows) {
    const found = lostOf(row, kinds);
    if ("why" in found) unrestorable.push(found);
    // Events tell what happened, and that has not changed.
    else if (isCollected(found.kind)) lost.push(found);
  }
  return { found: "lost", lost, unrestorable };
}

function lostOf(row: LostRow, kinds: KindRegistry): Lost | Unrestorable {
  const what = `${row.resource} ${row.namespace === "" ? row.name : `${row.namespace}/${row.name}`}`;
  if (row.removed_at === null) return { what, why: "still-there" };
  if (row.body === null) return { what, why: "forgotten" };
  const kind = kinds.byStore(row.resource as GroupResource);
  if (kind === undefined) return { what, why: "kind-gone" };
  const head = {
    apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"),
    kind: kind.kind,
    resourceVersion: row.removed_version ?? 0,
  };
  return { kind, object: parseStored(row.body, head) };
}

async function readOne(db: D1Database, cluster: number, uid: string): Promise<LostRow[]> {
  const { results } = await db.prepare(READ_LOST).bind(cluster, uid).all<LostRow>();
  return results;
}

/** Undefined when the bodies are more than can be held. */
async function readTree(db: D1Database, cluster: number, uid: string): Promise<LostRow[] | undefined> {
  const head = await db.prepare(READ_ROOT).bind(cluster, uid).first<{ root: string }>();
  if (head === null) return [];
  const rows: LostRow[] = [];
  let bytes = 0;
  for (let after = ""; ; ) {
    const { results } = await db.prepare(READ_LOST_TREE).bind(cluster, head.root, after, PAGE).all<LostRow>();
    rows.push(...results);
    bytes += results.reduce((sum, { size }) => sum + (size ?? 0), 0);
    if (bytes > MOST_BYTES) return undefined;
    const last = results.at(-1);
    if (last === undefined || results.length < PAGE) return head.root === uid ? rows : causedBy(uid, rows);
    after = last.uid;
  }
}

/** Of all records of one root those that the chain of causes leads from to this one. */
function causedBy(uid: string, rows: readonly LostRow[]): LostRow[] {
  const causes = new Map(rows.map((row) => [row.uid, row.cause]));
  const leads = (row: LostRow): boolean => {
    const seen = new Set<string>();
    for (let at: string | null | undefined = row.uid; at && !seen.has(at); at = causes.get(at)) {
      if (at === uid) return true;
      seen.add(at);
    }
    return false;
  };
  return rows.filter(leads);
}

/** Which of these uids somebody has. */
export async function readThere(
  db: D1Database,
  cluster: number,
  uids: readonly string[],
): Promise<Set<string>> {
  if (uids.length === 0) return new Set();
  const { results } = await db.prepare(READ_THERE).bind(cluster, JSON.stringify(uids)).all<{ uid: string }>();
  return new Set(results.map((row) => row.uid));
}
