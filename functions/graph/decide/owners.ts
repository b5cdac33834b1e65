import type { KubeObject, Uid } from "../../objects/object.ts";
import { withMetadata } from "./mark.ts";

/** Takes out the references to these owners: all with their uids, whatever else they say. */
export function withoutOwners(object: KubeObject, owners: readonly Uid[]): KubeObject {
  const kept = (object.metadata.ownerReferences ?? []).filter(
    (reference) => !owners.includes(reference.uid as Uid),
  );
  if (kept.length > 0) return withMetadata(object, { ownerReferences: kept });
  const { ownerReferences: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Makes its references block no owner any more. */
export function unblocked(object: KubeObject): KubeObject {
  return withMetadata(object, {
    ownerReferences: (object.metadata.ownerReferences ?? []).map((reference) =>
      reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference,
    ),
  });
}
