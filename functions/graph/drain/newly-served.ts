import { READ_ABSENT_OWNERS, type WorkItemRow } from "../../../db/reads.ts";
import type { SliceContext } from "../slice.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";

/** As many owners are looked up in one slice. */
const OWNERS = 1000;

/**
 * A definition was established: a reference to an object of its kind, which said nothing before, now says that its owner
 * is absent. Who claimed that kind stands in the dependents' bodies only, so the dependents of all owners that are
 * absent are due a look. Hardly any have dependents left but those whose kind is not known.
 *
 * Source: kubernetes garbagecollector.go, where what could not be resolved is tried again after each discovery.
 */
export async function examineAfterServed(items: WorkItemRow[], { store }: SliceContext): Promise<Slice> {
  const [item] = items;
  if (item === undefined) return undefined;
  const { results } = await store.db
    .prepare(READ_ABSENT_OWNERS)
    .bind(store.cluster, item.cursor, OWNERS)
    .all<{ uid: string; absent: number }>();
  const commit = await store.begin();
  commit.dependentsDue.push(...results.filter(({ absent }) => absent === 1).map(({ uid }) => uid));
  const last = results.at(-1);
  if (last === undefined || results.length < OWNERS) commit.done.push(item.id);
  else commit.advanced.push({ id: item.id, cursor: last.uid });
  return commitSlice(store, commit);
}
