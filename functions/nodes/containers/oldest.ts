import type { Millis } from "../../objects/object.ts";

interface Created {
  readonly createdAt: Millis;
}

/** Newest first; of one age in the runtime's order. */
const newestFirst = <T extends Created>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => b.createdAt - a.createdAt);

/**
 * Keeps so many of the newest; the others in the order in which they go. Some of them go oldest first; all of them in the
 * reverse of the runtime's order.
 *
 * Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_gc.go (removeOldestN).
 */
export function keepNewest<T extends Created>(
  items: readonly T[],
  keep: number,
): { readonly kept: readonly T[]; readonly gone: readonly T[] } {
  if (keep >= items.length) return { kept: items, gone: [] };
  const ordered = keep > 0 ? newestFirst(items) : items;
  return { kept: ordered.slice(0, Math.max(0, keep)), gone: ordered.slice(Math.max(0, keep)).reverse() };
}
