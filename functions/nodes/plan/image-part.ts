import type { Millis } from "../../objects/object.ts";
import type { ImageRun, NodeRecord } from "../record/node-record.ts";
import type { NodeReport } from "../report/report.ts";
import type { ImageSettings, NodeSettings } from "../settings/settings.ts";
import { type EndedRun, endedRun, undetected } from "./count-runs.ts";
import { AWAY, isDue } from "./due.ts";
import { beginRun, type ImageLook, imageTurn, type NodeWarning } from "./image-run.ts";
import type { PlanStep } from "./plan.ts";
import type { Settled } from "./settle-plan.ts";

/** What a report leads to for images. */
export interface ImagePart {
  readonly steps: readonly PlanStep[];
  readonly warnings: readonly NodeWarning[];
  readonly run: ImageRun | null;
  readonly lookedAt: Millis | null;
  readonly failures: number;
  readonly lastRun: NodeRecord["lastImageRun"];
  /** Collections that this report ended. */
  readonly ended: readonly EndedRun[];
}

/**
 * Begins collections of images when they are due, and goes on with one that a plan was made for: those under pressure
 * before the periodic ones.
 */
export function imagePart(
  record: NodeRecord,
  report: NodeReport,
  settings: NodeSettings,
  { settled, pressure }: { settled: Settled; pressure: boolean },
  now: Millis,
): ImagePart {
  const { images, containers, fileSystems, sender } = report;
  let run = sender.dryRun ? null : goOn(record, settled, settings, now);
  let part: ImagePart = {
    steps: [],
    warnings: [],
    run: null,
    lookedAt: record.imagesLookedAt,
    failures: record.imageFailures,
    lastRun: record.lastImageRun,
    ended: [],
  };
  const due = sender.dryRun || isDue(record.imagesLookedAt, settings.imagePeriod, now);
  if (images === undefined || !images.complete || !containers?.complete) {
    const tried = run !== null || pressure || (due && collects(settings.images));
    if (!tried) return part;
    const phase = run?.phase ?? (pressure ? "pressure" : "space");
    const ended = [undetected(phase, (now - (run?.beganAt ?? now)) / 1000)];
    return failed({ ...part, lookedAt: now, ended }, "images and containers could not be listed");
  }
  const look: ImageLook = {
    records: record.images,
    settings: settings.images,
    statistics: fileSystems.imagefs,
    pressure,
    since: settings.images.restartResetsAge ? record.trackedSince : undefined,
    ageWaits: record.backAt !== null && now - record.backAt < AWAY,
    now,
  };
  if (pressure && run?.phase !== "pressure") run = beginRun("pressure", now);
  const begins = due && collects(settings.images);
  if (run?.phase === "pressure") {
    const turn = imageTurn(run, look);
    if (turn.state === "remove") return { ...part, steps: turn.steps, run: turn.run };
    // Its errors are warnings of the eviction manager, and no failures of the periodic run.
    if (!isTold(turn.run)) {
      part = { ...part, lastRun: turn.outcome, ended: [endedRun(turn, look)] };
    }
    // While it lasts, what could not be removed is not tried with each report, and an end is told once.
    if (pressure && !begins) {
      return { ...part, run: { ...run, freed: 0, removed: 0, told: run.failed.length } };
    }
    if (begins) run = { ...beginRun("age", now), failed: pressure ? run.failed : [] };
    else run = null;
  } else if (run === null && begins) run = beginRun("age", now);
  if (run?.beganAt === now) part = { ...part, lookedAt: now };
  if (run === null) return part;
  const turn = imageTurn(run, look);
  if (turn.state === "remove") return { ...part, steps: turn.steps, run: turn.run };
  const ended: ImagePart = {
    ...part,
    lastRun: turn.outcome,
    warnings: turn.warning === undefined ? [] : [turn.warning],
    ended: [...part.ended, endedRun(turn, look)],
  };
  return turn.outcome.error === null ? { ...ended, failures: 0 } : failed(ended, turn.outcome.error);
}

/** The open run with what the latest plan did for it; none when its node was away, or it was stopped by report-only. */
function goOn(record: NodeRecord, settled: Settled, settings: NodeSettings, now: Millis): ImageRun | null {
  const { imageRun } = record;
  if (imageRun === null || now - imageRun.beganAt > AWAY + settings.imagePeriod) return null;
  return {
    ...imageRun,
    freed: imageRun.freed + settled.images.reduce((sum, { bytes }) => sum + bytes, 0),
    removed: imageRun.removed + settled.images.length,
    failed: [...imageRun.failed, ...settled.failed],
  };
}

/** Whether nothing has happened since the run was last at its end. */
const isTold = ({ told, removed, failed: failures }: ImageRun): boolean =>
  told === failures.length && removed === 0;

/** The first failure may be of a node that is just starting; it takes two in a row for an Event. */
function failed(part: ImagePart, message: string): ImagePart {
  const failures = part.failures + 1;
  const warning: NodeWarning[] = failures > 1 ? [{ reason: "ImageGCFailed", message }] : [];
  return { ...part, failures, warnings: [...part.warnings, ...warning] };
}

/** Source: kubernetes pkg/kubelet/kubelet.go (StartGarbageCollection): whether there is a periodic run at all. */
const collects = ({ highThresholdPercent, thresholdBytes, maximumAge }: ImageSettings): boolean =>
  highThresholdPercent < 100 || thresholdBytes !== undefined || maximumAge > 0;
