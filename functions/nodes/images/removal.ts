import type { ImageRemoval, RemovalReason } from "../plan/plan.ts";
import type { ImageRecord } from "./image-record.ts";

/** What a node is asked to do to remove an image. */
export const removalOf = (
  { id, handler, size, tags, digests }: ImageRecord,
  reason: RemovalReason,
): ImageRemoval => ({ verb: "rmi", id, handler, bytes: size, names: [...tags, ...digests], reason });
