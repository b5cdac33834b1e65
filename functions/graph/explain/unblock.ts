import { setterOf } from "../../objects/apply/finalizer-setters.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import type { KubeObject, Millis } from "../../objects/object.ts";

/** One finalizer that an object waits for. */
export interface HeldBy {
  name: string;
  /** The manager that set it, if its owner is known. */
  setBy: string | undefined;
  since: string | undefined;
  /** Whose part it is to take it off, and what to do when they do not. */
  advice: string;
}

/** Finalizers whose owners everybody has, and what each waits for. */
const KNOWN: Readonly<Record<string, string>> = {
  [FINALIZER_FOREGROUND]: "is taken off by the collector when no dependent blocks the object any more",
  [FINALIZER_ORPHAN]: "is taken off by the collector when no dependent names the object any more",
  "kubernetes.io/pvc-protection": "is taken off when no Pod uses the claim any more",
  "kubernetes.io/pv-protection": "is taken off when no claim is bound to the volume any more",
  "external-provisioner.volume.kubernetes.io/finalizer":
    "is taken off by the volume's provisioner when its storage is gone",
  "customresourcecleanup.apiextensions.k8s.io": "is taken off when no object of the definition is left",
  "service.kubernetes.io/load-balancer-cleanup":
    "is taken off by the cloud's controller when the load balancer is gone",
  "batch.kubernetes.io/job-tracking": "is taken off by the Job controller when it has counted the Pod",
};

/** What holds a terminating object by its finalizers, in their order. */
export function heldBy({ metadata }: KubeObject): HeldBy[] {
  return (metadata.finalizers ?? []).map((name) => {
    const setter = setterOf(name, metadata);
    const known = KNOWN[name];
    const advice =
      known ??
      `is waited for until ${setter === undefined ? "whoever set it" : JSON.stringify(setter.manager)} takes it off`;
    return { name, setBy: setter?.manager, since: setter?.time, advice };
  });
}

/** How long a Pod's node may still take, in whole seconds; undefined when it need not be waited for. */
export function graceLeft({ metadata }: KubeObject, now: Millis): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds <= 0) return undefined;
  return Math.max(0, Math.ceil((Date.parse(deletionTimestamp) - now) / 1000));
}
