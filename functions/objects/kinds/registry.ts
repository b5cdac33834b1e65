import { apiVersion, type Kind } from "../kind.ts";
import { type GroupResource, groupResource } from "../object.ts";
import { builtInKinds } from "./built-in.ts";
import { compareVersions } from "./version-priority.ts";

/** Everything one cluster serves: the built-in kinds and those its CustomResourceDefinitions add. */
export interface KindRegistry {
  /** By path; `""` is the core group. */
  served(group: string, version: string, resource: string): Kind | undefined;
  /** By the claim of an owner reference, in any served version; undefined when nobody can say what it names. */
  claimed(apiVersion: string, kind: string): Kind | undefined;
  /** In upstream's order, the core group first; the versions of each by priority, the preferred one first. */
  groups(): readonly GroupVersions[];
  /** Sorted by resource. */
  inVersion(group: string, version: string): readonly Kind[];
  all(): readonly Kind[];
  /** The kind that owns the store, not one that another group serves from it. */
  byStore(storedAs: GroupResource): Kind | undefined;
}

export interface GroupVersions {
  readonly group: string;
  readonly versions: readonly string[];
}

interface Tables {
  readonly kinds: readonly Kind[];
  readonly byPath: ReadonlyMap<string, Kind>;
  readonly byClaim: ReadonlyMap<string, Kind>;
  readonly byStore: ReadonlyMap<GroupResource, Kind>;
  readonly byVersion: ReadonlyMap<string, readonly Kind[]>;
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
}

const path = (groupVersion: string, resource: string) => `${groupVersion}/${resource}`;
const claim = (groupVersion: string, kind: string) => `${groupVersion} ${kind}`;

/** The first kind to take a path, a claim or a store keeps it. */
function tabulate(kinds: readonly Kind[]): Tables {
  const byPath = new Map<string, Kind>();
  const byClaim = new Map<string, Kind>();
  const byStore = new Map<GroupResource, Kind>();
  const byVersion = new Map<string, Kind[]>();
  const versions = new Map<string, Set<string>>();
  for (const kind of kinds) {
    if (kind.storedAs === groupResource(kind.group, kind.resource)) setOnce(byStore, kind.storedAs, kind);
    const served = getOrPut(versions, kind.group, () => new Set<string>());
    for (const version of kind.versions) {
      const groupVersion = apiVersion(kind.group, version);
      served.add(version);
      setOnce(byClaim, claim(groupVersion, kind.kind), kind);
      if (setOnce(byPath, path(groupVersion, kind.resource), kind)) {
        getOrPut(byVersion, groupVersion, () => []).push(kind);
      }
    }
  }
  return { kinds, byPath, byClaim, byStore, byVersion, versions };
}

function setOnce<K, V>(map: Map<K, V>, key: K, value: V): boolean {
  if (map.has(key)) return false;
  map.set(key, value);
  return true;
}

function getOrPut<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const builtIn = tabulate(builtInKinds);
const builtInPlurals = new Set(builtInKinds.map((kind) => groupResource(kind.group, kind.resource)));
const builtInOnly = overlay(tabulate([]));

/**
 * The registry of a cluster. A custom kind never replaces a built-in one: a definition that names a built-in plural
 * of its group is left out.
 */
export function kindRegistry(customKinds: readonly Kind[]): KindRegistry {
  if (customKinds.length === 0) return builtInOnly;
  return overlay(
    tabulate(customKinds.filter((kind) => !builtInPlurals.has(groupResource(kind.group, kind.resource)))),
  );
}

function overlay(custom: Tables): KindRegistry {
  const kinds = [...builtIn.kinds, ...custom.kinds];
  const groups = groupsOf(custom);
  return {
    served(group, version, resource) {
      const key = path(apiVersion(group, version), resource);
      return builtIn.byPath.get(key) ?? custom.byPath.get(key);
    },
    claimed(groupVersion, kind) {
      const key = claim(groupVersion, kind);
      return builtIn.byClaim.get(key) ?? custom.byClaim.get(key);
    },
    groups: () => groups,
    inVersion(group, version) {
      const key = apiVersion(group, version);
      const both = [...(builtIn.byVersion.get(key) ?? []), ...(custom.byVersion.get(key) ?? [])];
      return both.sort((a, b) => (a.resource < b.resource ? -1 : 1));
    },
    all: () => kinds,
    byStore: (storedAs) => builtIn.byStore.get(storedAs) ?? custom.byStore.get(storedAs),
  };
}

/** Built-in groups keep their place, custom ones follow by name. */
function groupsOf(custom: Tables): readonly GroupVersions[] {
  const added = [...custom.versions.keys()].filter((group) => !builtIn.versions.has(group)).sort();
  return [...builtIn.versions.keys(), ...added].map((group) => ({
    group,
    versions: [
      ...new Set([...(builtIn.versions.get(group) ?? []), ...(custom.versions.get(group) ?? [])]),
    ].sort(compareVersions),
  }));
}
