import type { Answer, Question } from "../sweeps/decision.ts";
import type { FencePolicy } from "./fence.ts";
import { askAboutInstance } from "./instance-provider.ts";
import { reclaimVolume } from "./volume-deleter.ts";

/** Asks whom a sweep wants to know something from. Never throws for what the endpoint does. */
export function ask(question: Question, policy: FencePolicy): Promise<Answer> {
  switch (question.ask) {
    case "instance-exists":
    case "instance-shutdown":
      return askAboutInstance({ ...question, ask: question.ask }, policy);
    case "delete-volume":
    case "recycle-volume":
      return reclaimVolume({ ...question, ask: question.ask }, policy);
  }
}
