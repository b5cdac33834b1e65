import type { Kind } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { GroupResource } from "../../objects/object.ts";

/**
 * The kind of an object that is stored. It may be served no more: who takes the finalizer off a definition by hand leaves
 * its objects behind. They are still somebody's owners and dependents, and are released and collected like any others;
 * only what a request would need of them is not known.
 */
export function storedKind(resource: GroupResource, kinds: KindRegistry): Kind {
  return kinds.byStore(resource) ?? unserved(resource);
}

function unserved(resource: GroupResource): Kind {
  const [plural = "", ...group] = resource.split(".");
  return {
    group: group.join("."),
    versions: [],
    kind: "",
    resource: plural,
    singular: "",
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: [],
    subresources: [],
    storedAs: resource,
    traits: {
      returnsDeletedObject: false,
      deletion: "ordinary",
      orphansByDefaultIn: [],
      countsGenerations: true,
      nameSyntax: "subdomain",
      custom: true,
    },
  };
}
