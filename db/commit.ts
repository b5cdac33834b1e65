import * as sql from "./sql.ts";

/** Everything one batch writes. Plain data: what is in it was decided elsewhere. */
export interface Commit {
  cluster: number;
  namespace: string;
  /** The batch is refused unless the graph object of this epoch still owns the namespace. */
  epoch: number;
  /** Recorded with the batch, so that the outcome of a lost reply can be read back. */
  operation: string;
  now: number;
  /** Set when the batch creates something: the namespace must exist and not be going. */
  requiresOpenNamespace: boolean;
  /** Custom resources of which the batch creates objects: their definitions must exist and not be going. */
  requiresDefinitions: readonly string[];
  /** Owners of other namespaces that must still be in foreground deletion, or the batch is refused as `moved`. */
  stillForeground: readonly string[];
  /** Owners that nobody may name by now, or the batch is refused as `moved`. */
  withoutDependents: readonly string[];
  creates: readonly CreatedRow[];
  updates: readonly UpdatedRow[];
  removals: readonly RemovedRow[];
  /** Objects whose deletion begins without a removal: their cause is recorded now. */
  begun: readonly Cause[];
  /** Owners that became absent or foreground: their dependents are due a look, in every namespace. */
  dependentsDue: readonly string[];
  /** Owners that became `orphan`: their dependents are due for release, in every namespace. */
  releaseDue: readonly string[];
  /** Uids of owners that may have lost their last dependent: due a look if they are being deleted. */
  ownersDue: readonly string[];
  /** Dependents whose owners outside this graph object must still be there at commit time. */
  references: readonly { dependent: string; owner: string }[];
  work: readonly WorkRow[];
  /** Ids of work that is done. */
  done: readonly number[];
  advanced: readonly { id: number; cursor: string }[];
  /** Whether a kind was added, changed or removed. */
  changesKinds: boolean;
}

export interface CreatedRow {
  resource: string;
  name: string;
  uid: string;
  plain: boolean;
  sweepAt: number | null;
  /** Stored body, JSON text. */
  body: string;
  hasLabels: boolean;
  hasOwners: boolean;
}

export interface UpdatedRow {
  uid: string;
  /** The resourceVersion it must still have. */
  expected: number;
  deletion: string | null;
  plain: boolean;
  sweepAt: number | null;
  body: string;
  labelsChanged: boolean;
  ownersChanged: boolean;
}

export interface RemovedRow extends Cause {
  /** The resourceVersion it must still have; null when this batch has just updated it. */
  expected: number | null;
}

export interface Cause {
  uid: string;
  rule: string;
  actor: string;
  policy: string;
  /** The uid whose deletion caused it; null when a request did. */
  cause: string | null;
}

export interface WorkRow {
  namespace: string;
  task: string;
  uid: string;
  stage: number;
  detail: string | null;
  dueAt: number;
}

/** What the batch says back. `versions` gives each written uid's resourceVersion. */
export interface Committed {
  versions: Map<string, number>;
  resourceVersion: number;
  /** Namespaces, other than this one, that have new work. */
  wake: string[];
}

/** An empty commit to be filled. */
export function emptyCommit(at: Pick<Commit, "cluster" | "namespace" | "epoch" | "operation" | "now">): {
  -readonly [K in keyof Commit]: Commit[K] extends readonly (infer T)[] ? T[] : Commit[K];
} {
  return {
    ...at,
    requiresOpenNamespace: false,
    requiresDefinitions: [],
    stillForeground: [],
    withoutDependents: [],
    creates: [],
    updates: [],
    removals: [],
    begun: [],
    dependentsDue: [],
    releaseDue: [],
    ownersDue: [],
    references: [],
    work: [],
    done: [],
    advanced: [],
    changesKinds: false,
  };
}

export type OpenCommit = ReturnType<typeof emptyCommit>;

/**
 * Writes a commit as one batch: all of it or nothing. The order of the statements matters: rows that index a
 * body are removed while the old body is still there and added when the new one is; the causes of removals are
 * recorded while the objects are still there.
 *
 * @throws what D1 throws; `errors.ts` tells what is known afterwards.
 */
export async function writeCommit(db: D1Database, commit: Commit): Promise<Committed> {
  const { cluster, namespace, creates, updates, removals, now } = commit;
  const changed = creates.length + updates.length;
  const taken = changed + removals.length;
  const batch: D1PreparedStatement[] = [];
  const answers = { version: -1, work: [] as number[] };
  const run = (text: string, ...values: (string | number | null)[]) => {
    for (const value of values) if (typeof value === "string") assertFits(value);
    return batch.push(db.prepare(text).bind(...values)) - 1;
  };

  run(sql.GUARD_EPOCH, cluster, namespace, commit.epoch);
  if (commit.requiresOpenNamespace) run(sql.GUARD_OPEN_NAMESPACE, cluster, namespace);
  if (commit.requiresDefinitions.length > 0) {
    run(sql.GUARD_DEFINITIONS, cluster, JSON.stringify([...new Set(commit.requiresDefinitions)]));
  }
  if (commit.stillForeground.length > 0) {
    run(sql.GUARD_STILL_FOREGROUND, cluster, JSON.stringify(commit.stillForeground));
  }
  if (commit.withoutDependents.length > 0) {
    run(sql.GUARD_WITHOUT_DEPENDENTS, cluster, JSON.stringify(commit.withoutDependents));
  }
  const expected = [...updates, ...removals].filter((row) => row.expected !== null);
  if (expected.length > 0) {
    run(sql.GUARD_VERSIONS, JSON.stringify(expected.map((row) => [row.uid, row.expected])));
  }

  answers.version = run(sql.TAKE_VERSIONS, cluster, taken, commit.changesKinds ? 1 : 0);

  if (creates.length > 0) {
    const rows = creates.map(
      (row, i) =>
        `{"r":${JSON.stringify(row.resource)},"n":${JSON.stringify(row.name)},"u":"${row.uid}","k":${i + 1},"p":${Number(row.plain)},"s":${row.sweepAt},"b":${row.body}}`,
    );
    run(sql.INSERT_OBJECTS, cluster, namespace, taken, `[${rows.join(",")}]`);
  }
  if (updates.length > 0) {
    const relabelled = updates.filter((row) => row.labelsChanged).map((row) => row.uid);
    const reowned = updates.filter((row) => row.ownersChanged).map((row) => row.uid);
    if (relabelled.length > 0) run(sql.DELETE_LABELS, JSON.stringify(relabelled));
    if (reowned.length > 0) run(sql.DELETE_OWNER_REFS, JSON.stringify(reowned));
    const rows = updates.map(
      (row, i) =>
        `{"u":"${row.uid}","k":${creates.length + i + 1},"d":${JSON.stringify(row.deletion)},"p":${Number(row.plain)},"s":${row.sweepAt},"b":${row.body}}`,
    );
    run(sql.UPDATE_OBJECTS, cluster, taken, `[${rows.join(",")}]`);
  }
  if (changed > 0) {
    const rows = [
      ...creates.map((row) => [row.uid, "ADDED", null]),
      ...updates.map((row) => [row.uid, "MODIFIED", row.expected]),
    ];
    run(sql.INSERT_CHANGES, cluster, now, JSON.stringify(rows));
  }
  const labelled = [
    ...creates.filter((row) => row.hasLabels),
    ...updates.filter((row) => row.labelsChanged),
  ].map((row) => row.uid);
  if (labelled.length > 0) run(sql.INSERT_LABELS, JSON.stringify(labelled));
  const owned = [
    ...creates.filter((row) => row.hasOwners),
    ...updates.filter((row) => row.ownersChanged),
  ].map((row) => row.uid);
  if (owned.length > 0) run(sql.INSERT_OWNER_REFS, JSON.stringify(owned));

  if (commit.begun.length > 0)
    run(sql.BEGIN_DELETIONS, cluster, now, JSON.stringify(commit.begun.map(cause)));
  if (removals.length > 0) {
    const gone = JSON.stringify(removals.map((row, i) => [...cause(row), changed + i + 1]));
    const uids = JSON.stringify(removals.map((row) => row.uid));
    run(sql.INSERT_DELETED_CHANGES, cluster, now, taken, gone);
    run(sql.CLOSE_DELETIONS, cluster, now, taken, gone);
    answers.work.push(run(sql.WORK_FOR_CONTENT, cluster, namespace, uids));
    answers.work.push(run(sql.WORK_FOR_DEPENDENTS, cluster, uids, "dependents"));
    run(sql.DELETE_LABELS, uids);
    run(sql.DELETE_OWNER_REFS, uids);
    run(sql.DELETE_OBJECTS, uids);
  }
  if (commit.dependentsDue.length > 0) {
    answers.work.push(
      run(sql.WORK_FOR_DEPENDENTS, cluster, JSON.stringify(commit.dependentsDue), "dependents"),
    );
  }
  if (commit.releaseDue.length > 0) {
    answers.work.push(run(sql.WORK_FOR_DEPENDENTS, cluster, JSON.stringify(commit.releaseDue), "release"));
  }
  if (commit.ownersDue.length > 0) {
    answers.work.push(run(sql.WORK_FOR_OWNERS, cluster, JSON.stringify([...new Set(commit.ownersDue)])));
  }
  if (commit.references.length > 0) {
    const rows = commit.references.map((ref) => [ref.dependent, ref.owner]);
    run(sql.WORK_FOR_ABSENT_OWNERS, cluster, namespace, JSON.stringify(rows));
  }
  if (commit.done.length > 0) run(sql.DELETE_WORK, JSON.stringify(commit.done));
  if (commit.advanced.length > 0) {
    run(sql.ADVANCE_WORK, JSON.stringify(commit.advanced.map((row) => [row.id, row.cursor])));
  }
  if (commit.work.length > 0) {
    const rows = commit.work.map((w) => [w.namespace, w.task, w.uid, w.stage, w.detail, w.dueAt]);
    answers.work.push(run(sql.INSERT_WORK, cluster, JSON.stringify(rows)));
  }
  run(sql.RECORD_OPERATION, cluster, namespace, commit.operation);

  const results = await db.batch<{ resource_version?: number; namespace?: string }>(batch);
  const resourceVersion = Number(results[answers.version]?.results[0]?.resource_version);
  const wake = new Set<string>();
  for (const index of answers.work) {
    for (const row of results[index]?.results ?? []) {
      if (row.namespace !== undefined && row.namespace !== namespace) wake.add(row.namespace);
    }
  }
  return { versions: versionsOf(commit, resourceVersion), resourceVersion, wake: [...wake] };
}

/** What a D1 parameter may hold, in bytes. Locally twice as much passes, so nothing but this would show a batch too large. */
const PARAMETER_BYTES = 2_000_000;

function assertFits(parameter: string): void {
  // Three bytes at most for each UTF-16 unit: only long texts have to be counted.
  if (parameter.length * 3 <= PARAMETER_BYTES) return;
  const bytes = new TextEncoder().encode(parameter).length;
  if (bytes > PARAMETER_BYTES) throw new Error(`a parameter of ${bytes} bytes is more than D1 takes`);
}

/** Numbers are given in the order creates, updates, removals; an object updated and removed has the later one. */
export function versionsOf(commit: Commit, resourceVersion: number): Map<string, number> {
  const written = [...commit.creates, ...commit.updates, ...commit.removals];
  const first = resourceVersion - written.length + 1;
  return new Map(written.map((row, i) => [row.uid, first + i]));
}

const cause = (row: Cause) => [row.uid, row.rule, row.actor, row.policy, row.cause];
