import type { Kind } from "../kind.ts";
import { appsKinds, extensionsKinds } from "./apps.ts";
import { autoscalingKinds, batchKinds, policyKinds } from "./batch-and-policy.ts";
import { coreKinds } from "./core.ts";
import { k8sIoKinds } from "./k8s-io.ts";
import { kubegcKinds } from "./kubegc.ts";
import { reviewKinds } from "./reviews.ts";

/**
 * Every built-in kind. Clients that look for a bare resource name take the first group that serves it, so the
 * order is upstream's group priority; it keeps `apps` before `extensions` and core events before `events.k8s.io`.
 */
export const builtInKinds: readonly Kind[] = [
  ...coreKinds,
  ...appsKinds,
  ...k8sIoKinds.events,
  ...autoscalingKinds,
  ...batchKinds,
  ...k8sIoKinds.certificates,
  ...k8sIoKinds.networking,
  ...extensionsKinds,
  ...policyKinds,
  ...k8sIoKinds.rbac,
  ...k8sIoKinds.storage,
  ...k8sIoKinds.admission,
  ...k8sIoKinds.apiextensions,
  ...k8sIoKinds.other,
  ...k8sIoKinds.flowcontrol,
  ...k8sIoKinds.apiserver,
  ...reviewKinds,
  ...kubegcKinds,
];
