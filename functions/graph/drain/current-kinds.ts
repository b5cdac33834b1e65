import type { ClusterKinds } from "../kinds-cache.ts";
import type { SliceContext } from "../slice.ts";

/** The cluster's kinds as of now: a decision about an owner reference needs to know what is served. */
export async function currentKinds({ store, kindsCache }: SliceContext): Promise<ClusterKinds> {
  const row = await store.db
    .prepare("SELECT kinds_version FROM clusters WHERE id = ?1")
    .bind(store.cluster)
    .first<{ kinds_version: number }>();
  return kindsCache.at(row?.kinds_version ?? 0, store.db, store.cluster);
}
