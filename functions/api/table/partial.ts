import type { Json, JsonObject } from "../../objects/json.ts";
import type { KubeObject } from "../../objects/object.ts";

/** Of `meta.k8s.io`. Both are the same but for the name. */
export type MetaVersion = "v1" | "v1beta1";

/** A list's own metadata, as it stands in its answer. */
export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

/** The object reduced to its metadata: kind PartialObjectMetadata of `meta.k8s.io`. */
export function partialOf(object: KubeObject, version: MetaVersion = "v1"): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata as unknown as Json,
  };
}

/** Kind PartialObjectMetadataList of `meta.k8s.io`. */
export function partialListOf(
  objects: readonly KubeObject[],
  listMeta: ListMeta,
  version: MetaVersion = "v1",
): JsonObject {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetaJson(listMeta),
    items: objects.map((object) => partialOf(object, version)),
  };
}

export function listMetaJson(listMeta: ListMeta): JsonObject {
  const { resourceVersion, remainingItemCount } = listMeta;
  return {
    resourceVersion,
    ...(listMeta.continue === undefined ? {} : { continue: listMeta.continue }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}
