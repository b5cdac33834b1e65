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

type DueAt = (object: KubeObject, sweeps: SweepSettings["sweeps"]) => Millis | null;
type DueAtBySweep = Partial<Record<SweepName, DueAt>>;

const revisions: DueAt = (object, sweeps) => revisionDueAt(object, sweeps.revisions);

/** The sweeps that look at one kind, by where it is stored; `ttl` looks at every kind, `orphans` stores no moment. */
const BY_STORE: Readonly<Record<string, DueAtBySweep>> = {
  "certificatesigningrequests.certificates.k8s.io": {
    certificatesigningrequests: (object, sweeps) =>
      certificateSigningRequestDueAt(object, sweeps.certificatesigningrequests),
  },
  "leases.coordination.k8s.io": { leases: (object, sweeps) => leaseDueAt(object, sweeps.leases) },
  "leasecandidates.coordination.k8s.io": { leases: (object, sweeps) => leaseDueAt(object, sweeps.leases) },
  "storageversions.internal.apiserver.k8s.io": {
    leases: (object, sweeps) => storageVersionDueAt(object, sweeps.leases),
  },
  "jobs.batch": {
    jobs: (object, sweeps) => jobDueAt(object, sweeps.jobs),
    cronjobs: (object, sweeps) => cronJobDueAt(object, sweeps.cronjobs),
  },
  "cronjobs.batch": { cronjobs: (object, sweeps) => cronJobDueAt(object, sweeps.cronjobs) },
  pods: { pods: (object, sweeps) => podDueAt(object, sweeps.pods) },
  persistentvolumes: { persistentvolumes: (object, sweeps) => volumeDueAt(object, sweeps.persistentvolumes) },
  persistentvolumeclaims: {
    persistentvolumes: (object, sweeps) => claimDueAt(object, sweeps.persistentvolumes),
  },
  nodes: { nodes: (object, sweeps) => nodeDueAt(object, sweeps.nodes) },
  events: { events: (object, sweeps) => eventDueAt(object, sweeps.events) },
  secrets: { secrets: (object, sweeps) => secretDueAt(object, sweeps.secrets) },
  "deployments.apps": { revisions },
  "statefulsets.apps": { revisions },
  "daemonsets.apps": { revisions },
  "replicasets.apps": { revisions },
  "controllerrevisions.apps": { revisions },
};

const NONE: DueAtBySweep = {};
const sweepsOf = (resource: GroupResource): DueAtBySweep =>
  Object.hasOwn(BY_STORE, resource) ? (BY_STORE[resource] ?? NONE) : NONE;

/** For each sweep that could ever act on the object as it is, the first moment at which it has to be looked at. */
function dueMoments(object: KubeObject, kind: Kind, settings: SweepSettings): Map<SweepName, Millis> {
  const moments = new Map<SweepName, Millis>();
  for (const [name, dueAt] of Object.entries(sweepsOf(kind.storedAs)) as [SweepName, DueAt][]) {
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
  return [...dueMoments(object, kind, settings).values()].reduce<Millis | null>(earlier, null);
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
