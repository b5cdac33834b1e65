import type { KubeObject } from "../../objects/object.ts";
import type { SweepName, SweepRule } from "../../sweeps/decision.ts";
import { controllerKind } from "../../sweeps/object-fields.ts";
import { API_SERVER, GARBAGE_COLLECTOR } from "../drain/actors.ts";

const controller = (name: string): string => `system:serviceaccount:kube-system:${name}`;

/** Of writes that are no deletions, by sweep. */
const WRITERS: Readonly<Record<SweepName, string>> = {
  orphans: GARBAGE_COLLECTOR,
  certificatesigningrequests: controller("certificate-controller"),
  leases: controller("storage-version-garbage-collector"),
  jobs: controller("ttl-after-finished-controller"),
  cronjobs: controller("cronjob-controller"),
  pods: controller("pod-garbage-collector"),
  persistentvolumes: controller("persistent-volume-binder"),
  nodes: controller("cloud-node-lifecycle-controller"),
  events: API_SERVER,
  secrets: controller("token-cleaner"),
  revisions: controller("deployment-controller"),
  ttl: controller("kubegc-ttl"),
};

/** Where a sweep does what several of upstream's controllers do. */
const BY_RULE: Partial<Record<SweepRule, string>> = {
  "identity-lease-expired": API_SERVER,
  "lease-candidate-expired": API_SERVER,
  "node-lease-abandoned": GARBAGE_COLLECTOR,
  "legacy-token-unused": controller("legacy-service-account-token-cleaner"),
};

/**
 * In whose name a sweep writes: upstream's service account for the same work, so that existing queries of audit logs find
 * it. Source: kubernetes `cmd/kube-controller-manager/names`.
 */
export function actorOf(sweep: SweepName, rule: SweepRule | undefined, object: KubeObject): string {
  if (rule === "controllerrevision-history") {
    return controller(
      controllerKind(object) === "DaemonSet.apps" ? "daemon-set-controller" : "statefulset-controller",
    );
  }
  return (rule && BY_RULE[rule]) ?? WRITERS[sweep];
}
