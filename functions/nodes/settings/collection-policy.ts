/**
 * The checks with which upstream's managers are made, for the fields of its `ImageGCPolicy` and container `GCPolicy`. They
 * differ from those of the configuration file: here equal thresholds are right.
 *
 * Source: kubelet `images/image_gc_manager.go`, `NewImageGCManager`; `container/container_gc.go`, `NewContainerGC`.
 */
import { type Duration, printDuration } from "../../objects/duration.ts";

export interface ThresholdFault {
  readonly field: "highThresholdPercent" | "lowThresholdPercent";
  readonly message: string;
}

/** High is checked first, then low, then how they stand to each other; the first fault is the only one told. */
export function thresholdFault(high: number, low: number): ThresholdFault | undefined {
  if (high < 0 || high > 100)
    return {
      field: "highThresholdPercent",
      message: `invalid HighThresholdPercent ${high}, must be in range [0-100]`,
    };
  if (low < 0 || low > 100)
    return {
      field: "lowThresholdPercent",
      message: `invalid LowThresholdPercent ${low}, must be in range [0-100]`,
    };
  if (low > high)
    return {
      field: "lowThresholdPercent",
      message: `LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`,
    };
  return undefined;
}

export function minAgeFault(minAge: Duration): string | undefined {
  return minAge < 0n ? `invalid minimum garbage collection age: ${printDuration(minAge)}` : undefined;
}
