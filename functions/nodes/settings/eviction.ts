import { type FieldError, invalidValue, unsupportedValue } from "../../objects/failure.ts";
import { isJsonObject, type Json } from "../../objects/json.ts";
import { readQuantity } from "./quantity.ts";
import type { DiskSignal, Quantity } from "./settings.ts";

export type Thresholds = Readonly<Partial<Record<DiskSignal, Quantity>>>;

const DISK_SIGNALS: ReadonlySet<string> = new Set<DiskSignal>([
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
]);
const OTHER_SIGNALS = ["memory.available", "allocatableMemory.available", "pid.available"];

/** Source: kubelet `apis/config/v1beta1/defaults_linux.go`. */
export const DEFAULT_EVICTION_HARD: Thresholds = {
  "nodefs.available": { percent: 10 },
  "nodefs.inodesFree": { percent: 5 },
  "imagefs.available": { percent: 15 },
  "imagefs.inodesFree": { percent: 5 },
};

/**
 * `evictionHard` or `evictionMinimumReclaim`: signals with `10%` or `1Gi`. Rules and messages are those of kubelet's
 * `eviction/helpers.go`; a threshold of 0% or 100% turns its signal off there and here. Signals that are not about
 * disks are checked by name and left out.
 */
export function readThresholds(
  value: Json,
  field: string,
  meaning: "threshold" | "minimum reclaim",
  errors: FieldError[],
): Thresholds {
  if (!isJsonObject(value)) {
    errors.push(invalidValue(field, JSON.stringify(value), "must be a map of signals to quantities"));
    return {};
  }
  const thresholds: Partial<Record<DiskSignal, Quantity>> = {};
  for (const [signal, amount] of Object.entries(value)) {
    const path = `${field}[${signal}]`;
    if (OTHER_SIGNALS.includes(signal)) continue;
    if (!isDiskSignal(signal)) {
      errors.push(unsupportedValue(path, signal, [...DISK_SIGNALS, ...OTHER_SIGNALS]));
      continue;
    }
    const quantity = readAmount(signal, amount, meaning);
    if (typeof quantity === "string") errors.push(invalidValue(path, shown(amount), quantity));
    else if (quantity !== undefined) thresholds[signal] = quantity;
  }
  return thresholds;
}

const isDiskSignal = (signal: string): signal is DiskSignal => DISK_SIGNALS.has(signal);
const shown = (value: Json): unknown => (typeof value === "string" ? value : JSON.stringify(value));

/** A text is the fault; undefined turns the signal off. */
function readAmount(signal: DiskSignal, value: Json, meaning: string): Quantity | string | undefined {
  if (typeof value !== "string") return "must be a quantity or a percentage, as a string";
  if (value.endsWith("%")) {
    const percent = Number(value.slice(0, -1));
    if (value.length < 2 || Number.isNaN(percent)) return `${value} is not a percentage`;
    if (meaning === "minimum reclaim")
      return percent <= 0
        ? `eviction percentage minimum reclaim ${signal} must be positive: ${value}`
        : { percent };
    if (percent < 0) return `eviction percentage threshold ${signal} must be >= 0%: ${value}`;
    if (percent > 100) return `eviction percentage threshold ${signal} must be <= 100%: ${value}`;
    return percent === 0 || percent === 100 ? undefined : { percent };
  }
  const amount = readQuantity(value);
  if (amount === undefined)
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  if (meaning === "minimum reclaim")
    return amount < 0 ? `negative eviction minimum reclaim specified for ${signal}` : { amount };
  return amount <= 0 ? `eviction threshold ${signal} must be positive: ${value}` : { amount };
}
