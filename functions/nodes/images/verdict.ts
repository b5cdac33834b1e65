import type { Millis } from "../../objects/object.ts";
import { isPrintable } from "../report/print-plan.ts";
import { isServedBy, matchesImage } from "../settings/image-pattern.ts";
import type { ImageSettings } from "../settings/settings.ts";
import type { ImageKey, ImageRecord, ImageRecords } from "./image-record.ts";
import { removalOf } from "./removal.ts";

/** Why an image stays, the strongest reason first. */
export type KeptBecause =
  /** A container, running or not, uses it. */
  | "in-use"
  /** The runtime says so. */
  | "pinned"
  /** Sandboxes are made of it. */
  | "sandbox"
  /** It is on the keep-list. */
  | "kept"
  /** Until a moment that is set. */
  | "protected"
  /** No registry of the cluster's list could serve it again. */
  | "no-registry"
  /** Its id is not one that could be handed to the runtime safely. */
  | "unsafe-id"
  /** Seen for a shorter time than the minimum age. */
  | "too-young"
  /** It was in use at the very moment of the look. */
  | "just-used";

export type Verdict =
  | { readonly state: "kept"; readonly because: KeptBecause }
  /** `place` 1 goes first. */
  | { readonly state: "next"; readonly place: number };

/** What never goes, whatever the disk says; `undefined` for an image that may go. */
function exemption(record: ImageRecord, settings: ImageSettings, now: Millis): KeptBecause | undefined {
  if (record.inUse) return "in-use";
  if (record.pinned) return "pinned";
  if (isSandboxImage(record)) return "sandbox";
  const { keep, protect, registries } = settings;
  if (keep.some((pattern) => matchesImage(pattern, record))) return "kept";
  if (protect.some(({ image, until }) => until > now && matchesImage(image, record))) return "protected";
  if (registries !== undefined && !isServedBy(registries, record)) return "no-registry";
  return isPrintable(removalOf(record, "space")) ? undefined : "unsafe-id";
}

/**
 * What the threshold run and the run under disk pressure wait for, and the pass by age does not.
 * Source: kubernetes pkg/kubelet/images/image_gc_manager.go (freeSpace).
 */
export function tooRecent(
  { firstDetected, lastUsed }: ImageRecord,
  settings: ImageSettings,
  now: Millis,
): KeptBecause | undefined {
  if (lastUsed !== null && lastUsed >= now) return "just-used";
  return now - firstDetected < settings.minimumAge ? "too-young" : undefined;
}

/** Least recently used first, never used before all; then the one seen first. The key settles the rest. */
function byAge(a: ImageRecord, b: ImageRecord): number {
  if (a.lastUsed !== b.lastUsed) {
    if (a.lastUsed === null) return -1;
    return b.lastUsed === null ? 1 : a.lastUsed - b.lastUsed;
  }
  return a.firstDetected - b.firstDetected || (a.key < b.key ? -1 : 1);
}

/** Those that may go, in the order in which they go. */
export function candidates(records: ImageRecords, settings: ImageSettings, now: Millis): ImageRecord[] {
  return [...records.values()].filter((record) => exemption(record, settings, now) === undefined).sort(byAge);
}

/** What is said about each image of a node: why it stays, or when it goes. */
export function verdicts(
  records: ImageRecords,
  settings: ImageSettings,
  now: Millis,
): ReadonlyMap<ImageKey, Verdict> {
  const said = new Map<ImageKey, Verdict>();
  const going: ImageRecord[] = [];
  for (const record of records.values()) {
    const because = exemption(record, settings, now) ?? tooRecent(record, settings, now);
    if (because === undefined) going.push(record);
    else said.set(record.key, { state: "kept", because });
  }
  going.sort(byAge);
  for (const [i, { key }] of going.entries()) said.set(key, { state: "next", place: i + 1 });
  return said;
}

/** As upstream's images of sandboxes are called: `registry.k8s.io/pause`, `rancher/mirrored-pause`. */
const SANDBOX = /(^|\/)(mirrored-)?pause(:|@|$)/;

/**
 * Upstream asked the runtime which image sandboxes are made of (release 1.20), and later relied on the runtime to
 * pin it. Old runtimes do not, so that it is told by its name here.
 */
const isSandboxImage = ({ tags, digests }: ImageRecord): boolean =>
  [...tags, ...digests].some((name) => SANDBOX.test(name));
