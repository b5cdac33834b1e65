import type { TestCluster } from "../cluster.ts";
import type { Known } from "./acquaintances.ts";
import type { Dice } from "./dice.ts";

/** A kind of the discovery documents. */
export interface ServedKind {
  apiVersion: string;
  kind: string;
  resource: string;
  namespaced: boolean;
  subresources: string[];
}

export interface Place {
  kind: ServedKind;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
}

/** Namespaces that there are from the start. */
const LASTING = ["default", "kube-system"];
/** Namespaces that come and go during a run. */
export const PASSING = ["t0", "t1", "t2", "t3", "t4"];
/** Few, so that requests meet each other. */
const NAMES = ["a", "b", "c", "d", "e.f", "k-1"];

/** The definitions that come and go during a run. */
export const DEFINED: readonly ServedKind[] = [
  ["widgets", "Widget", true],
  ["gizmos", "Gizmo", false],
  ["sprockets", "Sprocket", true],
].map(([resource, kind, namespaced]) => ({
  apiVersion: "fuzz.example.com/v1",
  kind: String(kind),
  resource: String(resource),
  namespaced: Boolean(namespaced),
  subresources: ["status", "scale"],
}));

/** Kinds that rules are about; the others are alike. */
const NOTABLE = new Set([
  "configmaps",
  "secrets",
  "pods",
  "replicationcontrollers",
  "replicasets",
  "deployments",
  "jobs",
  "events",
  "nodes",
  "poddisruptionbudgets",
  "persistentvolumeclaims",
]);

export async function servedKinds(cluster: TestCluster): Promise<ServedKind[]> {
  const { groups } = (await cluster.call("GET", "/apis")).body;
  const versions: string[] = groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
    group.versions.map(({ groupVersion }) => groupVersion),
  );
  const lists = ["v1", ...versions].map(async (apiVersion) => {
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    const { resources } = (await cluster.call("GET", root)).body;
    return kindsOf(apiVersion, resources);
  });
  return (await Promise.all(lists)).flat();
}

function kindsOf(
  apiVersion: string,
  resources: { name: string; kind: string; namespaced: boolean }[],
): ServedKind[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced }) => ({
      apiVersion,
      kind,
      namespaced,
      resource: name,
      subresources: resources.flatMap((other) =>
        other.name.startsWith(`${name}/`) ? [other.name.slice(name.length + 1)] : [],
      ),
    }));
}

export class Places {
  readonly #all: readonly ServedKind[];
  readonly #notable: readonly ServedKind[];

  constructor(all: readonly ServedKind[]) {
    this.#all = all;
    this.#notable = all.filter(({ resource }) => NOTABLE.has(resource));
  }

  kind(dice: Dice): ServedKind {
    const from = dice.weighted([
      [60, this.#notable],
      [20, this.#all],
      [15, DEFINED],
      [12, this.#all.filter(({ resource }) => resource === "namespaces")],
      [8, this.#all.filter(({ resource }) => resource === "customresourcedefinitions")],
    ]);
    return dice.one(from);
  }

  /** Where an object is, or was, that answers have shown. */
  placeOf({ apiVersion, kind, metadata }: Known): Place | undefined {
    const served = [...this.#all, ...DEFINED].find((s) => s.apiVersion === apiVersion && s.kind === kind);
    return (
      served && { kind: served, namespace: metadata.namespace, name: metadata.name, subresource: undefined }
    );
  }

  place(dice: Dice, of?: { name: boolean }): Place {
    const kind = this.kind(dice);
    const everywhere = !kind.namespaced || (of === undefined && dice.percent(10));
    return {
      kind,
      namespace: everywhere ? undefined : dice.one(dice.percent(60) ? LASTING : PASSING),
      name: (of?.name ?? dice.percent(70)) ? nameOf(dice, kind) : undefined,
      subresource: dice.percent(8) ? subresourceOf(dice, kind) : undefined,
    };
  }
}

export const subresourceOf = (dice: Dice, { subresources }: ServedKind): string =>
  dice.one([...subresources, ...subresources, "status", "nope"]);

export function nameOf(dice: Dice, kind: ServedKind): string {
  if (kind.resource === "namespaces") return dice.one(dice.percent(97) ? PASSING : LASTING);
  if (kind.resource === "customresourcedefinitions") return `${dice.one(DEFINED).resource}.fuzz.example.com`;
  return dice.one(NAMES);
}

const ODD_SEGMENTS = [
  "",
  ".",
  "..",
  "%2e%2e",
  "%2F",
  "a%2Fb",
  "%zz",
  "%",
  "%00",
  "%ff%fe",
  "%F0%9F%92%A5",
  "caf%C3%A9",
  "UPPER",
  "a_b",
  "-a",
  "a%20b",
  "a:b",
  "a;b=c",
  "__proto__",
  "constructor",
  "watch",
  "namespaces",
  "status",
  "%3F",
  "%23",
  "a".repeat(64),
  "a".repeat(254),
  "a".repeat(3000),
  `${"b".repeat(63)}.${"c".repeat(63)}`,
  "'; DROP TABLE objects; --".replaceAll(" ", "%20"),
  "%22%5D",
];

/** The path after the cluster's own, spoiled now and then. */
export function pathOf(dice: Dice, { kind, namespace, name, subresource }: Place, post: boolean): string {
  const root = kind.apiVersion === "v1" ? ["api", "v1"] : ["apis", ...kind.apiVersion.split("/")];
  const segments = [
    ...root,
    ...(dice.percent(0.5) ? ["watch"] : []),
    ...(namespace === undefined ? [] : ["namespaces", namespace]),
    kind.resource,
    ...(name === undefined || (post && subresource === undefined) ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  if (dice.percent(6)) segments[dice.below(segments.length)] = dice.one(ODD_SEGMENTS);
  if (dice.percent(2)) segments.splice(dice.below(segments.length + 1), 0, dice.one(ODD_SEGMENTS));
  if (dice.percent(1)) segments.splice(dice.below(segments.length), 1);
  // Some kinds take nearly anything for a name.
  const path = segments.join("/").replace(/[^!-~]/gu, (char) => encodeURIComponent(char.toWellFormed()));
  return `/${path}${dice.percent(1) ? "/" : ""}`;
}

/** Documents, and paths that are none. */
export const OTHER_PATHS = [
  "",
  "/",
  "/api",
  "/apis",
  "/apis/",
  "/apis/apps",
  "/apis/apps/v1",
  "/apis/fuzz.example.com",
  "/apis/fuzz.example.com/v1",
  "/api/v1",
  "/api/v2",
  "/apis/nope.example.com/v1",
  "/version",
  "/healthz",
  "/livez/ping",
  "/readyz?verbose",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/openapi/v3/apis/apps/v1?hash=nope",
  "/openapi/v3/apis/%zz",
  "/metrics",
  "/tokens",
  "//api//v1//pods",
  "/api/v1/namespaces//pods",
];
