import type { Plan, PlanStep } from "../plan/plan.ts";

/** What the agent accepts; anything else would make it refuse the whole plan. */
const PATTERNS: Readonly<Record<PlanStep["verb"], RegExp>> = {
  stop: /^[0-9a-f]{64}$/,
  rm: /^[0-9a-f]{64}$/,
  stopp: /^[0-9a-f]{64}$/,
  rmp: /^[0-9a-f]{64}$/,
  rmi: /^(sha256:)?[0-9a-f]{64}$/,
  rmlog: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  rmlink: /^[A-Za-z0-9][A-Za-z0-9._-]*\.log$/,
};
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/;
const LONGEST = 512;

/**
 * Whether the agent would take it. The runtime takes unique prefixes of ids, so one that is cut short could mean
 * another object; and what is odd in a path or a name must not reach a shell.
 */
export function isPrintable(step: PlanStep): boolean {
  if (!PATTERNS[step.verb].test(step.id) || step.id.includes("..") || step.id.length > LONGEST) return false;
  return step.verb !== "rmi" || step.names.every((name) => NAME.test(name) && name.length <= LONGEST);
}

/**
 * The plan as the agent reads it. Steps that are not printable are left out.
 *
 * @param sequence the highest that was seen of the node, from which it goes on if it has lost count
 */
export function printPlan(
  { number, lifeSeconds, nextReportSeconds, steps }: Plan,
  sequence?: number,
): string {
  const lines = steps
    .filter(isPrintable)
    .map((step) =>
      step.verb === "rmi"
        ? [step.verb, step.id, Math.trunc(step.bytes), ...step.names].join(" ")
        : `${step.verb} ${step.id}`,
    );
  const head = ["kubegc-plan 1", `plan ${number} ${lifeSeconds}`, `again ${nextReportSeconds}`];
  if (sequence !== undefined && sequence >= 0) head.push(`sequence ${sequence}`);
  return [...head, ...lines, `end ${lines.length}`, ""].join("\n");
}
