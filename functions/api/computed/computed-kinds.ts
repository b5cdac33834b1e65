import type { GroupResource } from "../../objects/object.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { deletionPreviews } from "./deletion-previews.ts";
import { deletionRecords } from "./deletion-records.ts";
import { deletionStatuses } from "./deletion-statuses.ts";
import { imports } from "./imports.ts";
import { nodeImages } from "./node-images.ts";
import { nodeRecords } from "./node-records.ts";
import { restores } from "./restores.ts";
import { sweepRuns } from "./sweep-runs.ts";
import { unblocks } from "./unblocks.ts";

/** Every kind whose objects are worked out, by resource. */
export const computedKinds: ReadonlyMap<GroupResource, ComputedKind> = new Map([
  ["deletionpreviews.gc.kubegc.dev" as GroupResource, deletionPreviews],
  ["deletionrecords.gc.kubegc.dev" as GroupResource, deletionRecords],
  ["deletionstatuses.gc.kubegc.dev" as GroupResource, deletionStatuses],
  ["imports.gc.kubegc.dev" as GroupResource, imports],
  ["nodeimages.gc.kubegc.dev" as GroupResource, nodeImages],
  ["noderecords.gc.kubegc.dev" as GroupResource, nodeRecords],
  ["restores.gc.kubegc.dev" as GroupResource, restores],
  ["unblocks.gc.kubegc.dev" as GroupResource, unblocks],
  ["sweepruns.gc.kubegc.dev" as GroupResource, sweepRuns],
]);
