import { Faults } from "./fields.ts";
import { readFileSystems } from "./file-systems.ts";
import type { KnownListings } from "./listing-memory.ts";
import { readContainers, readImages, readSandboxes } from "./listings.ts";
import type { NodeReport, PlanResult, PlanVerb, Sender, StepResult } from "./report.ts";

/** Texts of a report by name of their part; one that was not sent is absent. */
export type ReportParts = Readonly<Record<string, string | undefined>>;

/** All parts together, in characters. Ten thousand containers are about ten million. */
const MOST_REPORTED = 32 * 1024 * 1024;
const MOST_LINES = 100_000;
const LONGEST_MESSAGE = 1024;

/**
 * Reads what a node posted. Unknown parts and unknown fields are ignored. What cannot be read is told in `faults` and
 * left out; only a report whose sender cannot be told is refused as a whole.
 */
export function readReport(
  parts: ReportParts,
  known: KnownListings = {},
): { report: NodeReport } | { fault: string } {
  const size = Object.values(parts).reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (size > MOST_REPORTED) return { fault: `a report must not have more than ${MOST_REPORTED} characters` };
  const faults = new Faults();
  const sender = readSender(parts.agent, faults);
  if (typeof sender === "string") return { fault: sender };
  const listed = <T>(name: string, read: (text: string, faults: Faults) => T | undefined): T | undefined => {
    if (known[name] !== undefined) return known[name] as T;
    const text = parts[name];
    return text === undefined || text.trim() === "" ? undefined : read(text, faults);
  };
  return {
    report: {
      sender,
      images: listed("images", readImages),
      containers: listed("containers", readContainers),
      sandboxes: listed("pods", readSandboxes),
      fileSystems: readFileSystems(parts.imagefsinfo ?? "", parts.df ?? "", faults),
      logDirectories: parts.logs === undefined ? undefined : linesOf(parts.logs),
      podDirectories: parts["kubelet-pods"] === undefined ? undefined : linesOf(parts["kubelet-pods"]),
      deadLogLinks: linesOf(parts.links ?? ""),
      results: readResults(parts.results ?? "", faults),
      faults: faults.list,
    },
  };
}

const linesOf = (text: string): string[] =>
  text
    .split("\n", MOST_LINES)
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    .filter((line) => line !== "");

/** A text is why the report cannot be taken. */
function readSender(text: string | undefined, faults: Faults): Sender | string {
  if (text === undefined) return "a report must have a part named agent";
  const values = new Map<string, string>();
  for (const line of linesOf(text)) {
    const [, key = "", value = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    if (key !== "failed") values.set(key, value);
    else {
      const [, part = "", message = ""] = /^(\S+) ?(.*)$/.exec(value) ?? [];
      faults.add(part, message.slice(0, LONGEST_MESSAGE));
    }
  }
  const version = values.get("version");
  if (version !== "1") return `agent: version must be 1, not ${JSON.stringify(version ?? "")}`;
  const sequence = values.get("sequence") ?? "";
  if (!/^[0-9]{1,15}$/.test(sequence)) return "agent: sequence must be a number of at most 15 digits";
  const mode = values.get("mode");
  if (mode !== "run" && mode !== "dry-run") return "agent: mode must be run or dry-run";
  const time = values.get("time") ?? "";
  return {
    sequence: Number(sequence),
    time: /^[0-9]{1,12}$/.test(time) ? Number(time) * 1000 : 0,
    dryRun: mode === "dry-run",
    boot: values.get("boot") ?? "",
  };
}

const PLAN_OUTCOMES: readonly string[] = ["carried-out", "dry-run", "expired", "refused"];
const STEP_OUTCOMES: readonly string[] = ["done", "failed", "skipped"];
const VERBS: readonly string[] = ["stop", "rm", "stopp", "rmp", "rmi", "rmlog", "rmlink"];

function readResults(text: string, faults: Faults): PlanResult[] {
  const results: (Omit<PlanResult, "steps"> & { steps: StepResult[] })[] = [];
  linesOf(text).forEach((line, index) => {
    const [outcome = "", second = "", third = "", ...rest] = line.split(" ");
    if (outcome === "plan" && /^[0-9]{1,15}$/.test(second) && PLAN_OUTCOMES.includes(third)) {
      results.push({ plan: Number(second), outcome: third as PlanResult["outcome"], steps: [] });
      return;
    }
    const steps = results.at(-1)?.steps;
    if (steps === undefined || !STEP_OUTCOMES.includes(outcome) || !VERBS.includes(second) || third === "") {
      faults.add(`results[${index}]`, "is not a result");
      return;
    }
    steps.push({
      verb: second as PlanVerb,
      id: third,
      outcome: outcome as StepResult["outcome"],
      message: rest.join(" ").slice(0, LONGEST_MESSAGE),
    });
  });
  return results;
}
