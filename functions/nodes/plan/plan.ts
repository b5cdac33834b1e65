import type { Millis } from "../../objects/object.ts";
import type { ContainerId, ImageId, PlanVerb, SandboxId } from "../report/report.ts";

/** Why an image goes: upstream's reasons of `kubelet_image_garbage_collected_total`, and disk pressure. */
export type RemovalReason = "age" | "space" | "pressure";

export interface ImageRemoval {
  readonly verb: "rmi";
  readonly id: ImageId;
  /** "" is the default handler. */
  readonly handler: string;
  readonly bytes: number;
  /** All tags and digests: a container made since the report that uses one of them keeps the image. */
  readonly names: readonly string[];
  readonly reason: RemovalReason;
}

/** One thing a node is asked to do, in the words of crictl; the order of a plan is the order in which it is done. */
export type PlanStep =
  | { readonly verb: "stop" | "rm"; readonly id: ContainerId }
  | { readonly verb: "stopp" | "rmp"; readonly id: SandboxId }
  | ImageRemoval
  /** An entry of the pod log root, with all that is in it. */
  | { readonly verb: "rmlog"; readonly id: string }
  /** A link of the container log folder whose target does not exist. */
  | { readonly verb: "rmlink"; readonly id: string };

/** What a node is told after a report. */
export interface Plan {
  /** Grows with each plan of a node that has steps; 0 without. */
  readonly number: number;
  /**
   * How long its steps may be begun, in seconds. The agent counts it from when it began its report, on its own clock: a plan
   * is as old as what it was made from.
   */
  readonly lifeSeconds: number;
  /** When to report next, in seconds. */
  readonly nextReportSeconds: number;
  readonly steps: readonly PlanStep[];
  /** What would be done, and is not, since the settings say to report only. `steps` is empty then. */
  readonly withheld: readonly PlanStep[];
}

/** A plan that was handed out, and of which nothing is known yet. */
export interface IssuedPlan {
  readonly number: number;
  readonly issuedAt: Millis;
  readonly nextReportSeconds: number;
  readonly steps: readonly PlanStep[];
}

/** A plan is made from one report and is meant to be carried out at once. */
export const LIFE_SECONDS = 120;

/** Removing a container takes a runtime some tens of milliseconds: so many steps fit into the life of a plan. */
export const MOST_STEPS = 500;
/** In characters: a plan is stored with its node, and an image may have any number of names. */
export const LONGEST_PLAN = 500_000;

export const stepKey = (step: { readonly verb: PlanVerb; readonly id: string }): string =>
  `${step.verb} ${step.id}`;
