import { COUNT, COUNT_RECORDED, REMOVED_BUCKET } from "./counters.ts";
import * as sql from "./sql.ts";
import * as sweeps from "./sweeps.ts";

/** Everything one batch writes. Plain data: what is in it was decided elsewhere. */
export interface Commit {
  cluster: number;
  namespace: string;
  /** The batch is refused unless the graph object of this epoch still owns the namespace. */
  epoch: number;
  /** Recorded with the batch, so that the outcome of a lost reply can be read back. */
  operation: string;
  /** The operation of the batch before, without which this one is refused as `stale`; null for the first one of all. */
  after?: string | null;
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
  /** Objects that lose the one owner reference they have, and change in nothing else. */
  released: readonly ReleasedRow[];
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
  /** The same, but a row that waits already keeps its time. */
  workUnlessDue: readonly WorkRow[];
  /** Ids of work that is done. */
  done: readonly number[];
  advanced: readonly { id: number; cursor: string }[];
  /** What a sweep has to look at because of what the removals take away. */
  madeDue: readonly ("volumes" | "claims" | "storage-versions")[];
  /** Objects that a sweep looked at and did not write: when it has to look again. */
  looked: readonly LookedRow[];
  /** What runs of sweeps have done, and counts of it. */
  runs: readonly RunRow[];
  totals: readonly TotalRow[];
  /** Added to the counters, besides the objects and deletions, which are counted anyway. */
  counts: readonly CountRow[];
  /** Whether a kind, or the settings of the sweeps, were added, changed or removed. */
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

export interface ReleasedRow {
  uid: string;
  /** Whom it names. */
  owner: string;
  /** The resourceVersion it must still have. */
  expected: number;
}

/** With what it is found by: the rows of its indexes are removed without a look at its body. */
export interface RemovedRow extends Cause {
  resource: string;
  name: string;
  /** JSON text of the labels it has. */
  labels: string;
  /** The uids that it names as owners, in their order. */
  owners: readonly string[];
  /** The resourceVersion it must still have; null when this batch has just updated it. */
  expected: number | null;
}

export interface Cause {
  uid: string;
  rule: string;
  /** Empty for the removal of an object whose deletion began before: then its record says all of it. */
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

export interface LookedRow {
  uid: string;
  /** The resourceVersion it had; when it has another one meanwhile, its moment was computed anew. */
  expected: number;
  sweepAt: number | null;
}

/** What is added to a row of `sweep_runs`; the row is made when there is none. */
export interface RunRow {
  name: string;
  sweep: string;
  cause: string;
  dryRun: boolean;
  pending: number;
  found: number;
  deleted: number;
  patched: number;
  skipped: number;
  reported: number;
  failed: number;
  deletedObjects: readonly object[];
  skippedObjects: readonly object[];
  message: string;
}

export type CountRow = readonly [
  name: "objects" | "deletions" | "removed" | "job-ttl",
  label: string,
  more: number,
];

export interface TotalRow {
  sweep: string;
  rule: string;
  deleted: number;
  failed: number;
}

/** What the batch says back. `versions` gives each written uid's resourceVersion. */
export interface Committed {
  versions: Map<string, number>;
  resourceVersion: number;
  /** Namespaces, other than this one, that have new work. */
  wake: string[];
  /** The earliest moment, as far as the batch knows, at which this namespace has something to do that is not due yet. */
  next: number | null;
}

/** An empty commit to be filled. */
export function emptyCommit(
  at: Pick<Commit, "cluster" | "namespace" | "epoch" | "operation" | "after" | "now">,
): {
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
    released: [],
    removals: [],
    begun: [],
    dependentsDue: [],
    releaseDue: [],
    ownersDue: [],
    references: [],
    work: [],
    workUnlessDue: [],
    done: [],
    advanced: [],
    madeDue: [],
    looked: [],
    runs: [],
    totals: [],
    counts: [],
    changesKinds: false,
  };
}

export type OpenCommit = ReturnType<typeof emptyCommit>;

/**
 * Writes a commit as one batch: all of it or nothing. The order of the statements matters: rows that index the body of
 * an update are removed while the old body is still there and added when the new one is; changes of removals are
 * recorded while the objects are still there.
 *
 * @throws what D1 throws; `errors.ts` tells what is known afterwards.
 */
export async function writeCommit(db: D1Database, commit: Commit): Promise<Committed> {
  const { cluster, namespace, creates, updates, released, removals, now } = commit;
  const changed = creates.length + updates.length + released.length;
  const taken = changed + removals.length;
  const batch: D1PreparedStatement[] = [];
  const answers = { version: -1, work: [] as number[] };
  const run = (text: string, ...values: (string | number | null)[]) => {
    for (const value of values) if (typeof value === "string") assertFits(value);
    return batch.push(db.prepare(text).bind(...values)) - 1;
  };

  const { epoch, after } = commit;
  run(sql.GUARD_EPOCH, cluster, namespace, epoch, after ?? null, after === undefined ? 0 : 1);
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
  const expected = [...updates, ...released, ...removals].filter((row) => row.expected !== null);
  if (expected.length > 0) {
    run(sql.GUARD_VERSIONS, JSON.stringify(expected.map((row) => [row.uid, row.expected])));
  }

  answers.version = run(sql.TAKE_VERSIONS, cluster, taken, commit.changesKinds ? 1 : 0);

  if (creates.length > 0) {
    const rows = creates.map(
      (row, i) =>
        `{"r":${JSON.stringify(row.resource)},"n":${JSON.stringify(row.name)},"u":"${row.uid}","k":${i + 1},"p":${Number(row.plain)},"s":${row.sweepAt},"b":${row.body}}`,
    );
    for (const part of parameters(rows)) run(sql.INSERT_OBJECTS, cluster, namespace, taken, part);
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
  if (released.length > 0) {
    const first = creates.length + updates.length + 1;
    const rows = JSON.stringify(released.map(({ uid, owner }, i) => [uid, owner, first + i]));
    run(sql.RELEASE_OBJECTS, cluster, taken, rows);
    run(sql.DELETE_SOLE_OWNER_REFS, cluster, namespace, rows);
  }
  if (changed > 0) {
    const rows = [
      ...creates.map((row) => [row.uid, "ADDED", null]),
      ...[...updates, ...released].map((row) => [row.uid, "MODIFIED", row.expected]),
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
    const gone = JSON.stringify(
      removals.map((row, i) => [...cause(row), changed + i + 1, row.resource, row.name]),
    );
    const uids = JSON.stringify(removals.map((row) => row.uid));
    run(sql.INSERT_DELETED_CHANGES, cluster, now, taken, gone);
    run(sql.CLOSE_DELETIONS, cluster, now, taken, gone, namespace);
    const recorded = removals.filter(({ actor }) => actor === "").map(({ uid }) => uid);
    if (recorded.length > 0) run(COUNT_RECORDED, cluster, JSON.stringify(recorded));
    const resources = JSON.stringify([...new Set(removals.map(({ resource }) => resource))]);
    answers.work.push(run(sql.WORK_FOR_CONTENT, cluster, namespace, resources));
    answers.work.push(run(sql.WORK_FOR_DEPENDENTS, cluster, uids, "dependents"));
    for (const what of commit.madeDue) {
      answers.work.push(run(sweeps.MADE_DUE[what], cluster, uids, namespace));
    }
    const labels = removals
      .filter((row) => row.labels !== "{}")
      .map((row) => `[${JSON.stringify(row.resource)},${JSON.stringify(row.name)},${row.labels}]`);
    if (labels.length > 0) {
      for (const part of parameters(labels)) run(sql.DELETE_REMOVED_LABELS, cluster, namespace, part);
    }
    const references = removals.flatMap(({ uid, owners }) =>
      owners.map((owner, position) => JSON.stringify([owner, uid, position])),
    );
    if (references.length > 0) {
      for (const part of parameters(references)) run(sql.DELETE_REMOVED_OWNER_REFS, cluster, namespace, part);
    }
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
    answers.work.push(run(sql.INSERT_WORK, cluster, JSON.stringify(commit.work.map(workValues))));
  }
  if (commit.workUnlessDue.length > 0) {
    answers.work.push(
      run(sql.INSERT_WORK_UNLESS_DUE, cluster, JSON.stringify(commit.workUnlessDue.map(workValues))),
    );
  }
  if (commit.looked.length > 0) {
    run(sweeps.LOOKED, JSON.stringify(commit.looked.map((row) => [row.uid, row.expected, row.sweepAt])));
  }
  if (commit.runs.length > 0) run(sweeps.ADD_TO_RUNS, cluster, now, JSON.stringify(commit.runs));
  if (commit.totals.length > 0) {
    run(sweeps.ADD_TO_TOTALS, cluster, namespace, JSON.stringify(commit.totals));
  }
  const counts = [...countsOf(creates, removals), ...removedAt(removals.length, now), ...commit.counts];
  if (counts.length > 0) run(COUNT, cluster, JSON.stringify(counts));
  run(sql.RECORD_OPERATION, cluster, namespace, commit.operation);

  const results = await db.batch<{ resource_version?: number; namespace?: string }>(batch);
  const resourceVersion = Number(results[answers.version]?.results[0]?.resource_version);
  const wake = new Set<string>();
  for (const index of answers.work) {
    for (const row of results[index]?.results ?? []) {
      if (row.namespace !== undefined && row.namespace !== namespace) wake.add(row.namespace);
    }
  }
  return {
    versions: versionsOf(commit, resourceVersion),
    resourceVersion,
    wake: [...wake],
    next: nextOf(commit),
  };
}

/** Objects by resource, and deletions by rule but for those whose record has to be asked. */
function countsOf(creates: readonly CreatedRow[], removals: readonly RemovedRow[]): CountRow[] {
  const objects = new Map<string, number>();
  const deletions = new Map<string, number>();
  const add = (counts: Map<string, number>, label: string, more: number) =>
    counts.set(label, (counts.get(label) ?? 0) + more);
  for (const { resource } of creates) add(objects, resource, 1);
  for (const { resource, rule, actor } of removals) {
    add(objects, resource, -1);
    if (actor !== "") add(deletions, rule, 1);
  }
  const rows = (name: CountRow[0], counts: Map<string, number>) =>
    [...counts].map(([label, more]): CountRow => [name, label, more]);
  return [...rows("objects", objects), ...rows("deletions", deletions)];
}

/** How much goes when, for those who limit it: by the moment, in ten minutes. */
const removedAt = (removals: number, now: number): CountRow[] =>
  removals === 0 ? [] : [["removed", String(Math.floor(now / REMOVED_BUCKET)), removals]];

const workValues = (w: WorkRow) => [w.namespace, w.task, w.uid, w.stage, w.detail, w.dueAt];

/** The earliest of the moments that a commit writes for its own namespace; what is due already is not among the work. */
export function nextOf(commit: Commit): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const { sweepAt } of [...commit.creates, ...commit.updates, ...commit.looked]) {
    if (sweepAt !== null && sweepAt < next) next = sweepAt;
  }
  for (const { namespace, dueAt } of [...commit.work, ...commit.workUnlessDue]) {
    if (namespace === commit.namespace && dueAt > 0 && dueAt < next) next = dueAt;
  }
  return next === Number.POSITIVE_INFINITY ? null : next;
}

/** What a D1 parameter may hold, in bytes. Locally twice as much passes, so nothing but this would show a batch too large. */
const PARAMETER_BYTES = 2_000_000;

/** The rows as JSON lists, as few as hold them all. */
function parameters(rows: readonly string[]): string[] {
  const length = rows.reduce((sum, row) => sum + row.length + 1, 2);
  if (length * 3 <= PARAMETER_BYTES) return [`[${rows.join(",")}]`];
  const encoder = new TextEncoder();
  const parts: string[][] = [];
  let left = 0;
  for (const row of rows) {
    const bytes = encoder.encode(row).length + 1;
    if (bytes > left || parts.length === 0) {
      parts.push([]);
      left = PARAMETER_BYTES - 2;
    }
    parts.at(-1)?.push(row);
    left -= bytes;
  }
  return parts.map((part) => `[${part.join(",")}]`);
}

function assertFits(parameter: string): void {
  // Three bytes at most for each UTF-16 unit: only long texts have to be counted.
  if (parameter.length * 3 <= PARAMETER_BYTES) return;
  const bytes = new TextEncoder().encode(parameter).length;
  if (bytes > PARAMETER_BYTES) throw new Error(`a parameter of ${bytes} bytes is more than D1 takes`);
}

/** Numbers are given in the order creates, updates, released, removals; an object updated and removed has the later one. */
export function versionsOf(commit: Commit, resourceVersion: number): Map<string, number> {
  const written = [...commit.creates, ...commit.updates, ...commit.released, ...commit.removals];
  const first = resourceVersion - written.length + 1;
  return new Map(written.map((row, i) => [row.uid, first + i]));
}

const cause = (row: Cause) => [row.uid, row.rule, row.actor, row.policy, row.cause];
