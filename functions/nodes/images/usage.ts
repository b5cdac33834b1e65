import type { ImageSettings } from "../settings/settings.ts";

/** What is known of the file system of images. Bytes. */
export interface Statistics {
  readonly capacity: number;
  readonly available: number;
}

export type Usage =
  /** Without a capacity nothing can be said. */
  | { readonly state: "invalid"; readonly capacity: number }
  | {
      readonly state: "measured";
      /** Whole percent, rounded up. */
      readonly percent: number;
      readonly capacity: number;
      /** Bytes. Above a high threshold, down to the low one; undefined below. It may be zero or less. */
      readonly wanted: number | undefined;
    };

/** Turns the threshold of percents off. Source: kubernetes pkg/kubelet/kubelet.go (StartGarbageCollection). */
const NEVER = 100;

/**
 * How full the file system of images is, and how much has to be freed. Products of bytes and percents go beyond what a
 * number holds exactly, hence the big integers.
 *
 * Source: kubernetes pkg/kubelet/images/image_gc_manager.go (GarbageCollect). Beyond it: thresholds in bytes; of
 * two that are met, the one that wants more counts.
 */
export function measure(statistics: Statistics, settings: ImageSettings): Usage {
  const capacity = whole(statistics.capacity);
  if (capacity <= 0) return { state: "invalid", capacity };
  const available = Math.min(whole(statistics.available), capacity);
  const percent = 100 - Number((BigInt(available) * 100n) / BigInt(capacity));
  const { highThresholdPercent, lowThresholdPercent, thresholdBytes } = settings;
  const wanted: number[] = [];
  if (highThresholdPercent < NEVER && percent >= highThresholdPercent) {
    wanted.push(Number((BigInt(capacity) * BigInt(100 - lowThresholdPercent)) / 100n) - available);
  }
  const used = capacity - available;
  if (thresholdBytes !== undefined && used >= thresholdBytes.high) wanted.push(used - thresholdBytes.low);
  return {
    state: "measured",
    percent,
    capacity,
    wanted: wanted.length === 0 ? undefined : Math.max(...wanted),
  };
}

/** What is missing counts as nothing. */
const whole = (bytes: number): number => (Number.isFinite(bytes) ? Math.max(0, Math.trunc(bytes)) : 0);
