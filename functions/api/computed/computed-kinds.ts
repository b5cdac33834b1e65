import type { GroupResource } from "../../objects/object.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { deletionPreviews } from "./deletion-previews.ts";
import { deletionRecords } from "./deletion-records.ts";
import { deletionStatuses } from "./deletion-statuses.ts";

/** Every kind whose objects are worked out, by resource. */
export const computedKinds: ReadonlyMap<GroupResource, ComputedKind> = new Map([
  ["deletionpreviews.gc.kubegc.dev" as GroupResource, deletionPreviews],
  ["deletionrecords.gc.kubegc.dev" as GroupResource, deletionRecords],
  ["deletionstatuses.gc.kubegc.dev" as GroupResource, deletionStatuses],
]);
