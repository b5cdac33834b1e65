import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, deletion, type EventNote, keep, referenceTo, skip } from "./decision.ts";
import { specOf, statusOf, withStatus } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";
import {
  BOUND_BY_CONTROLLER,
  claimOf,
  isMigrated,
  provisionerOf,
  reclaimPolicyOf,
  volumePhase,
} from "./volume-fields.ts";
import { isFreedElsewhere, PV_CONTROLLER, PV_PROTECTION, withoutFinalizers } from "./volume-finalizers.ts";

type VolumeSettings = SettingsOf<"persistentvolumes">;

/** The object, freshly read, that has the namespace and name of the volume's claim. */
export type ClaimWitness =
  | { found: "present"; uid: string; volumeName: string }
  | { found: "absent" }
  | { found: "unknown"; problem: string };

/** What the deleter said about the storage. */
export type ReclaimAnswer =
  | { result: "done" }
  /** Something still has it attached: not a failure. */
  | { result: "in-use"; message: string }
  | { result: "failed"; message: string };

export interface ReclaimFacts {
  claim: ClaimWitness;
  /** Names of Pods, neither Succeeded nor Failed, that use the claim's name; asked for with policy Recycle only. */
  activePods: readonly string[];
  /** How often in a row the deleter failed for this volume. */
  failures: number;
  /** Filled in when an `ask` decision wants it, and for that one decision only. */
  answer?: ReclaimAnswer;
}

/** By the volume alone: whether its phase says that there is something to reclaim, or is not the one it should be. */
export function needsReclaim(volume: KubeObject): boolean {
  const phase = volumePhase(volume);
  if ((claimOf(volume)?.uid ?? "") === "") return phase !== "Available";
  if (phase === "Bound") return false;
  const ours = reclaimPolicyOf(volume) !== "Retain" && !isMigrated(volume);
  return (phase !== "Released" && phase !== "Failed") || ours;
}

/**
 * The next step towards reclaiming a volume whose claim is gone: Released first, then what its policy says. Retain keeps
 * it for ever; Delete frees the storage through the deleter and then deletes the volume; Recycle makes it Available again.
 *
 * Source: kubernetes `controller/volume/persistentvolume` (syncVolume, reclaimVolume, deleteVolumeOperation,
 * recycleVolumeOperation).
 */
export function decideReclaim(
  volume: KubeObject,
  facts: ReclaimFacts,
  settings: VolumeSettings,
  now: Millis,
): Decision {
  const claim = claimOf(volume);
  const phase = volumePhase(volume);
  if (claim === undefined || claim.uid === "") {
    return phase === "Available"
      ? keep("is available")
      : toPhase(volume, "Available", "is bound to no claim", null);
  }
  const found = facts.claim;
  if (found.found === "unknown") return skip(found.problem, now + retryAfter(facts));
  if (found.found === "present" && found.uid === claim.uid) {
    if (found.volumeName === volume.metadata.name) return keep("is bound to its claim");
    if (found.volumeName === "") return keep("is being bound to its claim");
    // The claim took another volume. What was made for it, and is to be deleted, has no other use.
    if (provisionerOf(volume) === "" || reclaimPolicyOf(volume) !== "Delete") return unbound(volume, now, []);
  }
  if (phase !== "Released" && phase !== "Failed") {
    return toPhase(volume, "Released", "its claim is gone", now);
  }
  if (isMigrated(volume)) return keep("an external component reclaims it");
  switch (reclaimPolicyOf(volume)) {
    case "Retain":
      return keep("its policy is Retain");
    case "Delete":
      return decideFreeing(volume, facts, settings, now);
    case "Recycle":
      return decideRecycling(volume, facts, settings, now);
    default:
      return failed(volume, "VolumeUnknownReclaimPolicy", "Volume has unrecognized reclaim policy", null);
  }
}

const NO_PLUGIN = "no volume plugin matched: no deleter is configured";

function decideFreeing(
  volume: KubeObject,
  facts: ReclaimFacts,
  settings: VolumeSettings,
  now: Millis,
): Decision {
  if (isFreedElsewhere(volume, settings)) return keep(`provisioner ${provisionerOf(volume)} deletes it`);
  if (settings.deleter === null) return failed(volume, "VolumeFailedDelete", NO_PLUGIN, null);
  const { answer } = facts;
  if (answer === undefined)
    return { act: "ask", question: { ask: "delete-volume", url: settings.deleter.url, volume } };
  switch (answer.result) {
    case "done":
      return {
        act: "patch-then-delete",
        patch: {
          next: withoutFinalizers(volume, [PV_CONTROLLER, PV_PROTECTION]),
          subresource: undefined,
        },
        deletion: deletion(volume, "volume-reclaimed", "its claim is gone and its storage was freed"),
      };
    case "in-use":
      return {
        ...keep("its storage is still in use", now + retryAfter(facts)),
        events: [note(volume, "Normal", "VolumeDelete", answer.message)],
      };
    case "failed":
      return failed(volume, "VolumeFailedDelete", answer.message, now + retryAfter(facts));
  }
}

function decideRecycling(
  volume: KubeObject,
  facts: ReclaimFacts,
  settings: VolumeSettings,
  now: Millis,
): Decision {
  const [user] = facts.activePods;
  if (user !== undefined) {
    const claim = claimOf(volume);
    return {
      ...keep("a Pod uses its claim", now + retryAfter(facts)),
      events: [
        note(
          volume,
          "Normal",
          "VolumeFailedRecycle",
          `Volume is used by pods: ${claim?.namespace ?? ""}/${user}`,
        ),
      ],
    };
  }
  if (settings.deleter === null) return failed(volume, "VolumeFailedRecycle", NO_PLUGIN, null);
  const { answer } = facts;
  if (answer === undefined)
    return { act: "ask", question: { ask: "recycle-volume", url: settings.deleter.url, volume } };
  if (answer.result === "done") {
    return unbound(volume, now, [note(volume, "Normal", "VolumeRecycled", "Volume recycled")]);
  }
  return failed(volume, "VolumeFailedRecycle", answer.message, now + retryAfter(facts));
}

/** Half a second, doubling, at most two minutes and two seconds: as upstream holds back an operation that failed. */
const retryAfter = ({ failures }: ReclaimFacts): Millis => Math.min(122_000, 500 * 2 ** failures);

function toPhase(volume: KubeObject, phase: string, reason: string, next: Millis | null): Decision {
  const { reason: _, message: __, ...status } = statusOf(volume);
  const patched = withStatus({ ...volume, status }, { phase });
  return { act: "patch", patch: { next: patched, subresource: "status" }, reason, next, events: [] };
}

/** A volume that has failed stays so, and says so once for each message. */
function failed(volume: KubeObject, reason: string, message: string, next: Millis | null): Decision {
  const status = statusOf(volume);
  if (status.phase === "Failed" && status.message === message) return keep(message, next);
  const patched = withStatus(volume, { phase: "Failed", message });
  return {
    act: "patch",
    patch: { next: patched, subresource: "status" },
    reason: message,
    next,
    events: [note(volume, "Warning", reason, message)],
  };
}

/** Its phase follows in the next step: status is written apart from the rest. */
function unbound(volume: KubeObject, now: Millis, events: readonly EventNote[]): Decision {
  const claim = specOf(volume).claimRef;
  const { claimRef: _, ...spec } = specOf(volume);
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata.annotations ?? {};
  const next: KubeObject =
    byController === undefined
      ? { ...volume, spec: { ...spec, claimRef: named(claim) } }
      : { ...volume, metadata: { ...volume.metadata, annotations }, spec };
  return {
    act: "patch",
    patch: { next, subresource: undefined },
    reason: "it is free for another claim",
    next: now,
    events,
  };
}

/** A claim that the user named in advance stays named, and may be bound again. */
function named(claim: unknown): Record<string, unknown> {
  const { uid: _, ...rest } = claim as Record<string, unknown>;
  return rest;
}

function note(volume: KubeObject, type: EventNote["type"], reason: string, message: string): EventNote {
  const about = referenceTo(volume);
  return { when: "done", type, reason, message, component: "persistentvolume-controller", about };
}
