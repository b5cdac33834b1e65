import type { Millis } from "../../objects/object.ts";
import type { Thresholds } from "./eviction.ts";
import type { ImagePattern, NodeSettings } from "./settings.ts";

/** What one policy says; what it leaves open is absent. */
export interface PolicyFields {
  readonly highThresholdPercent?: number;
  readonly lowThresholdPercent?: number;
  readonly thresholdBytes?: { readonly high: number; readonly low: number };
  readonly minimumAge?: Millis;
  readonly maximumAge?: Millis;
  readonly restartResetsAge?: boolean;
  readonly keep?: readonly ImagePattern[];
  readonly protect?: NodeSettings["images"]["protect"];
  /** Null takes the guard of an earlier policy away. */
  readonly registries?: readonly ImagePattern[] | null;
  readonly minAge?: Millis;
  readonly maxPerPodContainer?: number;
  readonly maxContainers?: number;
  readonly evictionHard?: Thresholds;
  readonly minimumReclaim?: Thresholds;
  readonly pressureTransitionPeriod?: Millis;
  readonly reportOnly?: boolean;
  readonly imagePeriod?: Millis;
  readonly containerPeriod?: Millis;
}

export type Writable<T> = { -readonly [K in keyof T]: T[K] };
