import type { Kind } from "../kind.ts";
import { builtInKind, statusOf } from "./built-in-kind.ts";

export const autoscalingKinds: readonly Kind[] = [
  builtInKind("autoscaling", ["v2", "v1"], "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: ["all"],
    subresources: [statusOf("HorizontalPodAutoscaler")],
  }),
];

export const batchKinds: readonly Kind[] = [
  builtInKind("batch", ["v1", "v1beta1"], "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: ["all"],
    subresources: [statusOf("CronJob")],
    traits: { countsGenerations: true, orphansByDefaultIn: ["batch/v1beta1", "batch/v2alpha1"] },
  }),
  builtInKind("batch", ["v1"], "Job", "jobs", {
    categories: ["all"],
    subresources: [statusOf("Job")],
    traits: { countsGenerations: true, orphansByDefaultIn: ["batch/v1"] },
  }),
];

export const policyKinds: readonly Kind[] = [
  builtInKind("policy", ["v1", "v1beta1"], "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    subresources: [statusOf("PodDisruptionBudget")],
    traits: { countsGenerations: true, nameSyntax: "path-segment" },
  }),
  builtInKind("policy", ["v1beta1"], "PodSecurityPolicy", "podsecuritypolicies", {
    shortNames: ["psp"],
    clusterScoped: true,
    traits: { returnsDeletedObject: true },
  }),
];
