import type { Kind } from "../kind.ts";
import { builtInKind } from "./built-in-kind.ts";

const review = (group: string, kind: string, resource: string): Kind =>
  builtInKind(group, ["v1"], kind, resource, { clusterScoped: true, verbs: ["create"] });

/** Questions that are asked by creating an object and answered in its status. None is ever stored. */
export const reviewKinds: readonly Kind[] = [
  review("authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews"),
  review("authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews"),
  review("authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews"),
];
