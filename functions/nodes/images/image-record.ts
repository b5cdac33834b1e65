import type { Millis } from "../../objects/object.ts";
import type { ImageId } from "../report/report.ts";

/** `id`, or `id,handler` when the runtime keeps the image for a handler of its own. */
export type ImageKey = string & { readonly __brand: "ImageKey" };

/** What is remembered of an image of a node for as long as it is there. */
export interface ImageRecord {
  readonly key: ImageKey;
  readonly id: ImageId;
  /** "" is the default handler. */
  readonly handler: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** Bytes. */
  readonly size: number;
  readonly pinned: boolean;
  /** When it was seen first. Set once. */
  readonly firstDetected: Millis;
  /** When it was last seen in use; null when it never was. */
  readonly lastUsed: Millis | null;
  /** As the latest report has it. */
  readonly inUse: boolean;
}

export type ImageRecords = ReadonlyMap<ImageKey, ImageRecord>;

/** Source: kubernetes pkg/kubelet/images/image_gc_manager.go (getImageTuple). */
export const imageKey = (id: ImageId, handler: string): ImageKey =>
  (handler === "" ? id : `${id},${handler}`) as ImageKey;
