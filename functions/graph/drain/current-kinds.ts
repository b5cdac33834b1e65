import { READ_KINDS_VERSION } from "../../../db/reads.ts";
import type { GraphStore } from "../graph-store.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import type { SliceContext } from "../slice.ts";

/** The cluster's kinds as of the beginning of the slice: a decision about an owner reference needs to know what is served. */
export async function currentKinds({ store, kindsCache, kindsVersion }: SliceContext): Promise<ClusterKinds> {
  const version = kindsVersion ?? (await readKindsVersion(store));
  return kindsCache.at(version, store.db, store.cluster);
}

async function readKindsVersion({ db, cluster }: GraphStore): Promise<number> {
  const row = await db.prepare(READ_KINDS_VERSION).bind(cluster).first<{ kinds_version: number }>();
  return row?.kinds_version ?? 0;
}
