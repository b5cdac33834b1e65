import { type ObjectRow, READ_OBJECTS } from "../../../db/reads.ts";
import type { SweptRow } from "../../../db/sweeps.ts";
import type { GroupResource, KubeObject } from "../../objects/object.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { GraphStore } from "../graph-store.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import { type StoredObject, storedObject } from "../stored-object.ts";

/** The most bytes of bodies that are looked into together, and of those of them that were left out of the first read. */
const BYTES = 8_000_000;
const LARGE_BYTES = 2_000_000;

export interface SweptObject {
  row: SweptRow;
  stored: StoredObject;
  object: KubeObject;
}

/** The first rows as objects, as many as are to be held at once; one always comes. */
export async function withBodies(
  rows: readonly SweptRow[],
  store: GraphStore,
  kinds: ClusterKinds,
): Promise<{ taken: number; objects: SweptObject[] }> {
  const large: string[] = [];
  const bytes = { all: 0, large: 0 };
  let taken = 0;
  for (const row of rows) {
    bytes.all += row.size;
    if (row.body === null) bytes.large += row.size;
    if (taken > 0 && (bytes.all > BYTES || bytes.large > LARGE_BYTES)) break;
    if (row.body === null) large.push(row.uid);
    taken++;
  }
  const bodies = new Map<string, ObjectRow>();
  if (large.length > 0) {
    const { results } = await store.db
      .prepare(READ_OBJECTS)
      .bind(store.cluster, JSON.stringify(large))
      .all<ObjectRow>();
    for (const row of results) bodies.set(row.uid, row);
  }
  const objects = rows.slice(0, taken).flatMap((row) => {
    const { body } = row;
    const found = body === null ? bodies.get(row.uid) : { ...row, body };
    // Gone since the first read.
    if (found === undefined) return [];
    const kind = storedKind(row.resource as GroupResource, kinds);
    const stored = storedObject(found, kind, kind.versions[0] ?? "v1");
    return [{ row, stored, object: stored.object }];
  });
  return { taken, objects };
}
