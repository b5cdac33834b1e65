import type { Commit } from "../../../db/commit.ts";
import { backoff } from "../backoff.ts";
import type { GraphStore } from "../graph-store.ts";

/** Undefined when nothing was written. */
export type Slice =
  | {
      resourceVersion: number;
      wake: string[];
      /** The next moment, as far as the batch knows, at which this namespace has something to do. */
      next: number | null;
      /** Whether an object was written, and not the outbox alone. */
      changed: boolean;
    }
  | undefined;

/**
 * Commits a slice. When something was not as it had been read nothing is written, and the next slice, which
 * finds the same tasks, reads it again.
 */
export async function commitSlice(store: GraphStore, commit: Commit): Promise<Slice> {
  const outcome = await store.commit(commit);
  const { creates, updates, released, removals } = commit;
  const changed = creates.length + updates.length + released.length + removals.length > 0;
  if (outcome.ok) return { ...outcome.committed, changed };
  if (outcome.again === "overloaded") await backoff(6);
  return undefined;
}
