import type { Millis } from "../../objects/object.ts";
import type { ImageRecord, ImageRecords } from "../images/image-record.ts";
import { removalOf } from "../images/removal.ts";
import { imagesForAge, imagesForSpace, unusedImages } from "../images/select.ts";
import { measure, type Statistics } from "../images/usage.ts";
import type { ImageRun, ImageRunOutcome } from "../record/node-record.ts";
import type { ImageSettings } from "../settings/settings.ts";
import type { RunReason } from "./count-runs.ts";
import type { ImageRemoval } from "./plan.ts";

/** What a turn of a run is decided from. */
export interface ImageLook {
  readonly records: ImageRecords;
  readonly settings: ImageSettings;
  /** Of the file system of images, as the report has it; undefined when it does not. */
  readonly statistics: Statistics | undefined;
  /** Whether all unused images have to go, for pressure on the disk. */
  readonly pressure: boolean;
  /** Set when ages begin anew at a restart: when that was. */
  readonly since: Millis | undefined;
  /** The pass by age waits, because the node was away. */
  readonly ageWaits: boolean;
  readonly now: Millis;
}

export type NodeWarning = { readonly reason: string; readonly message: string };

export type ImageTurn =
  /** To be removed; the run goes on with what the next report says about it. */
  | { readonly state: "remove"; readonly run: ImageRun; readonly steps: readonly ImageRemoval[] }
  | {
      readonly state: "over";
      readonly run: ImageRun;
      readonly reason: RunReason;
      readonly outcome: ImageRunOutcome;
      readonly warning: NodeWarning | undefined;
    };

export const beginRun = (phase: "age" | "pressure", now: Millis): ImageRun => ({
  phase,
  beganAt: now,
  wanted: undefined,
  freed: 0,
  removed: 0,
  failed: [],
});

/**
 * The next step of a collection of images: by age, then for space; or all that is unused, under pressure. Amounts are what
 * is still missing after what was removed, and what could not be removed makes way for the next image.
 *
 * Source: kubernetes pkg/kubelet/images/image_gc_manager.go (GarbageCollect, freeOldImages, freeSpace,
 * DeleteUnusedImages). An error of the pass by age ends the run, and statistics are looked at only after that pass.
 */
export function imageTurn(run: ImageRun, look: ImageLook): ImageTurn {
  switch (run.phase) {
    case "age":
      return ageTurn(run, look);
    case "space":
      return spaceTurn(run, look);
    case "pressure":
      return pressureTurn(run, look);
  }
}

function ageTurn(run: ImageRun, look: ImageLook): ImageTurn {
  const images = look.ageWaits
    ? []
    : imagesForAge(look.records, look.settings, look.now, look.since, passedIn(run));
  if (images.length > 0) return remove(run, images);
  const error = removalError(run);
  if (error !== undefined) return over(run, look.now, "delete_error", error);
  const { freed, removed } = run;
  const aged = removed > 0 ? { aged: { freed, removed } } : {};
  return spaceTurn({ ...run, ...aged, phase: "space", freed: 0, removed: 0, failed: [] }, look);
}

function spaceTurn(begun: ImageRun, look: ImageLook): ImageTurn {
  const { statistics, settings, now } = look;
  if (statistics === undefined) {
    return over(begun, now, "stats_error", "the report has no figures of the file system of images");
  }
  const usage = measure(statistics, settings);
  if (usage.state === "invalid") {
    const message = `invalid capacity ${usage.capacity} on image filesystem`;
    return over(begun, now, "invalid_capacity", message, { reason: "InvalidDiskCapacity", message });
  }
  const wanted = begun.wanted ?? usage.wanted;
  const run: ImageRun = { ...begun, wanted, usedPercent: begun.usedPercent ?? usage.percent };
  if (wanted === undefined) return over(run, now, run.aged === undefined ? "threshold" : "age");
  if (run.removed === 0 || run.freed < wanted) {
    const images = imagesForSpace(look.records, wanted - run.freed, settings, now, passedIn(run));
    if (images.length > 0) return remove(run, images);
  }
  const error = removalError(run);
  if (error !== undefined) return over(run, now, "delete_error", error);
  if (run.freed >= wanted) return over(run, now, "threshold");
  const message =
    `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, ` +
    `but only found ${run.freed} bytes eligible to free. ` +
    `The image file system of ${usage.capacity} bytes is ${usage.percent}% full.`;
  return over(run, now, "insufficient_freed", message, { reason: "FreeDiskSpaceFailed", message });
}

function pressureTurn(run: ImageRun, look: ImageLook): ImageTurn {
  const images = look.pressure ? unusedImages(look.records, look.settings, look.now, passedIn(run)) : [];
  if (images.length > 0) return remove(run, images);
  const error = removalError(run);
  return over(run, look.now, error === undefined ? "all_unused" : "delete_error", error);
}

const passedIn = ({ failed }: ImageRun): ((image: ImageRecord) => boolean) => {
  const keys = new Set(failed.map(({ key }) => key));
  return ({ key }) => keys.has(key);
};

const remove = (run: ImageRun, images: readonly ImageRecord[]): ImageTurn => ({
  state: "remove",
  run,
  steps: images.map((image) => removalOf(image, run.phase)),
});

/** An image that was passed over by the node without a try has no message, and is no error. */
function removalError({ phase, wanted, freed, failed }: ImageRun): string | undefined {
  const causes = failed
    .filter(({ message }) => message !== "")
    .map(({ key, message }) => `${key}: ${message}`);
  if (causes.length === 0) return undefined;
  const figures =
    phase === "space" ? `wanted to free ${wanted ?? 0} bytes, but freed ${freed} bytes space with ` : "";
  return `${figures}errors in image deletion: [${causes.slice(0, MOST_CAUSES).join(", ")}]`;
}

const MOST_CAUSES = 5;

const over = (
  run: ImageRun,
  endedAt: Millis,
  reason: RunReason,
  error?: string,
  warning?: NodeWarning,
): ImageTurn => {
  const { phase, wanted, freed, removed } = run;
  const outcome = { phase, endedAt, wanted, freed, removed, error: error ?? null };
  return { state: "over", run, reason, outcome, warning };
};
