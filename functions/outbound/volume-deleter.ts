import type { Question } from "../sweeps/decision.ts";
import { claimOf } from "../sweeps/volume-fields.ts";
import type { ReclaimAnswer } from "../sweeps/volume-reclaim.ts";
import type { FencePolicy } from "./fence.ts";
import { review } from "./review.ts";

export type ReclaimQuestion = Extract<Question, { ask: "delete-volume" | "recycle-volume" }>;

const RESULTS = ["Done", "NotFound", "InProgress", "Refused"] as const;

/**
 * Tells the deleter of a cluster to free what is behind a volume, or to empty it. May be told again at any time: the key
 * of the request is the same each time. A volume is freed once, but emptied once for each claim that leaves it. How long
 * to wait is decided by `decideReclaim`.
 */
export async function reclaimVolume(
  { ask, url, volume }: ReclaimQuestion,
  policy: FencePolicy,
): Promise<ReclaimAnswer> {
  const { uid } = volume.metadata;
  const operation = ask === "delete-volume" ? "Delete" : "Recycle";
  const key = operation === "Delete" ? uid : `${uid}.${claimOf(volume)?.uid ?? ""}`;
  const answer = await review(
    url,
    { kind: "VolumeReclaimReview", request: { uid: key, operation, volume } },
    RESULTS,
    policy,
  );
  if ("problem" in answer) return { result: "failed", message: answer.problem };
  const { result, message } = answer;
  switch (result) {
    case "Done":
    case "NotFound":
      return { result: "done" };
    case "InProgress":
      return { result: "in-use", message: message || "the deleter has not finished" };
    case "Refused":
      return { result: "failed", message: message || "the deleter refused" };
  }
}
