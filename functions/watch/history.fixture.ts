import { emptyCommit, writeCommit } from "../../db/commit.ts";
import { toStoredBody } from "../objects/stored-body.ts";

/** One write to a ConfigMap of one of the cluster's namespaces. */
export interface HistoryWrite {
  type: "ADDED" | "MODIFIED" | "DELETED";
  name: string;
  labels?: Record<string, string>;
  text?: string;
}

/** By namespace and name, as `team/a`. */
type State = Map<string, { uid: string; version: number; text: string; labels: Record<string, string> }>;

/**
 * A cluster whose ConfigMaps are written by real commits, on a clock that the test sets, and which remembers the state
 * at every resourceVersion.
 */
export class History {
  readonly #db: D1Database;
  cluster = 0;
  now = 0;
  version = 0;
  readonly #live: State = new Map();
  readonly #states = new Map<number, State>();

  constructor(db: D1Database) {
    this.#db = db;
  }

  async begin(): Promise<this> {
    const row = await this.#db
      .prepare("INSERT INTO clusters (name, created_at) VALUES (?1, 0) RETURNING id")
      .bind(crypto.randomUUID())
      .first<{ id: number }>();
    this.cluster = row?.id ?? 0;
    this.#states.set(0, new Map());
    return this;
  }

  /** Commits writes to one namespace as one batch. Each takes the next resourceVersion, removals last. */
  async write(namespace: string, ...writes: HistoryWrite[]): Promise<void> {
    const { cluster, now } = this;
    await this.#db
      .prepare("INSERT OR IGNORE INTO namespaces_owner (cluster, namespace, epoch) VALUES (?1, ?2, 1)")
      .bind(cluster, namespace)
      .run();
    const commit = emptyCommit({ cluster, namespace, epoch: 1, operation: crypto.randomUUID(), now });
    const rows = { creates: commit.creates, updates: commit.updates, removals: commit.removals };
    for (const { type, name, text = "", labels = {} } of writes) {
      const key = `${namespace}/${name}`;
      const known = this.#live.get(key);
      const uid = known?.uid ?? crypto.randomUUID();
      const body = toStoredBody({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace, uid, labels },
        data: { text },
      } as never);
      const written = { uid, plain: true, sweepAt: null, body };
      if (type === "ADDED") {
        rows.creates.push({ ...written, resource: "configmaps", name, hasLabels: true, hasOwners: false });
      } else if (type === "MODIFIED") {
        const expected = known?.version ?? 0;
        rows.updates.push({
          ...written,
          expected,
          deletion: null,
          labelsChanged: true,
          ownersChanged: false,
        });
      } else {
        const cause = { rule: "request", actor: "test", policy: "Background", cause: null };
        rows.removals.push({
          ...cause,
          uid,
          resource: "configmaps",
          name,
          labels: JSON.stringify(known?.labels ?? {}),
          owners: [],
          expected: known?.version ?? 0,
        });
      }
    }
    await writeCommit(this.#db, commit);
    for (const type of ["ADDED", "MODIFIED", "DELETED"]) {
      for (const write of writes) if (write.type === type) this.#remember(namespace, write, rows);
    }
  }

  #remember(
    namespace: string,
    { type, name, text = "", labels = {} }: HistoryWrite,
    rows: { creates: readonly { uid: string; name: string }[] },
  ): void {
    const key = `${namespace}/${name}`;
    this.version++;
    const uid = this.#live.get(key)?.uid ?? rows.creates.find((row) => row.name === name)?.uid ?? "";
    if (type === "DELETED") this.#live.delete(key);
    else this.#live.set(key, { uid, version: this.version, text, labels });
    this.#states.set(this.version, new Map(this.#live));
  }

  exists(namespace: string, name: string): boolean {
    return this.#live.has(`${namespace}/${name}`);
  }

  /** In the order of their keys: `team/a@3 text`. */
  at(version: number, selects: (labels: Record<string, string>, namespace: string) => boolean = () => true) {
    const state = this.#states.get(version);
    if (state === undefined) throw new Error(`nothing is known of version ${version}`);
    return [...state]
      .filter(([key, { labels }]) => selects(labels, key.slice(0, key.indexOf("/"))))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { version, text }]) => `${key}@${version} ${text}`);
  }

  /** The changes that are kept: `ADDED a@1`. */
  async kept(): Promise<string[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT type, name, id & ${2 ** 40 - 1} AS version FROM changes
         WHERE id BETWEEN ?1 * ${2 ** 40} AND (?1 + 1) * ${2 ** 40} ORDER BY id`,
      )
      .bind(this.cluster)
      .all<{ type: string; name: string; version: number }>();
    return results.map(({ type, name, version }) => `${type} ${name}@${version}`);
  }
}
