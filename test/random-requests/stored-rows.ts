import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface ObjectRow {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  resource_version: number;
  deletion: string | null;
  plain: number;
  body: string;
}

export interface ChangeRow {
  version: number;
  type: "ADDED" | "MODIFIED" | "DELETED";
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  previous: number | null;
  body: string;
}

export interface DeletionRow {
  uid: string;
  cause: string | null;
  root: string;
  began_at: number;
  removed_version: number | null;
}

/** A stored body, as far as the rules look into it. */
export interface Body {
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    finalizers?: string[];
    ownerReferences?: {
      apiVersion: string;
      kind: string;
      name: string;
      uid: string;
      blockOwnerDeletion?: boolean;
    }[];
  };
}

/** What the database holds of one cluster, at one moment. */
export interface StoredRows {
  resourceVersion: number;
  objects: ObjectRow[];
  labels: string[];
  ownerRefs: string[];
  changes: ChangeRow[];
  deletions: DeletionRow[];
  work: { namespace: string; task: string; uid: string; due_at: number }[];
  owned: string[];
  guards: number;
}

/** Reads the file of a server that runs, in one transaction. */
export function readStoredRows(dataDir: string, cluster: string): StoredRows {
  const folder = join(dataDir, "state/d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (file === undefined) throw new Error(`no database in ${folder}`);
  const db = new DatabaseSync(join(folder, file), { readOnly: true });
  try {
    db.exec("BEGIN");
    const { id, resource_version } = db
      .prepare("SELECT id, resource_version FROM clusters WHERE name = ?")
      .get(cluster) as { id: number; resource_version: number };
    const all = <T>(sql: string): T[] => db.prepare(sql).all(id) as T[];
    const first = "?1 * (1 << 40)";
    return {
      resourceVersion: resource_version,
      objects: all("SELECT * FROM objects WHERE cluster = ?1"),
      labels: all<{ row: string }>(
        "SELECT json_array(resource, namespace, name, key, value) AS row FROM labels WHERE cluster = ?1",
      ).map(({ row }) => row),
      ownerRefs: all<{ row: string }>(
        "SELECT json_array(dependent_uid, namespace, position, owner_uid, blocking) AS row FROM owner_refs WHERE cluster = ?1",
      ).map(({ row }) => row),
      changes: all(
        `SELECT id - ${first} AS version, type, resource, namespace, name, uid, previous, body
         FROM changes WHERE id > ${first} AND id < ${first} + (1 << 40) ORDER BY id`,
      ),
      deletions: all("SELECT * FROM deletions WHERE cluster = ?1"),
      work: all("SELECT * FROM work WHERE cluster = ?1"),
      owned: all<{ namespace: string }>("SELECT namespace FROM namespaces_owner WHERE cluster = ?1").map(
        ({ namespace }) => namespace,
      ),
      guards: (db.prepare("SELECT count(*) AS n FROM guard").get() as { n: number }).n,
    };
  } finally {
    db.close();
  }
}
