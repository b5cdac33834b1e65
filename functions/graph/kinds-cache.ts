import { READ_KINDS } from "../../db/reads.ts";
import { type Definitions, NO_DEFINITIONS, readDefinitions } from "../objects/kinds/definitions.ts";
import { type KindRegistry, kindRegistry } from "../objects/kinds/registry.ts";

/** What a cluster serves, with what the definitions of its custom kinds say. */
export interface ClusterKinds extends KindRegistry {
  readonly definitions: Definitions;
}

const BUILT_IN: ClusterKinds = { ...kindRegistry([]), definitions: NO_DEFINITIONS };

interface Known {
  version: number;
  kinds: Promise<ClusterKinds>;
}

/** Clusters that an isolate remembers. */
const MOST_CLUSTERS = 16;

/** By database. Shared by all graph objects of an isolate: the definitions of a cluster may come to megabytes. */
const known = new WeakMap<D1Database, Map<number, Known>>();

/**
 * A cluster's kinds, kept until a CustomResourceDefinition changes. Whoever reads the cluster's row has the
 * version to compare with for nothing.
 */
export class KindsCache {
  /** The kinds as of the version the caller has just read. Costs a query only when it is new. */
  at(version: number, db: D1Database, cluster: number): Promise<ClusterKinds> {
    if (version === 0) return Promise.resolve(BUILT_IN);
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
  const { results } = await db.prepare(READ_KINDS).bind(cluster).all<{ body: string }>();
  const { kinds, definitions } = readDefinitions(results.map((row) => row.body));
  return { ...kindRegistry(kinds), definitions };
}
