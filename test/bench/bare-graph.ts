import type { D1Database } from "@cloudflare/workers-types";

/** As many objects go in one batch. */
const SLICE = 2000;

const UID = (i: string) => `printf('%08x-0000-4000-8000-%012x', ?2, ${i})`;

/** An owner, number 0, and dependents below it: of a flat shape (?4 is 0), or a tree of that fan-out. */
const SEED_OBJECTS = `
WITH RECURSIVE n(i, parent) AS (
  SELECT 0, NULL UNION ALL SELECT i + 1, CASE ?4 WHEN 0 THEN 0 ELSE i / CAST(?4 AS INTEGER) END FROM n WHERE i < ?3)
INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
SELECT 1, 'configmaps', ?1, 'd' || i, ${UID("i")}, (SELECT resource_version FROM clusters WHERE id = 1) - i, 1,
  json_object('metadata', json_object('name', 'd' || i, 'namespace', ?1, 'uid', ${UID("i")},
      'creationTimestamp', '2026-01-01T00:00:00Z', 'labels', json_object('bench', 'dependent'),
      'ownerReferences', CASE i WHEN 0 THEN json_array() ELSE json_array(json_object('apiVersion', 'v1',
        'kind', 'ConfigMap', 'name', 'd' || parent, 'uid', ${UID("parent")}, 'blockOwnerDeletion', json('true'))) END),
    'data', json_object('k', replace(hex(zeroblob(100)), '0', 'v')))
FROM n`;
const SEED_LABELS = `
INSERT INTO labels SELECT cluster, resource, 'bench', 'dependent', namespace, name
FROM objects WHERE cluster = 1 AND resource = 'configmaps' AND namespace = ?1`;
const SEED_OWNER_REFS = `
INSERT INTO owner_refs (cluster, owner_uid, namespace, dependent_uid, position, blocking)
SELECT 1, body ->> '$.metadata.ownerReferences[0].uid', namespace, uid, 0, 1
FROM objects WHERE cluster = 1 AND resource = 'configmaps' AND namespace = ?1
  AND body ->> '$.metadata.ownerReferences[0].uid' IS NOT NULL`;

const TAKE_VERSIONS = "UPDATE clusters SET resource_version = resource_version + ?1 WHERE id = 1";
const READ_ROOT =
  "SELECT uid FROM objects WHERE cluster = 1 AND resource = 'configmaps' AND namespace = ?1 AND name = 'd0'";
/** ?1: uids. */
const READ_NAMES = `
SELECT o.uid, o.name FROM json_each(?1) e
CROSS JOIN owner_refs r ON r.cluster = 1 AND r.owner_uid = e.value
CROSS JOIN objects o ON o.uid = r.dependent_uid`;
/** ?1: uids. */
const READ_DEPENDENTS = `
SELECT r.dependent_uid AS uid, r.owner_uid AS owner FROM json_each(?1) e
CROSS JOIN owner_refs r ON r.cluster = 1 AND r.owner_uid = e.value`;

/** All of these take ?1: [uid, owner's uid]. */
const OBJECTS = "json_each(?1) e CROSS JOIN objects o ON o.uid = e.value ->> 0";
const VERSION = "(SELECT resource_version FROM clusters WHERE id = 1) - e.key";
const change = (type: string) => `
INSERT INTO changes (id, type, resource, namespace, name, uid, at, previous, body)
SELECT CAST(1 AS INTEGER) * 1099511627776 + ${VERSION}, '${type}', o.resource, o.namespace, o.name, o.uid, 0,
       o.resource_version, o.body FROM ${OBJECTS}`;
const INSERT_DELETIONS = `
INSERT INTO deletions (cluster, uid, resource, namespace, name, rule, actor, policy, cause, root, began_at, removed_at)
SELECT 1, o.uid, o.resource, o.namespace, o.name, 'bare', '', 'Background', e.value ->> 1, '', 0, 0 FROM ${OBJECTS}`;
const DELETE_LABELS = `
DELETE FROM labels WHERE (cluster, resource, key, value, namespace, name) IN (
  SELECT 1, o.resource, 'bench', 'dependent', o.namespace, o.name FROM ${OBJECTS})`;
const DELETE_OWNER_REFS = `
DELETE FROM owner_refs WHERE (cluster, owner_uid, namespace, dependent_uid, position) IN (
  SELECT 1, e.value ->> 1, ?2, e.value ->> 0, 0 FROM json_each(?1) e)`;
const DELETE_OBJECTS = "DELETE FROM objects WHERE uid IN (SELECT value ->> 0 FROM json_each(?1))";
const RELEASE = `
UPDATE objects SET body = json_remove(body, '$.metadata.ownerReferences'), resource_version = ${VERSION}
FROM json_each(?1) e WHERE objects.uid = e.value ->> 0`;

type Dependent = [uid: string, owner: string | null];

/**
 * What a cascade comes down to when nothing has to be decided, fenced or resumed: find a level, remove it, with the rows
 * that a removal leaves (a change, a cause). The same rows as the real one, and no others.
 */
export class BareGraph {
  readonly #db: D1Database;
  readonly #namespace: string;

  constructor(db: D1Database, namespace: string) {
    this.#db = db;
    this.#namespace = namespace;
  }

  async seed(count: number, fanout: number): Promise<string> {
    const run = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    await this.#db.batch([
      this.#db.prepare(TAKE_VERSIONS).bind(count + 1),
      this.#db.prepare(SEED_OBJECTS).bind(this.#namespace, run, count, fanout),
      this.#db.prepare(SEED_LABELS).bind(this.#namespace),
      this.#db.prepare(SEED_OWNER_REFS).bind(this.#namespace),
    ]);
    return "{}";
  }

  /** The names of all that is below the root, as a list. */
  async dependents(): Promise<string> {
    const found: string[] = [];
    for (let level = [await this.#root()]; level.length > 0; ) {
      const { results } = await this.#db
        .prepare(READ_NAMES)
        .bind(JSON.stringify(level))
        .all<{ uid: string; name: string }>();
      level = results.map(({ uid }) => uid);
      found.push(...results.map((row) => JSON.stringify(row)));
    }
    return `[${found.join(",")}]`;
  }

  async remove(): Promise<string> {
    let level: Dependent[] = [[await this.#root(), null]];
    while (level.length > 0) {
      const next = await this.#dependents(level);
      for (const slice of slices(level)) await this.#removeSlice(slice);
      level = next;
    }
    return "{}";
  }

  /** Takes the owner's references away, then the owner. */
  async release(): Promise<string> {
    const root = await this.#root();
    for (const slice of slices(await this.#dependents([[root, null]]))) {
      const rows = JSON.stringify(slice);
      await this.#db.batch([
        this.#db.prepare(TAKE_VERSIONS).bind(slice.length),
        this.#db.prepare(RELEASE).bind(rows),
        this.#db.prepare(change("MODIFIED")).bind(rows),
        this.#db.prepare(DELETE_OWNER_REFS).bind(rows, this.#namespace),
      ]);
    }
    await this.#removeSlice([[root, null]]);
    return "{}";
  }

  async #removeSlice(slice: readonly Dependent[]): Promise<void> {
    const rows = JSON.stringify(slice);
    await this.#db.batch([
      this.#db.prepare(TAKE_VERSIONS).bind(slice.length),
      this.#db.prepare(change("DELETED")).bind(rows),
      this.#db.prepare(INSERT_DELETIONS).bind(rows),
      this.#db.prepare(DELETE_LABELS).bind(rows),
      this.#db.prepare(DELETE_OWNER_REFS).bind(rows, this.#namespace),
      this.#db.prepare(DELETE_OBJECTS).bind(rows),
    ]);
  }

  async #root(): Promise<string> {
    const row = await this.#db.prepare(READ_ROOT).bind(this.#namespace).first<{ uid: string }>();
    if (row === null) throw new Error(`nothing was seeded in ${this.#namespace}`);
    return row.uid;
  }

  async #dependents(owners: readonly Dependent[]): Promise<Dependent[]> {
    const { results } = await this.#db
      .prepare(READ_DEPENDENTS)
      .bind(JSON.stringify(owners.map(([uid]) => uid)))
      .all<{ uid: string; owner: string }>();
    return results.map(({ uid, owner }) => [uid, owner]);
  }
}

function* slices(rows: readonly Dependent[]): Generator<readonly Dependent[]> {
  for (let at = 0; at < rows.length; at += SLICE) yield rows.slice(at, at + SLICE);
}
