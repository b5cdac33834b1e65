import type { Millis } from "../../objects/object.ts";

/** All that decides what a node removes: policies of the cluster and of the node put together, defaults filled in. */
export interface NodeSettings {
  readonly images: ImageSettings;
  readonly containers: ContainerSettings;
  readonly eviction: EvictionSettings;
  /** Say what would go, and remove nothing. */
  readonly reportOnly: boolean;
  /** Between looks at images (upstream: 5 minutes), and at containers and the whole report (upstream: 1 minute). */
  readonly imagePeriod: Millis;
  readonly containerPeriod: Millis;
}

export interface ImageSettings {
  /** Percent used at which collection begins; 100 turns it off. */
  readonly highThresholdPercent: number;
  /** Percent used down to which it frees. */
  readonly lowThresholdPercent: number;
  /** Beside the percents, and with the same meaning: bytes used. Both are set or none is; whichever is met first counts. */
  readonly thresholdBytes: { readonly high: number; readonly low: number } | undefined;
  /** Not above zero: no minimum. */
  readonly minimumAge: Millis;
  /** 0 turns collection by age off. */
  readonly maximumAge: Millis;
  /** Upstream forgets ages when the kubelet restarts. Here only when this is set, at a boot of the node. */
  readonly restartResetsAge: boolean;
  /** Images that never go. */
  readonly keep: readonly ImagePattern[];
  /** Images that do not go before a moment. */
  readonly protect: readonly { readonly image: ImagePattern; readonly until: Millis }[];
  /**
   * The air-gap guard: registries that can serve an image again. With a list, an image goes only when one of its names
   * is of one of them; undefined means that there is no guard.
   */
  readonly registries: readonly ImagePattern[] | undefined;
}

export interface ContainerSettings {
  /** Since creation. Source: `--minimum-container-ttl-duration`. */
  readonly minAge: Millis;
  /** Negative: no limit. Source: `--maximum-dead-containers-per-container`. */
  readonly maxPerPodContainer: number;
  /** Negative: no limit. Source: `--maximum-dead-containers`. */
  readonly maxContainers: number;
}

/** Signals about disks; those about memory and processes are none of our business. */
export type DiskSignal =
  | "nodefs.available"
  | "nodefs.inodesFree"
  | "imagefs.available"
  | "imagefs.inodesFree"
  | "containerfs.available"
  | "containerfs.inodesFree";

/** Of bytes, or of inodes for an `inodesFree` signal. */
export type Quantity = { readonly amount: number } | { readonly percent: number };

export interface EvictionSettings {
  /** Pressure is when less than this is left. */
  readonly hard: Readonly<Partial<Record<DiskSignal, Quantity>>>;
  /** Added to a threshold once it was met, before the pressure counts as over. */
  readonly minimumReclaim: Readonly<Partial<Record<DiskSignal, Quantity>>>;
  readonly pressureTransitionPeriod: Millis;
}

/** `*` stands for any characters. See `matchesImage`. */
export type ImagePattern = string & { readonly __brand: "ImagePattern" };
