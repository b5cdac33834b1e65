import { type DeletionRow, READ_DELETION } from "../../../db/deletions.ts";
import {
  COUNT_DEPENDENTS_OF,
  COUNT_GONE,
  type DependentRow,
  READ_BLOCKING_DEPENDENTS_OF,
  READ_DEPENDENTS_OF,
} from "../../../db/explain.ts";
import {
  type ObjectRow,
  type OwnerRow,
  READ_OWNERS,
  READ_REMAINING,
  READ_REMAINING_FINALIZERS,
  type RemainingRow,
} from "../../../db/reads.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { GroupResource, KubeObject, Millis, OwnerReference } from "../../objects/object.ts";
import { classifyReference, type OwnerFacts, type ReferenceClass, uidsOf } from "../decide/classify.ts";
import { contentOrder } from "../drain/content.ts";
import { storedKind } from "../drain/stored-kind.ts";
import { type Preview, previewDelete } from "../preview/preview.ts";
import { readWorld } from "../preview/read-world.ts";
import { type Simulated, simulateOn } from "../preview/simulate.ts";
import { storedObject } from "../stored-object.ts";

/** Dependents that are named one by one; the others are counted. */
export const MOST_DEPENDENTS = 50;

/** What can be told about one object: everything is read, nothing is decided here. */
export interface Explained {
  object: KubeObject;
  resource: GroupResource;
  /** Of its deletion, when that has begun. */
  record: DeletionRow | undefined;
  owners: readonly { reference: OwnerReference; found: ReferenceClass }[];
  dependents: readonly DependentRow[];
  dependentCount: number;
  /** Of a Namespace: what is left in it. */
  content:
    | { resources: readonly RemainingRow[]; finalizers: readonly { finalizer: string; count: number }[] }
    | undefined;
  /** How the rest of it will go, and how much went if it is the root of it all; undefined when it is not terminating, or reaches too much. */
  rest: (Simulated & { gone: number }) | undefined;
  /** What would happen if it were deleted now; undefined when it is going already, or reaches too much. */
  preview: Preview | undefined;
}

interface ExplainContext {
  db: D1Database;
  cluster: number;
  kinds: KindRegistry;
  now: Millis;
}

/** Reads all there is to tell about a stored object. */
export async function explain(row: ObjectRow, context: ExplainContext): Promise<Explained> {
  const { db, cluster, kinds } = context;
  const resource = row.resource as GroupResource;
  const kind = storedKind(resource, kinds);
  const { object, deletion } = storedObject(row, kind, kind.versions[0] ?? "v1");
  const references = object.metadata.ownerReferences ?? [];
  const dependents = deletion === "foreground" ? READ_BLOCKING_DEPENDENTS_OF : READ_DEPENDENTS_OF;
  const [record, owners, named, count] = await db.batch([
    db.prepare(READ_DELETION).bind(cluster, row.uid),
    db.prepare(READ_OWNERS).bind(cluster, JSON.stringify(uidsOf(references))),
    db.prepare(dependents).bind(cluster, row.uid, MOST_DEPENDENTS),
    db.prepare(COUNT_DEPENDENTS_OF).bind(cluster, row.uid),
  ]);
  const found = new Map(
    ((owners?.results ?? []) as OwnerRow[]).map((owner) => [owner.uid, owner as unknown as OwnerFacts]),
  );
  return {
    object,
    resource,
    record: record?.results[0] as DeletionRow | undefined,
    owners: references.map((reference) => ({
      reference,
      found: classifyReference(
        { reference, owner: found.get(reference.uid) },
        object.metadata.namespace ?? "",
        kinds,
      ),
    })),
    dependents: (named?.results ?? []) as DependentRow[],
    dependentCount: (count?.results[0] as { count: number } | undefined)?.count ?? 0,
    content: resource === "namespaces" && deletion !== null ? await contentOf(row.name, context) : undefined,
    rest: deletion === null ? undefined : await restOf(row, context),
    preview: deletion === null ? await previewOf(row, context) : undefined,
  };
}

async function contentOf(
  namespace: string,
  { db, cluster, kinds }: ExplainContext,
): Promise<Explained["content"]> {
  const resources = JSON.stringify(contentOrder(kinds));
  const [counts, finalizers] = await db.batch([
    db.prepare(READ_REMAINING).bind(cluster, namespace, resources),
    db.prepare(READ_REMAINING_FINALIZERS).bind(cluster, namespace, resources),
  ]);
  return {
    resources: (counts?.results ?? []) as RemainingRow[],
    finalizers: (finalizers?.results ?? []) as { finalizer: string; count: number }[],
  };
}

async function restOf(
  { resource, namespace, name, uid }: ObjectRow,
  { db, cluster, kinds, now }: ExplainContext,
): Promise<Explained["rest"]> {
  const place = { resource: resource as GroupResource, namespace, name };
  const [reading, gone] = await Promise.all([
    readWorld(db, cluster, place, kinds),
    db.prepare(COUNT_GONE).bind(cluster, uid).first<{ gone: number }>(),
  ]);
  if (reading.found !== "world") return undefined;
  return { ...simulateOn(reading.world, { kinds, now }), gone: gone?.gone ?? 0 };
}

async function previewOf(
  { resource, namespace, name }: ObjectRow,
  { db, cluster, kinds, now }: ExplainContext,
): Promise<Preview | undefined> {
  const kind = storedKind(resource as GroupResource, kinds);
  const asked = { kind, version: kind.versions[0] ?? "v1", namespace, name, options: { dryRun: true } };
  const found = await previewDelete(db, cluster, asked, { kinds, now });
  return found.ok ? found.value : undefined;
}
