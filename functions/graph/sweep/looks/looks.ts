import { decideCertificateSigningRequest } from "../../../sweeps/certificatesigningrequests.ts";
import type { SweepName } from "../../../sweeps/decision.ts";
import { decideEvent } from "../../../sweeps/events.ts";
import { decideJob } from "../../../sweeps/jobs.ts";
import { decideTtl } from "../../../sweeps/ttl.ts";
import type { SweptObject } from "../swept-objects.ts";
import { type SweepView, type Verdict, verdict } from "../view.ts";
import { lookAtHistories } from "./histories.ts";
import { lookAtLeases } from "./leases.ts";
import { lookAtNodes } from "./nodes.ts";
import { lookAtOrphans } from "./orphans.ts";
import { lookAtPods } from "./pods.ts";
import { lookAtSecrets } from "./secrets.ts";
import { lookAtVolumes } from "./volumes.ts";

/** Reads the facts that a sweep needs for all objects together, and decides about each. */
export type Look = (objects: readonly SweptObject[], view: SweepView) => Promise<Verdict[]>;

/** Where an object is all that its sweep reads. */
const alone =
  (sweep: SweepName, decide: (swept: SweptObject, view: SweepView) => ReturnType<typeof decideJob>): Look =>
  async (objects, view) =>
    objects.map((swept) => verdict(sweep, swept, view, () => decide(swept, view)));

export const LOOKS: Readonly<Record<SweepName, Look>> = {
  orphans: lookAtOrphans,
  certificatesigningrequests: alone("certificatesigningrequests", ({ object }, { settings, now }) =>
    decideCertificateSigningRequest(object, settings.sweeps.certificatesigningrequests, now),
  ),
  leases: lookAtLeases,
  jobs: alone("jobs", ({ object }, { settings, now }) => decideJob(object, settings.sweeps.jobs, now)),
  cronjobs: lookAtHistories("cronjobs"),
  pods: lookAtPods,
  persistentvolumes: lookAtVolumes,
  nodes: lookAtNodes,
  events: alone("events", ({ object }, { settings, now }) =>
    decideEvent(object, settings.sweeps.events, now),
  ),
  secrets: lookAtSecrets,
  revisions: lookAtHistories("revisions"),
  ttl: alone("ttl", ({ object, stored }, { settings, now }) =>
    decideTtl(object, stored.resource, settings.sweeps.ttl, now),
  ),
};
