import type { ImageId, ReportedContainer, ReportedImage } from "./report.ts";

/**
 * The images that a container names, running or not. An image that is listed under several runtime handlers is in use
 * under all of them: crictl removes it from all at once.
 *
 * Upstream compares ids only. Here tags and digests count as well, since some runtimes name an image by its digest; that
 * can only keep more.
 */
export function imagesInUse(
  images: readonly ReportedImage[],
  containers: readonly ReportedContainer[],
): ReadonlySet<ImageId> {
  const named = new Set<string>();
  for (const { images: names } of containers) for (const name of names) named.add(bare(name));
  const inUse = new Set<ImageId>();
  for (const { id, tags, digests } of images) {
    const isNamed = (name: string): boolean => named.has(name);
    if (named.has(bare(id)) || tags.some(isNamed) || digests.some(isNamed)) inUse.add(id);
  }
  return inUse;
}

/** CRI-O prints ids without the algorithm. */
const bare = (name: string): string => (name.startsWith("sha256:") ? name.slice(7) : name);
