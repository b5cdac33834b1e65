import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep } from "./decision.ts";
import { dueNow, isTerminating } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";
import { volumeFinalizers, withFinalizers } from "./volume-finalizers.ts";
import { decideReclaim, needsReclaim, type ReclaimFacts } from "./volume-reclaim.ts";

type VolumeSettings = SettingsOf<"persistentvolumes">;

/**
 * Due at once are volumes whose finalizers or phase are not what they should be, those being deleted, and those that wait
 * to be reclaimed. That a Bound volume's claim has gone is not found here: whoever removes a claim makes the volume it
 * names (`spec.volumeName`) due.
 */
export function volumeDueAt(volume: KubeObject, settings: VolumeSettings): Millis | null {
  if (!settings.enabled) return null;
  const due = isTerminating(volume) || finalizersDiffer(volume, settings) || needsReclaim(volume);
  return due ? dueNow(volume) : null;
}

function finalizersDiffer(volume: KubeObject, settings: VolumeSettings): boolean {
  const wanted = volumeFinalizers(volume, settings);
  const present = volume.metadata.finalizers ?? [];
  return wanted.length !== present.length || wanted.some((name) => !present.includes(name));
}

/**
 * The next step of one volume; each is taken from what is stored, so that a run which ends anywhere is resumed. A volume
 * that lives is protected first. One that is being deleted is reclaimed before its protection goes, so that its storage
 * is not forgotten.
 *
 * Source: kubernetes `controller/volume/persistentvolume` (syncVolume), `controller/volume/pvprotection`, KEP-2644.
 */
export function decideVolume(
  volume: KubeObject,
  facts: ReclaimFacts,
  settings: VolumeSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (!isTerminating(volume) && finalizersDiffer(volume, settings)) return refinalized(volume, settings, now);
  const reclaim = decideReclaim(volume, facts, settings, now);
  const settled = reclaim.act === "keep" && reclaim.next === null;
  if (settled && finalizersDiffer(volume, settings)) return refinalized(volume, settings, null);
  // The protection of one that is being deleted is still to go.
  const goesOn = isTerminating(volume) && reclaim.act === "patch" && reclaim.next === null;
  return goesOn ? { ...reclaim, next: now } : reclaim;
}

function refinalized(volume: KubeObject, settings: VolumeSettings, next: Millis | null): Decision {
  return {
    act: "patch",
    patch: {
      next: withFinalizers(volume, volumeFinalizers(volume, settings)),
      subresource: undefined,
    },
    reason: "its finalizers are not those it should have",
    next,
    events: [],
  };
}
