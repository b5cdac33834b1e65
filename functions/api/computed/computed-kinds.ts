import type { GroupResource } from "../../objects/object.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { deletionRecords } from "./deletion-records.ts";

/** Every kind whose objects are worked out, by resource. */
export const computedKinds: ReadonlyMap<GroupResource, ComputedKind> = new Map([
  ["deletionrecords.gc.kubegc.dev" as GroupResource, deletionRecords],
]);
