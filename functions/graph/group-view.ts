import {
  type GroupRow,
  type ObjectRow,
  type OwnerRow,
  READ_GROUP,
  READ_OBJECTS,
  READ_OWNERS,
} from "../../db/reads.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../objects/kinds/custom-resource.ts";
import { asUid, type GroupResource, type Uid } from "../objects/object.ts";
import { isSwept } from "../sweeps/sweep-at.ts";
import { type OwnerFacts, uidsOf } from "./decide/classify.ts";
import type { NamespaceState } from "./decide/create.ts";
import type { GraphStore } from "./graph-store.ts";
import type { Decided, Prepared } from "./group-request.ts";
import { BUILT_IN_KINDS, type ClusterKinds, type KindsCache } from "./kinds-cache.ts";
import { writtenObject } from "./write.ts";

/** The most bytes of large bodies that one group brings into memory. */
const LARGE_BYTES = 2_000_000;

/** What a group is decided from: one read, and another when it is about large objects; or none. */
export interface View {
  /** Of its first requests: fewer than there are when their objects are large. */
  rows: GroupRow[];
  kinds: ClusterKinds;
  namespace: NamespaceState;
  owners: Map<Uid, OwnerFacts>;
}

/**
 * What a group of creates is decided from without a read, on the assumption that nothing has their names and that the
 * namespace is open. The batch that writes them checks both, and is refused otherwise. Undefined when a request of the
 * group needs to know more.
 */
export function assumedView(group: readonly Prepared[]): View | undefined {
  if (!group.every(standsAlone)) return undefined;
  return { rows: group.map(() => NOTHING), kinds: BUILT_IN_KINDS, namespace: "open", owners: new Map() };
}

/** A create of a built-in kind that names no owner and will not be refused for what it says. */
function standsAlone({ candidate, request: { kind, dryRun } }: Prepared): boolean {
  if (!candidate?.ok || dryRun || kind.traits.custom || kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS) {
    return false;
  }
  const { errors, object } = candidate.value;
  // When it is swept is a question of the cluster's settings.
  if (isSwept(object, kind)) return false;
  return errors.length === 0 && (object.metadata.ownerReferences ?? []).length === 0;
}

const NOTHING: GroupRow = {
  kinds_version: 0,
  namespace_uid: null,
  namespace_deletion: null,
  resource: null,
  namespace: null,
  name: null,
  uid: null,
  resource_version: null,
  deletion: null,
  plain: null,
  size: null,
  body: null,
};

export async function readGroup(
  group: readonly Prepared[],
  store: GraphStore,
  kindsCache: KindsCache,
): Promise<View> {
  const keys = JSON.stringify(group.map(({ request, name }) => [request.kind.storedAs, name]));
  const named = [
    ...new Set(
      group.flatMap(({ candidate }) =>
        candidate?.ok ? uidsOf(candidate.value.object.metadata.ownerReferences) : [],
      ),
    ),
  ];
  const rows = store.db.prepare(READ_GROUP).bind(store.cluster, store.namespace, keys);
  const results =
    named.length === 0
      ? [await rows.all<GroupRow>()]
      : await store.db.batch<GroupRow | OwnerRow>([
          rows,
          store.db.prepare(READ_OWNERS).bind(store.cluster, JSON.stringify(named)),
        ]);
  const found = (results[0]?.results ?? []) as GroupRow[];
  const first = found[0];
  if (first === undefined) throw new Error(`cluster ${store.cluster} is not there`);
  return {
    rows: await withBodies(found, store),
    kinds: await kindsCache.at(first.kinds_version, store.db, store.cluster),
    namespace:
      first.namespace_uid === null ? "absent" : first.namespace_deletion === null ? "open" : "terminating",
    owners: ownerFacts((results[1]?.results ?? []) as OwnerRow[]),
  };
}

/** The first rows, with the large bodies that were left out, as many as are to be held at once. One always comes. */
async function withBodies(rows: GroupRow[], store: GraphStore): Promise<GroupRow[]> {
  const large: string[] = [];
  let bytes = 0;
  let taken = 0;
  for (const { uid, body, size } of rows) {
    if (uid !== null && body === null) {
      bytes += size ?? 0;
      if (bytes > LARGE_BYTES && large.length > 0) break;
      large.push(uid);
    }
    taken++;
  }
  if (large.length === 0) return rows;
  const { results } = await store.db
    .prepare(READ_OBJECTS)
    .bind(store.cluster, JSON.stringify(large))
    .all<ObjectRow>();
  const found = new Map(results.map((row) => [row.uid, row]));
  return rows.slice(0, taken).map((row) => ({ ...row, ...found.get(row.uid ?? "") }));
}

function ownerFacts(rows: readonly OwnerRow[]): Map<Uid, OwnerFacts> {
  return new Map(
    rows.map((row) => [
      asUid(row.uid),
      {
        resource: row.resource as GroupResource,
        namespace: row.namespace,
        name: row.name,
        deletion: row.deletion as OwnerFacts["deletion"],
      },
    ]),
  );
}

/** Where the owners are that a write names for the first time; those of a POST were looked up with the read. */
export async function ownersOf(
  decided: readonly Decided[],
  view: View,
  store: GraphStore,
): Promise<Map<Uid, OwnerFacts>> {
  const unknown = new Set<Uid>();
  for (const { decision, candidate } of decided) {
    const write = decision.ok ? decision.value.write : undefined;
    const next = write && writtenObject(write);
    if (next === undefined || candidate !== undefined) continue;
    const before = write?.op === "create" ? [] : uidsOf(write?.stored.object.metadata.ownerReferences);
    for (const uid of uidsOf(next.metadata.ownerReferences)) if (!before.includes(uid)) unknown.add(uid);
  }
  if (unknown.size === 0) return view.owners;
  const { results } = await store.db
    .prepare(READ_OWNERS)
    .bind(store.cluster, JSON.stringify([...unknown]))
    .all<OwnerRow>();
  return new Map([...view.owners, ...ownerFacts(results)]);
}
