import type { OpenCommit } from "../../../db/commit.ts";
import type { WorkItemRow } from "../../../db/reads.ts";
import { COUNT_AT, READ_COUNTED, type TerminatedRow } from "../../../db/sweeps.ts";
import { asUid } from "../../objects/object.ts";
import { COUNTED, surplusPods, type TerminatedPod } from "../../sweeps/pods.ts";
import type { SettingsOf } from "../../sweeps/settings.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import type { SliceContext } from "../slice.ts";
import { TASKS } from "../tasks.ts";
import type { Part } from "./part.ts";
import type { RunOf } from "./tally.ts";

/** As many objects are named in one part. */
export const PART_OBJECTS = 200;

/**
 * Counts the terminated Pods of the cluster, all of which wait in the index at one moment, and has those beyond the
 * thresholds looked at where they are. A Pod that also has a time to live waits for that one, and is not counted.
 */
export async function countPods(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const { settings } = await currentKinds(context);
  const { pods } = settings.sweeps;
  const commit = await store.begin();
  commit.done.push(...items.map(({ id }) => id));
  const waiting = await store.db.prepare(COUNT_AT).bind(store.cluster, COUNTED).first<{ count: number }>();
  if ((waiting?.count ?? 0) > leastThreshold(pods)) {
    const { results } = await store.db
      .prepare(READ_COUNTED)
      .bind(store.cluster, COUNTED)
      .all<TerminatedRow>();
    planSurplus(commit, results, pods, undefined);
  }
  return commitSlice(store, commit);
}

const leastThreshold = (settings: SettingsOf<"pods">): number =>
  Math.min(
    ...[settings.terminatedPodGCThreshold, settings.terminatedPodGCThresholdPerNamespace].filter(
      (threshold) => threshold > 0,
    ),
  );

/** @returns how many parts were added */
export function planSurplus(
  commit: OpenCommit,
  rows: readonly TerminatedRow[],
  settings: SettingsOf<"pods">,
  run: RunOf | undefined,
): number {
  if (!settings.enabled) return 0;
  const surplus = surplusPods(rows.map(terminated), settings);
  const byNamespace = Map.groupBy(
    rows.filter(({ uid }) => surplus.has(asUid(uid))),
    ({ namespace }) => namespace,
  );
  let parts = 0;
  for (const [namespace, pods] of byNamespace) {
    for (let i = 0; i < pods.length; i += PART_OBJECTS) {
      const uids = pods.slice(i, i + PART_OBJECTS).map(({ uid }) => uid);
      const part: Part = { sweep: "pods", surplus: true, uids, ...(run === undefined ? {} : { run }) };
      commit.work.push(TASKS.sweep(namespace, `surplus ${run?.name ?? ""} ${uids[0]}`, part));
      parts++;
    }
  }
  return parts;
}

const terminated = ({ uid, namespace, name, created, evicted }: TerminatedRow): TerminatedPod => ({
  uid: asUid(uid),
  namespace,
  name,
  createdAt: created === null ? 0 : Date.parse(created) || 0,
  evicted: evicted === 1,
});
