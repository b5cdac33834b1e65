import { type KubeObject, type Millis, timestamp } from "../../objects/object.ts";

/**
 * Sets the deletion mark with grace 0. A mark that lies in the future is pulled to now; one that is there
 * already stays, and the generation with it.
 */
export function marked(object: KubeObject, now: Millis): KubeObject {
  const { deletionTimestamp, generation } = object.metadata;
  const time = timestamp(now);
  if (deletionTimestamp !== undefined) {
    // Both print in the same form, so that the texts compare as the times do.
    const lapsed = deletionTimestamp.localeCompare(time) <= 0;
    return withMetadata(object, {
      deletionTimestamp: lapsed ? deletionTimestamp : time,
      deletionGracePeriodSeconds: 0,
    });
  }
  return withMetadata(object, {
    deletionTimestamp: time,
    deletionGracePeriodSeconds: 0,
    ...(generation !== undefined && generation > 0 ? { generation: generation + 1 } : {}),
  });
}

export function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  if (finalizers.length > 0) return withMetadata(object, { finalizers: [...finalizers] });
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function withMetadata(object: KubeObject, fields: Partial<KubeObject["metadata"]>): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...fields } };
}
