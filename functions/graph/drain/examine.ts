import {
  type ExaminedRow,
  READ_DEPENDENTS,
  READ_EXAMINED,
  READ_FOREGROUND_DEPENDENTS,
  READ_REFERENCES,
  READ_REMOVED,
  type WorkItemRow,
} from "../../../db/reads.ts";
import type { Deletion } from "../../objects/deletion.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asUid, type GroupResource, type Uid } from "../../objects/object.ts";
import type { OwnerFacts, ReferenceFacts } from "../decide/classify.ts";
import { type CollectDecision, decideCollect } from "../decide/collect.ts";
import type { GraphStore } from "../graph-store.ts";
import { isCollected } from "../plan.ts";
import type { SliceContext } from "../slice.ts";
import { GARBAGE_COLLECTOR } from "./actors.ts";
import { fitting, LARGE_BYTES, SLICE_OBJECTS } from "./budget.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";
import { planTargets, type Target } from "./plan-deletions.ts";

type ReferencingRow = ExaminedRow & Apart;

/** What is read apart of large objects. */
interface Apart {
  owners: string;
  labels: string;
}

/** Examines the dependents of owners that are absent or in foreground deletion, in the order of their uids. */
export async function examineDependents(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const owners = items.map((item) => [item.id, item.uid, item.cursor, item.detail === "blocking" ? 1 : 0]);
  const { results } = await store.db
    .prepare(READ_DEPENDENTS)
    .bind(store.cluster, store.namespace, JSON.stringify(owners), SLICE_OBJECTS)
    .all<ExaminedRow>();
  const rows = await withReferences(results, store);
  return examine(rows, items, results.length === SLICE_OBJECTS || rows.length < results.length, context);
}

/** Examines single objects: those whose reference names an owner that is not where it is claimed to be. */
export async function examineObjects(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const { results } = await store.db
    .prepare(READ_EXAMINED)
    .bind(store.cluster, store.namespace, JSON.stringify(items.map((item) => [item.id, item.uid])))
    .all<ExaminedRow>();
  const rows = await withReferences(results, store);
  // Those from the first that was left out have not been looked at.
  const left = results[rows.length]?.work;
  const taken =
    left === undefined
      ? items
      : items.slice(
          0,
          items.findIndex((item) => item.id === left),
        );
  return examine(rows, taken, false, context);
}

/** The first rows, with the references of the large ones, as many of those as one slice looks into. One always comes. */
async function withReferences(rows: readonly ExaminedRow[], store: GraphStore): Promise<ReferencingRow[]> {
  const large: string[] = [];
  let bytes = 0;
  let taken = 0;
  for (const row of rows) {
    if (row.owners === null) {
      bytes += row.size;
      if (bytes > LARGE_BYTES && large.length > 0) break;
      large.push(row.uid);
    }
    taken++;
  }
  const found = await readReferences(large, store);
  return rows.slice(0, taken).map((row) => withApart(row, found));
}

/** One that has gone meanwhile gets what nothing has: the batch compares its version. */
export function withApart(row: ExaminedRow, found: ReadonlyMap<string, Apart>): ReferencingRow {
  const { owners = "[]", labels = "{}" } = found.get(row.uid) ?? {};
  return { ...row, owners: row.owners ?? owners, labels: row.labels ?? labels };
}

export async function readReferences(
  uids: readonly string[],
  store: GraphStore,
): Promise<Map<string, Apart>> {
  if (uids.length === 0) return new Map();
  const { results } = await store.db
    .prepare(READ_REFERENCES)
    .bind(store.cluster, JSON.stringify(uids))
    .all<Apart & { uid: string }>();
  return new Map(results.map((row) => [row.uid, row]));
}

/**
 * @param truncated whether the last row's task has more objects than were read
 */
async function examine(
  rows: ReferencingRow[],
  items: WorkItemRow[],
  truncated: boolean,
  context: SliceContext,
): Promise<Slice> {
  const { store } = context;
  const kinds = await currentKinds(context);
  const decided = await decideAll(rows, store, kinds);
  const taken = fitting(decided.map((entry) => entry.target));
  const commit = await store.begin();

  const seen = new Set<Uid>();
  const targets: Target[] = [];
  for (const { target, waitingFor } of decided.slice(0, taken)) {
    // Two tasks may lead to the same object; the first one is its cause.
    if (target === undefined || seen.has(target.uid)) continue;
    seen.add(target.uid);
    targets.push(target);
    commit.stillForeground.push(...waitingFor);
  }
  commit.stillForeground = [...new Set(commit.stillForeground)];
  await planTargets(commit, targets, store, kinds);

  const rest = rows[taken];
  const last = rows[taken - 1];
  const unfinished = rest?.work ?? (truncated ? last?.work : undefined);
  for (const item of items) {
    if (item.id === unfinished) {
      if (last?.work === item.id) commit.advanced.push({ id: item.id, cursor: last.uid });
      // Those that follow have not been looked at.
      break;
    }
    commit.done.push(item.id);
  }
  return commitSlice(store, commit);
}

interface Examined {
  target: Target | undefined;
  waitingFor: readonly Uid[];
}

async function decideAll(
  rows: ReferencingRow[],
  store: GraphStore,
  kinds: KindRegistry,
): Promise<Examined[]> {
  const references = rows.map(referencesOf);
  const removed = await removedOwners(references, store, kinds);
  const decisions = rows.map((row, i): CollectDecision => {
    const kind = kinds.byStore(row.resource as GroupResource);
    if (kind && !isCollected(kind)) return { act: "keep" };
    return decideCollect(
      {
        uid: asUid(row.uid),
        namespace: store.namespace,
        deletion: row.deletion as Deletion | null,
        references: (references[i] ?? []).map((facts) => ({
          ...facts,
          removed: removed.get(asUid(facts.reference.uid)),
        })),
        hasDependents: row.has_dependents === 1,
      },
      kinds,
    );
  });
  const inCycle = await foregroundDependents(rows, decisions, store);
  return rows.map((row, i) => examined(row, references[i] ?? [], decisions[i], inCycle));
}

function examined(
  row: ReferencingRow,
  references: readonly ReferenceFacts[],
  decision: CollectDecision | undefined,
  inCycle: ReadonlySet<string>,
): Examined {
  if (decision === undefined || decision.act === "keep") return { target: undefined, waitingFor: [] };
  const found = {
    uid: asUid(row.uid),
    resource: row.resource as GroupResource,
    resourceVersion: row.resource_version,
    plain: row.plain === 1,
    size: row.size,
    name: row.name,
    labels: row.labels,
    owners: references.map(({ reference }) => reference.uid),
  };
  if (decision.act === "release") return { target: { ...found, action: decision }, waitingFor: [] };
  const { policy, rule, cause, waitingFor } = decision;
  const unblock = policy === "Foreground" && inCycle.has(row.uid);
  return {
    target: { ...found, action: { act: "delete", policy, rule, cause, unblock, actor: GARBAGE_COLLECTOR } },
    waitingFor,
  };
}

type OwnerColumns = [
  string,
  string,
  string,
  string,
  number,
  string | null,
  string | null,
  string | null,
  string | null,
];

export function referencesOf(row: ReferencingRow): ReferenceFacts[] {
  return (JSON.parse(row.owners) as OwnerColumns[]).map(
    ([apiVersion, kind, name, uid, blocking, resource, namespace, ownerName, deletion]) => ({
      reference: { apiVersion, kind, name, uid, blockOwnerDeletion: blocking === 1 },
      owner:
        resource === null || namespace === null || ownerName === null
          ? undefined
          : ({ resource, namespace, name: ownerName, deletion } as OwnerFacts),
    }),
  );
}

/** Only for references whose kind is not served: an owner may have gone together with its kind. */
export async function removedOwners(
  references: readonly (readonly ReferenceFacts[])[],
  store: GraphStore,
  kinds: KindRegistry,
): Promise<Map<Uid, { resource: GroupResource; name: string }>> {
  const unknown = new Set<string>();
  for (const { reference, owner } of references.flat()) {
    if (!owner && !kinds.claimed(reference.apiVersion, reference.kind)) unknown.add(reference.uid);
  }
  if (unknown.size === 0) return new Map();
  const { results } = await store.db
    .prepare(READ_REMOVED)
    .bind(store.cluster, JSON.stringify([...unknown]))
    .all<{ uid: string; resource: string; name: string }>();
  return new Map(
    results.map((row) => [asUid(row.uid), { resource: row.resource as GroupResource, name: row.name }]),
  );
}

/** Of those to be deleted in the foreground, the ones with a dependent that is itself waiting: a cycle closes. */
async function foregroundDependents(
  rows: readonly ReferencingRow[],
  decisions: readonly CollectDecision[],
  store: GraphStore,
): Promise<Set<string>> {
  const uids = rows
    .filter((_, i) => {
      const decision = decisions[i];
      return decision?.act === "delete" && decision.policy === "Foreground";
    })
    .map((row) => row.uid);
  if (uids.length === 0) return new Set();
  const { results } = await store.db
    .prepare(READ_FOREGROUND_DEPENDENTS)
    .bind(store.cluster, JSON.stringify(uids))
    .all<{ uid: string }>();
  return new Set(results.map((row) => row.uid));
}
