import type { Millis } from "../../objects/object.ts";
import type { FileSystemFigures, ReportedFileSystems } from "../report/report.ts";
import type { DiskSignal, EvictionSettings, Quantity } from "../settings/settings.ts";

/** Signals under pressure, and since when. */
export type Pressure = Readonly<Partial<Record<DiskSignal, Millis>>>;

/** What may be freed for the signals that are under pressure. */
export interface Relief {
  readonly containers: boolean;
  readonly images: boolean;
}

const SIGNALS: readonly DiskSignal[] = [
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
];

/**
 * The signals that are under pressure: less than the threshold is left, or, once that was so, less than threshold and
 * minimum reclaim together. A signal whose figures are missing is not.
 *
 * Source: kubernetes pkg/kubelet/eviction/helpers.go (thresholdsMet), eviction_manager.go (synchronize).
 */
export function pressureOf(
  fileSystems: ReportedFileSystems,
  { hard, minimumReclaim }: EvictionSettings,
  before: Pressure,
  now: Millis,
): Pressure {
  const pressure: Partial<Record<DiskSignal, Millis>> = {};
  for (const signal of SIGNALS) {
    const threshold = hard[signal];
    const figures = threshold && figuresOf(signal, fileSystems);
    if (threshold === undefined || figures === undefined) continue;
    const since = before[signal];
    const reclaim = since === undefined ? undefined : minimumReclaim[signal];
    const least = amountOf(threshold, figures.capacity) + (reclaim ? amountOf(reclaim, figures.capacity) : 0);
    if (figures.available < least) pressure[signal] = since ?? now;
  }
  return pressure;
}

/**
 * Where images and containers lie decides what helps. When it cannot be told where they are, nothing is freed for
 * pressure.
 *
 * Source: kubernetes pkg/kubelet/eviction/helpers.go (buildSignalToNodeReclaimFuncs).
 */
export function reliefFor(pressure: Pressure, layout: ReportedFileSystems["layout"]): Relief {
  const met = (fileSystem: string): boolean =>
    Object.keys(pressure).some((signal) => signal.startsWith(`${fileSystem}.`));
  switch (layout) {
    case "one": {
      const both = met("nodefs") || met("imagefs");
      return { containers: both, images: both };
    }
    case "dedicated":
      return { containers: met("imagefs"), images: met("imagefs") };
    case "split":
      return { containers: met("nodefs") || met("containerfs"), images: met("imagefs") };
    case "unknown":
      return { containers: false, images: false };
  }
}

type Left = Pick<FileSystemFigures, "capacity" | "available">;

function figuresOf(signal: DiskSignal, fileSystems: ReportedFileSystems): Left | undefined {
  const [name, resource] = signal.split(".") as ["nodefs" | "imagefs" | "containerfs", string];
  const figures = fileSystems[name];
  return resource === "available" ? figures : figures?.inodes;
}

/** Source: kubernetes pkg/kubelet/eviction/api/types.go (GetThresholdQuantity): percents are cut. */
const amountOf = (quantity: Quantity, capacity: number): number =>
  "amount" in quantity ? quantity.amount : Math.trunc((capacity * quantity.percent) / 100);
