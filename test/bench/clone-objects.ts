import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** An object that was made through the API, and how many more of it are wanted. */
export interface Clones {
  namespace: string;
  name: string;
  count: number;
}

/**
 * Puts copies of ConfigMaps into the database of a server that is stopped, as if each had been created: with labels,
 * owner references and a change. 150,000 take some seconds; the API would take a minute or more. The copies are named
 * after the original: `name-0`, `name-1`, …
 */
export function cloneObjects(folder: string, clones: readonly Clones[]): void {
  const database = new DatabaseSync(databaseFile(folder));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN");
  for (const each of clones) cloneObject(database, each);
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function databaseFile(folder: string): string {
  const [file] = globSync(join(folder, "state/d1/*/*.sqlite")).filter(
    (path) => !path.endsWith("metadata.sqlite"),
  );
  if (file === undefined) throw new Error(`there is no database in ${folder}`);
  return file;
}

function cloneObject(database: DatabaseSync, { namespace, name, count }: Clones): void {
  const original = database
    .prepare("SELECT * FROM objects WHERE resource = 'configmaps' AND namespace = ? AND name = ?")
    .get(namespace, name);
  const cluster = original?.cluster;
  const uid = original?.uid;
  if (typeof cluster !== "number" || typeof uid !== "string")
    throw new Error(`there is no ${namespace}/${name}`);
  const counter = database.prepare("SELECT resource_version FROM clusters WHERE id = ?").get(cluster);
  const newest = Number(counter?.resource_version);

  database.exec("CREATE TEMP TABLE clone (name TEXT, uid TEXT, version INTEGER)");
  database
    .prepare(
      `WITH RECURSIVE n(i, hex) AS (
         SELECT 0, lower(hex(randomblob(16))) UNION ALL
         SELECT i + 1, lower(hex(randomblob(16))) FROM n WHERE i + 1 < ?1)
       INSERT INTO clone
       SELECT ?2 || '-' || i, substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-4' || substr(hex, 14, 3) || '-8'
         || substr(hex, 18, 3) || '-' || substr(hex, 21), ?3 + i + 1 FROM n`,
    )
    .run(count, name, newest);

  const body = `replace(replace(t.body, '"name":"${name}"', '"name":"' || clone.name || '"'), '${uid}', clone.uid)`;
  const copy = (table: string, where: string, columns: Record<string, string>) =>
    copyRows(database, table, where, columns, { cluster, namespace, name, uid });
  const byKey = "cluster = :cluster AND resource = 'configmaps' AND namespace = :namespace AND name = :name";
  copy("objects", byKey, {
    id: "NULL",
    name: "clone.name",
    uid: "clone.uid",
    resource_version: "clone.version",
    body,
  });
  copy("labels", byKey, { name: "clone.name" });
  copy("owner_refs", "cluster = :cluster AND namespace = :namespace AND dependent_uid = :uid", {
    dependent_uid: "clone.uid",
  });
  copy("changes", "uid = :uid AND type = 'ADDED'", {
    id: `t.id - ${Number(original?.resource_version)} + clone.version`,
    name: "clone.name",
    uid: "clone.uid",
    body,
  });
  database.exec("DROP TABLE clone");
  database
    .prepare("UPDATE clusters SET resource_version = resource_version + ? WHERE id = ?")
    .run(count, cluster);
}

/** Copies the original's rows once for each clone. Columns that are not named stay as they are. */
function copyRows(
  database: DatabaseSync,
  table: string,
  where: string,
  columns: Record<string, string>,
  original: Record<string, string | number>,
): void {
  const names = database
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map((column) => String(column.name));
  const expressions = names.map((column) => columns[column] ?? `t.${column}`);
  const statement = database.prepare(
    `INSERT INTO ${table} (${names.join(", ")})
     SELECT ${expressions.join(", ")} FROM (SELECT * FROM ${table} WHERE ${where}) t CROSS JOIN clone`,
  );
  statement.setAllowUnknownNamedParameters(true);
  statement.run(original);
}
