import type { Kind, Verb } from "../kind.ts";
import { builtInKind, type Differences } from "./built-in-kind.ts";

/** The group of the kinds that are this project's own. */
export const KUBEGC = "gc.kubegc.dev";

const own = (kind: string, resource: string, differences: Differences = {}): Kind =>
  builtInKind(KUBEGC, ["v1alpha1"], kind, resource, {
    clusterScoped: true,
    categories: ["kubegc"],
    ...differences,
  });

/** Nothing of it is stored as an object: it is answered from other tables, or from the graph, when it is asked for. */
const computed = (kind: string, resource: string, verbs: readonly Verb[], differences: Differences = {}) =>
  own(kind, resource, { ...differences, verbs });

/** What a person sets, and what a person asks. All of them are cluster-scoped and speak of objects by their names. */
export const kubegcKinds: readonly Kind[] = [
  own("DeletionGuard", "deletionguards", { traits: { countsGenerations: true } }),
  own("SweepPolicy", "sweeppolicies", { traits: { countsGenerations: true } }),
  computed("SweepRun", "sweepruns", ["create", "get", "list"]),
  own("NodePolicy", "nodepolicies", { traits: { countsGenerations: true } }),
  computed("DeletionPreview", "deletionpreviews", ["create"]),
  computed("DeletionRecord", "deletionrecords", ["get", "list"], { shortNames: ["delrec"] }),
  computed("Import", "imports", ["create"]),
  computed("NodeImage", "nodeimages", ["get", "list"]),
  computed("NodeRecord", "noderecords", ["get", "list", "delete"]),
  computed("Unblock", "unblocks", ["create"]),
  computed("Restore", "restores", ["create"]),
  computed("DeletionStatus", "deletionstatuses", ["create", "get", "list"], { shortNames: ["delstat"] }),
];
