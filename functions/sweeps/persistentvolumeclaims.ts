import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep, skip } from "./decision.ts";
import { controllerOf, dueNow, fieldsOf, isTerminating, membersOf, specOf, textOf } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";
import { withFinalizers, withoutFinalizers } from "./volume-finalizers.ts";

type VolumeSettings = SettingsOf<"persistentvolumes">;

/** Held while a scheduled Pod uses the claim. */
const PVC_PROTECTION = "kubernetes.io/pvc-protection";

/** A claim that is in use is looked at again after this, though its last Pod's removal makes it due before. */
const LOOK_AGAIN = 60_000;

const isProtected = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.includes(PVC_PROTECTION) === true;

export function claimDueAt(claim: KubeObject, settings: VolumeSettings): Millis | null {
  if (!settings.enabled) return null;
  const due = isTerminating(claim)
    ? isProtected(claim)
    : settings.storageObjectInUseProtection && !isProtected(claim);
  return due ? dueNow(claim) : null;
}

export interface ClaimFacts {
  /** All Pods of the claim's namespace, freshly read; asked for while the claim is being deleted only. */
  pods: { found: readonly KubeObject[] } | { problem: string };
}

/**
 * Protects a claim, and lets go of one that is being deleted when no Pod uses it. Its removal makes its volume Released.
 *
 * Source: kubernetes `controller/volume/pvcprotection`, KEP-498.
 */
export function decideClaim(
  claim: KubeObject,
  { pods }: ClaimFacts,
  settings: VolumeSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (!isTerminating(claim)) {
    if (isProtected(claim) || !settings.storageObjectInUseProtection) return keep("lives");
    const finalizers = [...(claim.metadata.finalizers ?? []), PVC_PROTECTION];
    return refinalized(withFinalizers(claim, finalizers), "is not protected");
  }
  if (!isProtected(claim)) return keep("is being deleted, and not held by its protection");
  if ("problem" in pods) return skip(pods.problem, now + LOOK_AGAIN);
  const user = pods.found.find((pod) => usesClaim(pod, claim));
  return user === undefined
    ? refinalized(withoutFinalizers(claim, [PVC_PROTECTION]), "no Pod uses it any more")
    : keep(`Pod ${user.metadata.name} uses it`, now + LOOK_AGAIN);
}

const refinalized = (next: KubeObject, reason: string): Decision => ({
  act: "patch",
  patch: { next, subresource: undefined },
  reason,
  next: null,
  events: [],
});

/**
 * A scheduled Pod uses a claim that it names, in any phase: one that has ended may still have it mounted. Its own
 * ephemeral claim counts while it can still run, or the two would wait for each other.
 *
 * Source: kubernetes `controller/volume/pvcprotection` (podUsesPVC), `component-helpers/storage/ephemeral`.
 */
function usesClaim(pod: KubeObject, claim: KubeObject): boolean {
  const { nodeName, volumes } = specOf(pod);
  if (textOf(nodeName) === "" || pod.metadata.namespace !== claim.metadata.namespace) return false;
  return membersOf(volumes).some((volume) => {
    if (fieldsOf(volume.persistentVolumeClaim).claimName === claim.metadata.name) return true;
    if (volume.ephemeral === undefined || volume.ephemeral === null) return false;
    const isIts =
      `${pod.metadata.name}-${textOf(volume.name)}` === claim.metadata.name &&
      controllerOf(claim)?.uid === pod.metadata.uid;
    return isIts && !(isTerminating(pod) && (pod.metadata.deletionGracePeriodSeconds ?? 0) === 0);
  });
}
