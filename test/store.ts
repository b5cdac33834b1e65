import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The database of a data folder as it is on disk, read beside the server: looking at it is no request. */
export function query<T>(folder: string, sql: string, ...values: string[]): T[] {
  const database = new DatabaseSync(databaseFile(folder), { readOnly: true, timeout: 5000 });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
}

function databaseFile(folder: string): string {
  const [file] = globSync(join(folder, "state/d1/*/*.sqlite")).filter(
    (path) => !path.endsWith("metadata.sqlite"),
  );
  if (file === undefined) throw new Error(`there is no database in ${folder}`);
  return file;
}

/** Rows of labels and owner references that no object has, and those that objects have and that are missing. */
export function unindexed(folder: string): unknown[] {
  const labelled = `SELECT o.cluster, o.resource, l.key, l.value, o.namespace, o.name
    FROM objects o CROSS JOIN json_each(o.body, '$.metadata.labels') l`;
  const owned = `SELECT o.cluster, r.value ->> 'uid', o.namespace, o.uid, r.key,
      coalesce(r.value ->> 'blockOwnerDeletion', 0)
    FROM objects o CROSS JOIN json_each(o.body, '$.metadata.ownerReferences') r`;
  const labels = "SELECT cluster, resource, key, value, namespace, name FROM labels";
  const references =
    "SELECT cluster, owner_uid, namespace, dependent_uid, position, blocking FROM owner_refs";
  return [
    [labelled, labels],
    [labels, labelled],
    [owned, references],
    [references, owned],
  ].flatMap(([these, those]) => query(folder, `${these} EXCEPT ${those}`));
}

/** Objects that were removed without a record that leads to a request. */
export function unexplained(folder: string): unknown[] {
  return query(
    folder,
    `SELECT c.name FROM changes c
     LEFT JOIN deletions d ON d.uid = c.uid
     LEFT JOIN deletions r ON r.uid = d.root
     WHERE c.type = 'DELETED' AND (d.removed_at IS NULL OR (r.rule, r.cause) IS NOT ('request', NULL))`,
  );
}
