import type { Kind } from "../../objects/kind.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import {
  type KubeObject,
  type Millis,
  type ObjectMeta,
  type OwnerReference,
  timestamp,
  type Uid,
} from "../../objects/object.ts";

/** An object that is to come back: the state it was in last, under the uid it had then. */
export interface Lost {
  kind: Kind;
  object: KubeObject;
}

/** The same as it comes back. */
export interface Relinked extends Lost {
  /** Empty for one that never had any. */
  formerly: string;
}

/** A reference that is left out, since nobody has that uid any more: with it, the object would be collected at once. */
export interface DroppedReference {
  object: KubeObject;
  owner: OwnerReference;
}

/**
 * Gives objects that come back together new uids, and their references the new uids of those they name. References to
 * others stay when the others are there, and are left out when they are not.
 *
 * Invariant: a uid that is gone never returns, and no reference that comes back names one.
 *
 * @param there which uids, of those that are named and not among the objects, somebody has
 */
export function relink(
  lost: readonly Lost[],
  there: ReadonlySet<string>,
  { now, newUid }: { now: Millis; newUid: () => Uid },
): { objects: Relinked[]; dropped: DroppedReference[] } {
  const uids = new Map<string, Uid>();
  const fresh = lost.map(({ object }) => {
    const uid = newUid();
    const { uid: formerly = "" } = object.metadata as Partial<ObjectMeta>;
    if (formerly !== "") uids.set(formerly, uid);
    return { uid, formerly };
  });
  const dropped: DroppedReference[] = [];
  const objects = lost.map(({ kind, object }, i): Relinked => {
    const references: OwnerReference[] = [];
    for (const owner of object.metadata.ownerReferences ?? []) {
      const uid = uids.get(owner.uid);
      if (uid !== undefined) references.push({ ...owner, uid });
      else if (there.has(owner.uid)) references.push(owner);
      else dropped.push({ object, owner });
    }
    const { uid, formerly } = fresh[i] ?? { uid: newUid(), formerly: "" };
    const metadata = metadataOf(object.metadata, references, uid, now);
    return { kind, formerly, object: reopened({ ...object, metadata }, kind) };
  });
  return { objects, dropped };
}

/** The uids that are named as owners by objects that come back, and belong to none of them. */
export function outsideOwners(lost: readonly Lost[]): string[] {
  const own = new Set(lost.map(({ object }) => object.metadata.uid));
  const named = lost.flatMap(({ object }) => (object.metadata.ownerReferences ?? []).map(({ uid }) => uid));
  return [...new Set(named)].filter((uid) => !own.has(uid));
}

/** As of an object that has just been made; nothing of its end is left. */
function metadataOf(
  { deletionTimestamp: _, deletionGracePeriodSeconds: __, resourceVersion: ___, ...kept }: ObjectMeta,
  ownerReferences: OwnerReference[],
  uid: Uid,
  now: Millis,
): ObjectMeta {
  const { finalizers, ownerReferences: ____, ...rest } = kept;
  const foreign = (finalizers ?? []).filter(
    (name) => name !== FINALIZER_FOREGROUND && name !== FINALIZER_ORPHAN,
  );
  return {
    ...rest,
    uid,
    creationTimestamp: timestamp(now),
    ...(ownerReferences.length > 0 ? { ownerReferences } : {}),
    ...(foreign.length > 0 ? { finalizers: foreign } : {}),
  };
}

/** A Namespace that comes back takes objects again. Source: kubernetes registry/core/namespace/strategy.go. */
function reopened(object: KubeObject, kind: Kind): KubeObject {
  if (kind.traits.deletion !== "namespace") return object;
  return { ...object, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
}
