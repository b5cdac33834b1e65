import type { Kind } from "../objects/kind.ts";
import type { GroupResource, KubeObject, Millis } from "../objects/object.ts";
import { certificateSigningRequestDueAt } from "./certificatesigningrequests.ts";
import { cronJobDueAt } from "./cronjobs.ts";
import type { SweepName } from "./decision.ts";
import { eventDueAt } from "./events.ts";
import { jobDueAt } from "./jobs.ts";
import { leaseDueAt } from "./leases.ts";
import { nodeDueAt } from "./nodes.ts";
import { earlier } from "./object-fields.ts";
import { claimDueAt } from "./persistentvolumeclaims.ts";
import { volumeDueAt } from "./persistentvolumes.ts";
import { podDueAt } from "./pods.ts";
import { revisionDueAt } from "./revisions.ts";
import { secretDueAt } from "./secrets.ts";
import type { SweepSettings } from "./settings.ts";
import { storageVersionDueAt } from "./storage-versions.ts";
import { ttlDueAt } from "./ttl.ts";
import { hasTtlMarks } from "./ttl-marks.ts";

type DueAt = (object: KubeObject, sweeps: SweepSettings["sweeps"]) => Millis | null;
type Looks = readonly (readonly [SweepName, DueAt])[];

const revisions: Looks = [["revisions", (object, sweeps) => revisionDueAt(object, sweeps.revisions)]];
const leases: Looks = [["leases", (object, sweeps) => leaseDueAt(object, sweeps.leases)]];

/** The sweeps that look at one kind, by where it is stored; `ttl` looks at every kind, `orphans` stores no moment. */
const BY_STORE: ReadonlyMap<string, Looks> = new Map<string, Looks>([
  [
    "certificatesigningrequests.certificates.k8s.io",
    [
      [
        "certificatesigningrequests",
        (object, sweeps) => certificateSigningRequestDueAt(object, sweeps.certificatesigningrequests),
      ],
    ],
  ],
  ["leases.coordination.k8s.io", leases],
  ["leasecandidates.coordination.k8s.io", leases],
  [
    "storageversions.internal.apiserver.k8s.io",
    [["leases", (object, sweeps) => storageVersionDueAt(object, sweeps.leases)]],
  ],
  [
    "jobs.batch",
    [
      ["jobs", (object, sweeps) => jobDueAt(object, sweeps.jobs)],
      ["cronjobs", (object, sweeps) => cronJobDueAt(object, sweeps.cronjobs)],
    ],
  ],
  ["cronjobs.batch", [["cronjobs", (object, sweeps) => cronJobDueAt(object, sweeps.cronjobs)]]],
  ["pods", [["pods", (object, sweeps) => podDueAt(object, sweeps.pods)]]],
  [
    "persistentvolumes",
    [["persistentvolumes", (object, sweeps) => volumeDueAt(object, sweeps.persistentvolumes)]],
  ],
  [
    "persistentvolumeclaims",
    [["persistentvolumes", (object, sweeps) => claimDueAt(object, sweeps.persistentvolumes)]],
  ],
  ["nodes", [["nodes", (object, sweeps) => nodeDueAt(object, sweeps.nodes)]]],
  ["events", [["events", (object, sweeps) => eventDueAt(object, sweeps.events)]]],
  ["secrets", [["secrets", (object, sweeps) => secretDueAt(object, sweeps.secrets)]]],
  ["deployments.apps", revisions],
  ["statefulsets.apps", revisions],
  ["daemonsets.apps", revisions],
  ["replicasets.apps", revisions],
  ["controllerrevisions.apps", revisions],
]);

const NONE: Looks = [];
const looksAt = (resource: GroupResource): Looks => BY_STORE.get(resource) ?? NONE;

/** Where the kinds are stored that a sweep looks at; `ttl` and `orphans` look at every kind. */
export const storesOf = (sweep: SweepName): string[] =>
  [...BY_STORE].filter(([, looks]) => looks.some(([name]) => name === sweep)).map(([store]) => store);

/** The kinds that a sweep other than `ttl` looks at. */
export const sweptStores = (): string[] => [...BY_STORE.keys()];

/** Whether the settings have a say in when the object is looked at. */
export const isSwept = (object: KubeObject, kind: Kind): boolean =>
  BY_STORE.has(kind.storedAs) || hasTtlMarks(object);

/** Kinds of which some sweep asks for the owners: without them another moment follows. */
const BY_OWNERS: ReadonlySet<string> = new Set([
  "leases.coordination.k8s.io",
  "leasecandidates.coordination.k8s.io",
  "jobs.batch",
  "replicasets.apps",
  "controllerrevisions.apps",
]);

/** Whether the moment at which an object is looked at may change with its owners, and nothing else. */
export const isSweptByOwners = (resource: GroupResource): boolean => BY_OWNERS.has(resource);

/** The sweeps, but for `ttl`, that look at a kind: those to ask about an object that something else made due. */
export const sweepsOf = (resource: GroupResource): SweepName[] => looksAt(resource).map(([name]) => name);

/** For each sweep that could ever act on the object as it is, the first moment at which it has to be looked at. */
function dueMoments(object: KubeObject, kind: Kind, settings: SweepSettings): Map<SweepName, Millis> {
  const moments = new Map<SweepName, Millis>();
  for (const [name, dueAt] of looksAt(kind.storedAs)) {
    const due = dueAt(object, settings.sweeps);
    if (due !== null) moments.set(name, due);
  }
  const ttl = ttlDueAt(object, kind.storedAs, settings.sweeps.ttl);
  if (ttl !== null) moments.set("ttl", ttl);
  return moments;
}

/**
 * What is stored beside an object when it is written: the earliest moment at which some sweep could act on it; null when
 * none ever would without another write. It follows from the object and the settings alone.
 *
 * Invariant: no sweep that reads only the object acts on it earlier.
 */
export function sweepAt(object: KubeObject, kind: Kind, settings: SweepSettings): Millis | null {
  // Every write comes through here, so nothing is made that a plain object does not need.
  let due: Millis | null = ttlDueAt(object, kind.storedAs, settings.sweeps.ttl);
  for (const [, dueAt] of looksAt(kind.storedAs)) due = earlier(due, dueAt(object, settings.sweeps));
  return due;
}

/** The sweeps that have to look at an object that was found due. */
export function dueSweeps(object: KubeObject, kind: Kind, settings: SweepSettings, now: Millis): SweepName[] {
  return [...dueMoments(object, kind, settings)].filter(([, due]) => due <= now).map(([name]) => name);
}

/**
 * What is stored after sweeps looked and nothing was written: for each that looked, when it wants to look again (null
 * for not before the next write), and for the others their moment.
 */
export function sweepAtAfterLook(
  object: KubeObject,
  kind: Kind,
  settings: SweepSettings,
  looked: ReadonlyMap<SweepName, Millis | null>,
): Millis | null {
  const rest = [...dueMoments(object, kind, settings)].filter(([name]) => !looked.has(name));
  return [...looked.values(), ...rest.map(([, due]) => due)].reduce<Millis | null>(earlier, null);
}
