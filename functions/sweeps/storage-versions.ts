import type { JsonObject } from "../objects/json.ts";
import { type KubeObject, type Millis, timestamp } from "../objects/object.ts";
import { type Decision, keep, remove } from "./decision.ts";
import {
  conditionsOf,
  dueNow,
  isTerminating,
  membersOf,
  statusOf,
  textOf,
  withStatus,
} from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

/**
 * Part of the sweep of leases: a StorageVersion lists API servers, each of which has an identity Lease. It is looked at
 * when it was written, and when an identity Lease went; read for it are the Leases of the ids it names.
 */
export function storageVersionDueAt(version: KubeObject, settings: SettingsOf<"leases">): Millis | null {
  return settings.enabled && !isTerminating(version) && serversOf(version).length > 0
    ? dueNow(version)
    : null;
}

/** The ids of the API servers it names: the names of their Leases in `kube-system`. */
export const serversOf = (version: KubeObject): string[] =>
  membersOf(statusOf(version).storageVersions).map(({ apiServerID }) => textOf(apiServerID));

/**
 * Drops the entries of API servers without a valid identity Lease; a StorageVersion that loses its last one goes.
 *
 * Source: kubernetes `controller/storageversiongc`; `apiserver/pkg/storageversion` (SetCommonEncodingVersion).
 *
 * @param valid ids whose Lease exists and is an identity Lease, freshly read
 */
export function decideStorageVersion(
  version: KubeObject,
  valid: ReadonlySet<string>,
  settings: SettingsOf<"leases">,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (isTerminating(version)) return keep("is being deleted");
  const entries = membersOf(statusOf(version).storageVersions);
  const left = entries.filter(({ apiServerID }) => valid.has(textOf(apiServerID)));
  if (left.length === entries.length) return keep("its API servers are there");
  if (left.length === 0)
    return remove(version, "storage-version-unserved", "no API server serves it any more");
  return {
    act: "patch",
    patch: { next: withServers(version, left, now), subresource: "status" },
    reason: "some of its API servers are gone",
    next: null,
    events: [],
  };
}

const AGREE = "AllEncodingVersionsEqual";

function withServers(version: KubeObject, entries: JsonObject[], now: Millis): KubeObject {
  const encodings = new Set(entries.map(({ encodingVersion }) => textOf(encodingVersion)));
  const [common = ""] = encodings;
  const agree = encodings.size === 1;
  const before = conditionsOf(version).find(({ type }) => type === AGREE);
  const status = agree ? "True" : "False";
  const condition: JsonObject = {
    type: AGREE,
    status,
    ...(typeof version.metadata.generation === "number"
      ? { observedGeneration: version.metadata.generation }
      : {}),
    lastTransitionTime:
      before?.status === status && typeof before.lastTransitionTime === "string"
        ? before.lastTransitionTime
        : timestamp(now),
    reason: agree ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: agree ? "Common encoding version set" : "Common encoding version unset",
  };
  const { commonEncodingVersion: _, ...fields } = statusOf(version);
  return withStatus(
    { ...version, status: fields },
    {
      storageVersions: entries,
      ...(agree ? { commonEncodingVersion: common } : {}),
      conditions: [...conditionsOf(version).filter(({ type }) => type !== AGREE), condition],
    },
  );
}
