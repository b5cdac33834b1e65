import type { Millis } from "../../objects/object.ts";
import type { Listing, ReportedImage } from "../report/report.ts";
import { type ImageKey, type ImageRecord, type ImageRecords, imageKey } from "./image-record.ts";

export interface Detection {
  /** What is seen first now was first detected then. */
  readonly detectTime: Millis;
  readonly now: Millis;
}

/**
 * The records after a look at a node: what is new is added, what is in use was last used now, what is not there any more
 * is forgotten. A listing that is not complete adds and refreshes, and forgets nothing.
 *
 * Source: kubernetes pkg/kubelet/images/image_gc_manager.go (detectImages).
 */
export function detectImages(
  known: ImageRecords,
  listing: Listing<ReportedImage>,
  isInUse: (image: ReportedImage) => boolean,
  { detectTime, now }: Detection,
): ImageRecords {
  const records = new Map<ImageKey, ImageRecord>(listing.complete ? [] : known);
  for (const image of listing.items) {
    const key = imageKey(image.id, image.runtimeHandler);
    // One image that is listed twice is one record.
    const before = known.get(key);
    const inUse = isInUse(image);
    records.set(key, {
      key,
      id: image.id,
      handler: image.runtimeHandler,
      tags: image.tags,
      digests: image.digests,
      size: image.size,
      pinned: image.pinned,
      firstDetected: before?.firstDetected ?? detectTime,
      lastUsed: inUse ? now : (before?.lastUsed ?? null),
      inUse,
    });
  }
  return records;
}

/**
 * For as long as a node was not heard from nobody knows what its images were used for. Those that were in use before
 * count as used until it came back.
 */
export function usedWhileAway(known: ImageRecords, now: Millis): ImageRecords {
  return new Map(
    [...known].map(([key, record]) => [key, record.inUse ? { ...record, lastUsed: now } : record]),
  );
}
