import type { KubeObject } from "../objects/object.ts";
import { isTerminating } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";
import { isMigrated, provisionerOf, reclaimPolicyOf, volumePhase } from "./volume-fields.ts";

type VolumeSettings = SettingsOf<"persistentvolumes">;

/** Held while it is bound. */
export const PV_PROTECTION = "kubernetes.io/pv-protection";
/** Held while its storage has to be freed before it may go. */
export const PV_CONTROLLER = "kubernetes.io/pv-controller";

/** In-tree provisioners, and volumes made by hand, have no other deleter; a provisioner of its own has, unless listed. */
export function isFreedElsewhere(volume: KubeObject, { deleter }: VolumeSettings): boolean {
  const provisioner = provisionerOf(volume);
  if (provisioner === "" || provisioner.startsWith("kubernetes.io/")) return false;
  return !deleter?.provisioners.includes(provisioner);
}

/**
 * The finalizers a volume should have: those it has, with the two that are ours put on or taken off. None is put on a
 * volume that is being deleted. Switched off, protection is still taken off.
 *
 * Source: kubernetes `controller/volume/pvprotection`; KEP-2644 (HonorPVReclaimPolicy), which protects volumes that were
 * provisioned, and only those.
 */
export function volumeFinalizers(volume: KubeObject, settings: VolumeSettings): string[] {
  const present = volume.metadata.finalizers ?? [];
  const mustFree = reclaimPolicyOf(volume) === "Delete" && !isMigrated(volume);
  const kept = present.filter((name) => {
    if (name === PV_PROTECTION) return !isTerminating(volume) || volumePhase(volume) === "Bound";
    return name !== PV_CONTROLLER || mustFree;
  });
  if (isTerminating(volume)) return kept;
  const freesIt =
    mustFree &&
    settings.deleter !== null &&
    provisionerOf(volume) !== "" &&
    !isFreedElsewhere(volume, settings);
  if (freesIt && !kept.includes(PV_CONTROLLER)) kept.push(PV_CONTROLLER);
  if (settings.storageObjectInUseProtection && !kept.includes(PV_PROTECTION)) kept.push(PV_PROTECTION);
  return kept;
}

export const withoutFinalizers = (object: KubeObject, names: readonly string[]): KubeObject =>
  withFinalizers(
    object,
    (object.metadata.finalizers ?? []).filter((name) => !names.includes(name)),
  );

export function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: finalizers.length > 0 ? { ...metadata, finalizers: [...finalizers] } : metadata,
  };
}
