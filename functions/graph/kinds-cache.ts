import { READ_KINDS } from "../../db/reads.ts";
import { DELETION_GUARDS, type Guard, type GuardBody, guardOf } from "../guard/settings.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../objects/kinds/custom-resource.ts";
import { type Definitions, NO_DEFINITIONS, readDefinitions } from "../objects/kinds/definitions.ts";
import { type KindRegistry, kindRegistry } from "../objects/kinds/registry.ts";
import { clusterSettings, type PolicyBody, SWEEP_POLICIES } from "../sweeps/policies.ts";
import { DEFAULT_SETTINGS, type SweepSettings } from "../sweeps/settings.ts";

/** What a cluster serves, with what the definitions of its custom kinds say, how it is swept, and what guards it. */
export interface ClusterKinds extends KindRegistry {
  readonly definitions: Definitions;
  readonly settings: SweepSettings;
  readonly guards: readonly Guard[];
}

export const BUILT_IN_KINDS: ClusterKinds = {
  ...kindRegistry([]),
  definitions: NO_DEFINITIONS,
  settings: DEFAULT_SETTINGS,
  guards: [],
};

interface Known {
  version: number;
  kinds: Promise<ClusterKinds>;
}

/** Clusters that an isolate remembers. */
const MOST_CLUSTERS = 16;

/** By database. Shared by all graph objects of an isolate: the definitions of a cluster may come to megabytes. */
const known = new WeakMap<D1Database, Map<number, Known>>();

/**
 * A cluster's kinds, kept until a CustomResourceDefinition, a SweepPolicy or a DeletionGuard changes. Whoever reads the cluster's row has the
 * version to compare with for nothing.
 */
export class KindsCache {
  /** The kinds as of the version the caller has just read. Costs a query only when it is new. */
  at(version: number, db: D1Database, cluster: number): Promise<ClusterKinds> {
    if (version === 0) return Promise.resolve(BUILT_IN_KINDS);
    const clusters = known.get(db) ?? new Map<number, Known>();
    known.set(db, clusters);
    const found = clusters.get(cluster);
    if (found?.version === version) return found.kinds;
    const kinds = readKinds(db, cluster);
    clusters.delete(cluster);
    clusters.set(cluster, { version, kinds });
    const [oldest] = clusters.keys();
    if (clusters.size > MOST_CLUSTERS && oldest !== undefined) clusters.delete(oldest);
    kinds.catch(() => {
      if (clusters.get(cluster)?.kinds === kinds) clusters.delete(cluster);
    });
    return kinds;
  }
}

async function readKinds(db: D1Database, cluster: number): Promise<ClusterKinds> {
  const { results } = await db.prepare(READ_KINDS).bind(cluster).all<{ resource: string; body: string }>();
  const bodies = Map.groupBy(results, ({ resource }) => resource);
  const bodiesOf = <Body>(resource: string) =>
    (bodies.get(resource) ?? []).map(({ body }) => JSON.parse(body) as Body);
  const { kinds, definitions } = readDefinitions(
    (bodies.get(CUSTOM_RESOURCE_DEFINITIONS) ?? []).map(({ body }) => body),
  );
  return {
    ...kindRegistry(kinds),
    definitions,
    settings: clusterSettings(bodiesOf<PolicyBody>(SWEEP_POLICIES)),
    guards: bodiesOf<GuardBody>(DELETION_GUARDS).map(guardOf),
  };
}
