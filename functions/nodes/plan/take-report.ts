import type { Millis } from "../../objects/object.ts";
import { podStates } from "../containers/pods.ts";
import { detectImages, usedWhileAway } from "../images/detect.ts";
import { type ImageKey, type ImageRecords, imageKey } from "../images/image-record.ts";
import { detectContainers } from "../record/detect-containers.ts";
import type { Counts, EventMemory, NodeRecord } from "../record/node-record.ts";
import { imagesInUse } from "../report/in-use.ts";
import { isPrintable } from "../report/print-plan.ts";
import type { NodeReport } from "../report/report.ts";
import type { NodeSettings } from "../settings/settings.ts";
import { containerTurn, exitTurn, type StepGroup } from "./container-run.ts";
import { countRuns } from "./count-runs.ts";
import { AWAY, isDue } from "./due.ts";
import { imagePart } from "./image-part.ts";
import type { NodeWarning } from "./image-run.ts";
import { eventsToWrite } from "./node-events.ts";
import {
  type IssuedPlan,
  LIFE_SECONDS,
  LONGEST_PLAN,
  MOST_STEPS,
  type Plan,
  type PlanStep,
  type RemovalReason,
} from "./plan.ts";
import { pressureOf, reliefFor } from "./pressure.ts";
import { type Settled, settlePlan } from "./settle-plan.ts";

/** What a report led to. */
export type Taken =
  /** It is the latest: the record is new, and is to be stored before the plan is handed out. */
  | {
      readonly state: "taken";
      readonly record: NodeRecord;
      readonly plan: Plan;
      readonly events: readonly EventMemory[];
      /** Images that a plan of ours removed, and by which rule. */
      readonly removed: ReadonlyMap<ImageKey, RemovalReason>;
    }
  /** It came late, or again. Nothing has changed. */
  | { readonly state: "known"; readonly plan: Plan };

/**
 * What one report of a node changes, and what the node is asked to do. The whole of it:
 *
 *     late, or a repeat ─► the same plan while it is good, else none; nothing changes
 *     newer             ─► what became of the latest plan ─► records ─► pressure ─► containers ─► images ─► one plan
 *
 * A plan is made from the latest report and from nothing else, so it names nothing that the report shows in use. A plan
 * that was lost is not sent again: the next report makes the next one. What a lost result would have said, the listing says.
 */
export function takeReport(
  record: NodeRecord,
  report: NodeReport,
  settings: NodeSettings,
  now: Millis,
): Taken {
  if (report.sender.sequence <= record.sequence)
    return { state: "known", plan: again(record, report, settings, now) };
  const { dryRun } = report.sender;
  const settled = settlePlan(record.plan, report);
  const seen = lookAround(record, report, settings, settled, now);
  const relief = reliefFor(seen.pressure, report.fileSystems.layout);
  const warnings: NodeWarning[] = [];

  const containers = containerPart(record, report, settings, relief.containers, now);
  for (const error of containers.errors) warnings.push({ reason: "ContainerGCFailed", message: error });
  const images = imagePart(seen, report, settings, { settled, pressure: relief.images }, now);
  warnings.push(...images.warnings);

  const { steps, cut } = within([...containers.groups, ...images.steps.map((step): StepGroup => [step])]);
  const withheld = settings.reportOnly;
  const acts = steps.length > 0 && !withheld;
  const number = acts ? record.planNumber + 1 : 0;
  const nextReportSeconds = acts && !dryRun ? 1 : Math.max(1, Math.round(settings.containerPeriod / 1000));
  const events =
    withheld || dryRun ? { memory: record.events, written: [] } : eventsToWrite(record.events, warnings, now);
  const issued: IssuedPlan | null =
    acts && !dryRun ? { number, issuedAt: now, nextReportSeconds, steps } : null;
  const plan: Plan = {
    number,
    lifeSeconds: acts ? LIFE_SECONDS : 0,
    nextReportSeconds,
    steps: withheld ? [] : steps,
    withheld: withheld ? steps : [],
  };
  const next: NodeRecord = {
    ...seen,
    // What became of a plan is still to be learned after somebody took a look.
    plan: dryRun ? record.plan : issued,
    planNumber: Math.max(record.planNumber, number),
    withheld: plan.withheld,
    // A dry run looks, and leaves the runs as they were.
    ...(dryRun
      ? {}
      : {
          containersLookedAt: containers.looked && !cut ? now : seen.containersLookedAt,
          imageRun: withheld ? null : images.run,
          imagesLookedAt: images.lookedAt,
          imageFailures: withheld ? 0 : images.failures,
          lastImageRun: images.lastRun,
          imageRuns: countRuns(record.imageRuns, withheld ? [] : images.ended, settled, record.plan),
        }),
    events: events.memory,
  };
  const removed = new Map(settled.images.map(({ id, handler, reason }) => [imageKey(id, handler), reason]));
  return { state: "taken", record: next, plan, events: events.written, removed };
}

/** A repeat of the latest report gets the same plan, since that report is still all that is known. */
function again(record: NodeRecord, { sender }: NodeReport, settings: NodeSettings, now: Millis): Plan {
  const { plan } = record;
  const good =
    plan !== null &&
    sender.sequence === record.sequence &&
    now - plan.issuedAt < LIFE_SECONDS * 1000 &&
    !settings.reportOnly;
  if (good && !sender.dryRun) {
    const { number, nextReportSeconds, steps } = plan;
    return { number, lifeSeconds: LIFE_SECONDS, nextReportSeconds, steps, withheld: [] };
  }
  const nextReportSeconds = Math.max(1, Math.round(settings.containerPeriod / 1000));
  return { number: 0, lifeSeconds: 0, nextReportSeconds, steps: [], withheld: [] };
}

/** The record with what the report says about the node, before anything is decided. */
function lookAround(
  record: NodeRecord,
  report: NodeReport,
  settings: NodeSettings,
  settled: Settled,
  now: Millis,
): NodeRecord {
  const { sender, containers } = report;
  const away = record.reportedAt !== null && now - record.reportedAt > AWAY;
  const rebooted = record.boot !== "" && sender.boot !== "" && sender.boot !== record.boot;
  const anew = settings.images.restartResetsAge && rebooted;
  const first = record.reportedAt === null;
  const known = anew ? new Map() : away ? usedWhileAway(record.images, now) : record.images;
  return {
    ...record,
    sequence: sender.sequence,
    reportedAt: now,
    boot: sender.boot === "" ? record.boot : sender.boot,
    trackedSince: first || anew ? now : record.trackedSince,
    backAt: away ? now : record.backAt,
    fileSystems: report.fileSystems,
    images: seenImages(known, report, settled, now),
    containers:
      containers === undefined ? record.containers : detectContainers(record.containers, containers, now),
    pressure: pressureOf(report.fileSystems, settings.eviction, record.pressure, now),
    removedImages: counted(record.removedImages, settled),
    removedContainers: record.removedContainers + settled.containers,
  };
}

/**
 * Without whole listings of images and containers nothing is known of what is in use, and the records stay. An image
 * that was removed and is there again is a new one.
 */
function seenImages(known: ImageRecords, report: NodeReport, settled: Settled, now: Millis): ImageRecords {
  const { images, containers } = report;
  if (images === undefined || !containers?.complete) return known;
  const inUse = imagesInUse(images.items, containers.items);
  const removed = new Set(settled.images.map(({ id, handler }) => imageKey(id, handler)));
  const left = removed.size === 0 ? known : new Map([...known].filter(([key]) => !removed.has(key)));
  return detectImages(left, images, ({ id }) => inUse.has(id), { detectTime: now, now });
}

function counted(counts: Counts, { images }: Settled): Counts {
  const sums = { ...counts };
  for (const { reason, bytes } of images) {
    sums[reason] = { images: sums[reason].images + 1, bytes: sums[reason].bytes + bytes };
  }
  return sums;
}

interface ContainerPart {
  readonly groups: readonly StepGroup[];
  readonly errors: readonly string[];
  readonly looked: boolean;
}

/** `record` is still the one before the report. */
function containerPart(
  record: NodeRecord,
  report: NodeReport,
  settings: NodeSettings,
  pressed: boolean,
  now: Millis,
): ContainerPart {
  const pods = podStates(report);
  // `createdAt` is on the node's clock: of two clocks the one that makes a container younger counts.
  const { time, dryRun } = report.sender;
  const nodeNow = time > 0 ? Math.min(time, now) : now;
  if (pressed || dryRun || isDue(record.containersLookedAt, settings.containerPeriod, now)) {
    const look = { report, pods, settings: settings.containers, aggressive: pressed, now: nodeNow };
    return { ...containerTurn(look), looked: true };
  }
  // Between two runs only what has just ended is looked after.
  const listed = report.containers?.complete ? report.containers.items : [];
  return {
    groups: exitTurn(record.containers, listed, pods, settings.containers),
    errors: [],
    looked: false,
  };
}

/** As many as fit into a plan, by groups; and whether any did not. Ids that cannot be handed over safely are left out. */
function within(groups: readonly StepGroup[]): { steps: readonly PlanStep[]; cut: boolean } {
  const steps: PlanStep[] = [];
  let length = 0;
  for (const group of groups) {
    if (!group.every(isPrintable)) continue;
    length += JSON.stringify(group).length;
    if (steps.length + group.length > MOST_STEPS || length > LONGEST_PLAN) return { steps, cut: true };
    steps.push(...group);
  }
  return { steps, cut: false };
}
