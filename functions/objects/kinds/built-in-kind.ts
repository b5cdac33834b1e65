import type { Kind, Subresource, Traits, Verb } from "../kind.ts";
import { type GroupResource, groupResource } from "../object.ts";

/** What differs from the ordinary built-in kind: namespaced, all verbs, a subdomain as its name, no subresources. */
export interface Differences {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterScoped?: true;
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  /** When another group owns the store. */
  readonly storedAs?: GroupResource;
  readonly traits?: Partial<Traits>;
}

/** In the order in which discovery lists them. */
export const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

const ORDINARY: Traits = {
  returnsDeletedObject: false,
  deletion: "ordinary",
  orphansByDefaultIn: [],
  countsGenerations: false,
  nameSyntax: "subdomain",
  custom: false,
};

/** `versions`: those that serve this kind, the preferred one first; another kind of the group may have others. */
export function builtInKind(
  group: string,
  versions: readonly string[],
  kind: string,
  resource: string,
  differences: Differences = {},
): Kind {
  return {
    group,
    versions,
    kind,
    resource,
    singular: kind.toLowerCase(),
    shortNames: differences.shortNames ?? [],
    categories: differences.categories ?? [],
    namespaced: differences.clusterScoped !== true,
    verbs: differences.verbs ?? ALL_VERBS,
    subresources: differences.subresources ?? [],
    storedAs: differences.storedAs ?? groupResource(group, resource),
    traits: { ...ORDINARY, ...differences.traits },
  };
}

export const statusOf = (kind: string): Subresource => ({
  name: "status",
  kind,
  verbs: ["get", "patch", "update"],
});

export const SCALE: Subresource = {
  name: "scale",
  kind: "Scale",
  groupVersion: { group: "autoscaling", version: "v1" },
  verbs: ["get", "patch", "update"],
};
