import type { ScalePaths } from "./kinds/scale.ts";
import { type GroupResource, groupResource } from "./object.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One kind as one API group serves it. Plain data, so that it crosses RPC and custom resources are no special case. */
export interface Kind {
  readonly group: string;
  /** Served versions, the preferred one first. Objects are the same in all of them but for `apiVersion`. */
  readonly versions: readonly string[];
  readonly kind: string;
  /** Plural, as in the path. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /**
   * Where its objects are kept. Differs from the served group for kinds that two groups serve from one store
   * (`events`, `deployments.extensions`).
   */
  readonly storedAs: GroupResource;
  readonly traits: Traits;
}

export interface Subresource {
  readonly name: "status" | "scale" | "finalize" | "approval" | "eviction" | "binding" | "token";
  readonly kind: string;
  /** When it differs from the parent's: `autoscaling/v1` for scale, `policy/v1` for eviction. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
  readonly verbs: readonly ("create" | "get" | "patch" | "update")[];
  /** Of `scale` on a custom kind: where its fields are. */
  readonly paths?: ScalePaths;
}

/** What makes a kind differ from the ordinary one when it is written or deleted. */
export interface Traits {
  /** A removal answers with the object's last state instead of a Status. */
  readonly returnsDeletedObject: boolean;
  /** `graceful`: Pods, which have a grace period. `unsupported`: Events, which the collector ignores. */
  readonly deletion: "ordinary" | "graceful" | "unsupported" | "namespace";
  /** API versions in which a DELETE without a policy orphans. */
  readonly orphansByDefaultIn: readonly string[];
  /** `generation` starts at 1 and rises with each change outside metadata and status. */
  readonly countsGenerations: boolean;
  /** What the name must look like. */
  readonly nameSyntax: "subdomain" | "label" | "label-1035" | "path-segment";
  /** A custom resource: unqualified finalizers pass, strategic merge is refused, updates need a resourceVersion. */
  readonly custom: boolean;
}

/** `apps/v1`, `v1`. */
export function apiVersion(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Splits `apps/v1` or `v1`; undefined when it has two slashes or an empty part. */
export function parseApiVersion(text: string): { group: string; version: string } | undefined {
  const parts = text.split("/");
  const [first, second] = parts;
  if (parts.length === 1 && first) return { group: "", version: first };
  return parts.length === 2 && first && second ? { group: first, version: second } : undefined;
}

/** As the path names it: messages speak of the served group, not of the store. */
export const resourceOf = (kind: Kind): GroupResource => groupResource(kind.group, kind.resource);
