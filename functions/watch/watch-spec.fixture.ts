import type { Kind } from "../objects/kind.ts";
import { builtInKinds } from "../objects/kinds/built-in.ts";
import type { WatchSpec } from "./watch-spec.ts";

export function kindNamed(resource: string): Kind {
  const kind = builtInKinds.find((candidate) => candidate.resource === resource);
  if (kind === undefined) throw new Error(`no kind ${resource}`);
  return kind;
}

/** A watch of all ConfigMaps of cluster 1 from the beginning, unless said otherwise. */
export function watchSpec(differences: Partial<WatchSpec> = {}): WatchSpec {
  return {
    cluster: 1,
    kind: kindNamed("configmaps"),
    version: "v1",
    namespace: null,
    labels: [],
    fields: [],
    bookmarks: false,
    timeoutSeconds: 60,
    representation: "object",
    ...differences,
  };
}
