import type { Question } from "../sweeps/decision.ts";
import type { ProviderAnswer } from "../sweeps/nodes.ts";
import type { FencePolicy } from "./fence.ts";
import { review } from "./review.ts";

export type InstanceQuestion = Extract<Question, { ask: "instance-exists" | "instance-shutdown" }>;

const RESULTS = ["Running", "Shutdown", "NotFound", "Refused"] as const;

/** Asks the instance provider of a cluster about the machine of a Node: by its providerID, or by its name when that is empty. */
export async function askAboutInstance(
  { ask, url, node, providerID }: InstanceQuestion,
  policy: FencePolicy,
): Promise<ProviderAnswer> {
  const answer = await review(
    url,
    { kind: "InstanceReview", request: { uid: crypto.randomUUID(), node, providerID } },
    RESULTS,
    policy,
  );
  if ("problem" in answer) return answer;
  if (answer.result === "Refused") return { problem: answer.message || "the instance provider refused" };
  return { answer: ask === "instance-exists" ? answer.result !== "NotFound" : answer.result === "Shutdown" };
}
