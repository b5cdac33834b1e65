import type { ObjectRow } from "../../db/reads.ts";
import type { Deletion } from "../objects/deletion.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import { asUid, type GroupResource, type KubeObject, type Uid } from "../objects/object.ts";
import { parseStored } from "../objects/stored-body.ts";

/** An object as it was read, with what the store knows beside its body. */
export interface StoredObject {
  readonly uid: Uid;
  readonly resource: GroupResource;
  readonly resourceVersion: number;
  readonly deletion: Deletion | null;
  /** In the API version the reader asked for; never modified. */
  readonly object: KubeObject;
}

export function storedObject(row: ObjectRow, kind: Kind, version: string): StoredObject {
  return {
    uid: asUid(row.uid),
    resource: row.resource as GroupResource,
    resourceVersion: row.resource_version,
    deletion: row.deletion as Deletion | null,
    object: parseStored(row.body, {
      apiVersion: apiVersion(kind.group, version),
      kind: kind.kind,
      resourceVersion: row.resource_version,
    }),
  };
}
