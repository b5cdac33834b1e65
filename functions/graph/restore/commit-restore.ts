import { type GroupRow, type OwnerRow, READ_GROUP, READ_OWNERS } from "../../../db/reads.ts";
import { READ_TAKEN } from "../../../db/restore.ts";
import { deletionOf } from "../../objects/deletion.ts";
import { type Failure, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import { type GroupResource, groupResource, type KubeObject, type Uid } from "../../objects/object.ts";
import { type OwnerFacts, uidsOf } from "../decide/classify.ts";
import type { GraphStore } from "../graph-store.ts";
import type { GroupResult } from "../group.ts";
import type { KindsCache } from "../kinds-cache.ts";
import { planWrite } from "../plan.ts";
import type { RestoreReply, RestoreRequest } from "./restore-request.ts";

const ATTEMPTS = 4;
/** Names in one refusal. */
const MOST_NAMED = 10;

interface Restored {
  kind: Kind;
  object: KubeObject;
}

/**
 * Brings objects back into this namespace in one batch: all of them or none. Errors: Conflict, with the names that are
 * taken; NotFound and Forbidden for the namespace; TooManyRequests when the store is busy.
 */
export async function commitRestore(
  { restore, dryRun }: RestoreRequest,
  store: GraphStore,
  kindsCache: KindsCache,
): Promise<{ reply: RestoreReply; committed?: GroupResult["committed"] }> {
  const objects = restore.map(
    ({ kind, body }): Restored => ({ kind, object: JSON.parse(body) as KubeObject }),
  );
  const [first] = objects;
  if (first === undefined) return { reply: { ok: true, resourceVersion: 0 } };
  if (!(await store.holds())) return { reply: { ok: false, failure: noNamespace(store) } };
  for (let attempt = 1; ; attempt++) {
    await store.hold();
    const view = await readView(objects, first, store);
    if (!view.ok) return { reply: view };
    if (dryRun) return { reply: { ok: true, resourceVersion: 0 } };
    const kinds = await kindsCache.at(view.value.kindsVersion, store.db, store.cluster);
    const commit = await store.begin();
    commit.requiresOpenNamespace = store.namespace !== "";
    for (const { kind, object } of objects) {
      if (kind.traits.custom) commit.requiresDefinitions.push(kind.storedAs);
      planWrite(commit, { op: "create", kind, object }, undefined, {
        namespace: store.namespace,
        kinds,
        ownerOf: (uid) => view.value.owners.get(uid),
      });
    }
    commit.requiresDefinitions = [...new Set(commit.requiresDefinitions)];
    const outcome = await store.commit(commit);
    if (outcome.ok) {
      const { resourceVersion, wake, next } = outcome.committed;
      return {
        reply: { ok: true, resourceVersion },
        committed: { resourceVersion, wake, next, leavesWork: commit.work.length > 0 },
      };
    }
    if (outcome.again === "overloaded" || attempt === ATTEMPTS) {
      const message = "the store is busy, please try again";
      return { reply: { ok: false, failure: { reason: "TooManyRequests", message, retryAfterSeconds: 1 } } };
    }
  }
}

interface View {
  kindsVersion: number;
  owners: ReadonlyMap<Uid, OwnerFacts>;
}

async function readView(
  objects: readonly Restored[],
  first: Restored,
  store: GraphStore,
): Promise<Outcome<View>> {
  const { db, cluster, namespace } = store;
  const places = objects.map(({ kind, object }) => [kind.storedAs, object.metadata.name]);
  const named = [...new Set(objects.flatMap(({ object }) => uidsOf(object.metadata.ownerReferences)))];
  const [group, taken, owners] = await db.batch([
    db.prepare(READ_GROUP).bind(cluster, namespace, JSON.stringify(places.slice(0, 1))),
    db.prepare(READ_TAKEN).bind(cluster, namespace, JSON.stringify(places)),
    db.prepare(READ_OWNERS).bind(cluster, JSON.stringify(named)),
  ]);
  const state = group?.results[0] as GroupRow | undefined;
  if (state === undefined) throw new Error(`cluster ${cluster} is not there`);
  if (namespace !== "" && state.namespace_uid === null) return refuse(noNamespace(store));
  if (namespace !== "" && state.namespace_deletion !== null) {
    const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
    return refuse({
      reason: "Forbidden",
      resource: resourceOf(first.kind),
      name: first.object.metadata.name,
      message,
    });
  }
  const conflicts = (taken?.results ?? []) as { place: number }[];
  if (conflicts.length > 0)
    return refuse(
      namesTaken(
        objects,
        conflicts.map(({ place }) => place),
      ),
    );
  return ok({
    kindsVersion: state.kinds_version,
    owners: ownersAmong(objects, (owners?.results ?? []) as OwnerRow[]),
  });
}

/** Owners that are there, and those that come back in the same batch. */
function ownersAmong(objects: readonly Restored[], there: readonly OwnerRow[]): ReadonlyMap<Uid, OwnerFacts> {
  const owners = new Map<Uid, OwnerFacts>();
  for (const { uid, resource, namespace, name, deletion } of there) {
    owners.set(uid as Uid, {
      resource: resource as GroupResource,
      namespace,
      name,
      deletion: deletion as OwnerFacts["deletion"],
    });
  }
  for (const { kind, object } of objects) {
    const { uid, name, namespace = "" } = object.metadata;
    owners.set(uid as Uid, {
      resource: kind.storedAs,
      namespace,
      name,
      deletion: deletionOf(object.metadata),
    });
  }
  return owners;
}

const noNamespace = ({ namespace }: GraphStore): Failure => ({
  reason: "NotFound",
  resource: "namespaces" as GroupResource,
  name: namespace,
});

function namesTaken(objects: readonly Restored[], places: readonly number[]): Failure {
  const titles = places.flatMap((place) => {
    const found = objects[place];
    if (found === undefined) return [];
    const { name, namespace } = found.object.metadata;
    return [`${found.kind.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`];
  });
  const more = titles.length > MOST_NAMED ? ` and ${titles.length - MOST_NAMED} more` : "";
  const first = objects[places[0] ?? 0];
  return {
    reason: "Conflict",
    subject: first ? resourceOf(first.kind) : groupResource("", "objects"),
    name: first?.object.metadata.name ?? "",
    message: `these names are taken, and nothing was written: ${titles.slice(0, MOST_NAMED).join(", ")}${more}`,
  };
}
