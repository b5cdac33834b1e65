import { type ImageKey, imageKey } from "../images/image-record.ts";
import type { NodeReport, StepResult } from "../report/report.ts";
import { type ImageRemoval, type IssuedPlan, stepKey } from "./plan.ts";

/** What became of the latest plan, as far as the next report tells. */
export interface Settled {
  readonly images: readonly ImageRemoval[];
  readonly failed: readonly { readonly key: ImageKey; readonly message: string }[];
  readonly containers: number;
}

/** Of what the runtime said. A run remembers what could not be removed. */
const LONGEST_CAUSE = 300;

const NOTHING: Settled = { images: [], failed: [], containers: 0 };

/**
 * What is not listed any more is gone, whoever says what: so an answer that was lost does no harm. Results of any other plan
 * than the latest were counted, or given up, when the next one was made.
 */
export function settlePlan(plan: IssuedPlan | null, report: NodeReport): Settled {
  if (plan === null || report.sender.dryRun) return NOTHING;
  const result = report.results.findLast((each) => each.plan === plan.number);
  if (result?.outcome === "dry-run") return NOTHING;
  const said = new Map<string, StepResult>(result?.steps.map((step) => [stepKey(step), step]));
  const listed = listedIn(report);
  const images: ImageRemoval[] = [];
  const failed: { key: ImageKey; message: string }[] = [];
  let containers = 0;
  for (const step of plan.steps) {
    const { outcome, message = "" } = said.get(stepKey(step)) ?? {};
    if (step.verb === "rmi") {
      if (outcome === "done" || listed.lacks("images", step.id)) images.push(step);
      else if (outcome === "failed" || result?.outcome === "refused") {
        const why = message === "" ? "the node did not remove it" : message.slice(0, LONGEST_CAUSE);
        failed.push({ key: imageKey(step.id, step.handler), message: why });
      } else if (outcome === "skipped") failed.push({ key: imageKey(step.id, step.handler), message: "" });
    } else if (step.verb === "rm" && (outcome === "done" || listed.lacks("containers", step.id)))
      containers++;
  }
  return { images, failed, containers };
}

/** A listing that is not complete lacks nothing for certain. */
function listedIn(report: NodeReport): { lacks(list: "images" | "containers", id: string): boolean } {
  const ids = {
    images: report.images?.complete ? new Set<string>(report.images.items.map(({ id }) => id)) : undefined,
    containers: report.containers?.complete
      ? new Set<string>(report.containers.items.map(({ id }) => id))
      : undefined,
  };
  return { lacks: (list, id) => ids[list] !== undefined && !ids[list].has(id) };
}
