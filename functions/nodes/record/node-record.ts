import type { Millis } from "../../objects/object.ts";
import type { ImageKey, ImageRecords } from "../images/image-record.ts";
import type { ImageRunCounts } from "../plan/count-runs.ts";
import type { IssuedPlan, PlanStep, RemovalReason } from "../plan/plan.ts";
import type { Pressure } from "../plan/pressure.ts";
import type { ContainerId, ContainerState, ReportedFileSystems } from "../report/report.ts";

/** What is known of a container of a node. */
export interface ContainerRecord {
  readonly id: ContainerId;
  readonly podUid: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: ContainerState;
  /** On the node's clock. */
  readonly createdAt: Millis;
  /** When it was first seen to have ended; null while it has not. */
  readonly exitedAt: Millis | null;
}

/**
 * One collection of images, which may take several reports: what a plan removed is known only with the next one.
 *
 *     age ──► space ──► over         pressure ──► over
 */
export interface ImageRun {
  readonly phase: RemovalReason;
  readonly beganAt: Millis;
  /** Bytes; undefined until the file system was measured, and for pressure, which wants all. */
  readonly wanted: number | undefined;
  /** Bytes, by recorded sizes, as upstream counts. */
  readonly freed: number;
  readonly removed: number;
  /** What could not be removed is not tried again in this run. */
  readonly failed: readonly { readonly key: ImageKey; readonly message: string }[];
  /** What went by age, before the phase "space" began to count anew. */
  readonly aged?: { readonly freed: number; readonly removed: number };
  /** How full the file system was before the first removal for space. */
  readonly usedPercent?: number;
  /** Set when a run under pressure came to its end and the pressure lasts: how many failures were told by then. */
  readonly told?: number;
}

/** How a run ended, for people. */
export interface ImageRunOutcome {
  readonly phase: RemovalReason;
  readonly endedAt: Millis;
  readonly wanted: number | undefined;
  readonly freed: number;
  readonly removed: number;
  /** Why it failed; null when it did not. */
  readonly error: string | null;
}

/** Events that were decided lately, so that the same one is not written every minute. */
export interface EventMemory {
  readonly reason: string;
  readonly message: string;
  readonly firstAt: Millis;
  readonly writtenAt: Millis;
  readonly count: number;
}

export type Counts = Readonly<Record<RemovalReason, { readonly images: number; readonly bytes: number }>>;

/** All that is known of a node. Ages are on our clock; it outlives the node's processes, and the node's absence. */
export interface NodeRecord {
  /** The highest sequence of a report that was taken; -1 before the first. */
  readonly sequence: number;
  readonly reportedAt: Millis | null;
  readonly boot: string;
  /** Since when images are tracked without a break: the first report, or the latest boot when ages begin anew with it. */
  readonly trackedSince: Millis;
  /** When it came back after it had not been heard from for long. */
  readonly backAt: Millis | null;
  readonly fileSystems: ReportedFileSystems | null;
  readonly images: ImageRecords;
  readonly containers: ReadonlyMap<ContainerId, ContainerRecord>;
  readonly pressure: Pressure;
  /** The latest plan, while nothing is known of what became of it. */
  readonly plan: IssuedPlan | null;
  /** The highest number of a plan. */
  readonly planNumber: number;
  /** What would have gone, had the settings not said to report only. */
  readonly withheld: readonly PlanStep[];
  readonly imageRun: ImageRun | null;
  readonly imagesLookedAt: Millis | null;
  readonly containersLookedAt: Millis | null;
  /** Runs that failed, in a row. */
  readonly imageFailures: number;
  readonly lastImageRun: ImageRunOutcome | null;
  readonly imageRuns: ImageRunCounts;
  readonly removedImages: Counts;
  readonly removedContainers: number;
  readonly events: readonly EventMemory[];
  /** Whether there was a Node object of its name at the latest report. */
  readonly registered: boolean;
}

const NO_IMAGES = { images: 0, bytes: 0 };

export const EMPTY_RECORD: NodeRecord = {
  sequence: -1,
  reportedAt: null,
  boot: "",
  trackedSince: 0,
  backAt: null,
  fileSystems: null,
  images: new Map(),
  containers: new Map(),
  pressure: {},
  plan: null,
  planNumber: 0,
  withheld: [],
  imageRun: null,
  imagesLookedAt: null,
  containersLookedAt: null,
  imageFailures: 0,
  lastImageRun: null,
  imageRuns: { attempts: [], targets: [], skipped: [], failed: {}, usedPercent: null },
  removedImages: { age: NO_IMAGES, space: NO_IMAGES, pressure: NO_IMAGES },
  removedContainers: 0,
  events: [],
  registered: false,
};
