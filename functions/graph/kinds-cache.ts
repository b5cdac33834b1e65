import { READ_KINDS } from "../../db/reads.ts";
import type { JsonObject } from "../objects/json.ts";
import { customKind, isEstablished } from "../objects/kinds/custom-resource.ts";
import { type KindRegistry, kindRegistry } from "../objects/kinds/registry.ts";

/**
 * A cluster's kinds, kept until a CustomResourceDefinition changes. Whoever reads the cluster's row has the
 * version to compare with for nothing.
 */
export class KindsCache {
  #version = -1;
  #kinds: KindRegistry = kindRegistry([]);

  /** The kinds as of the version the caller has just read. Costs a query only when it is new. */
  async at(version: number, db: D1Database, cluster: number): Promise<KindRegistry> {
    if (version !== this.#version) {
      this.#kinds = version === 0 ? kindRegistry([]) : await readKinds(db, cluster);
      this.#version = version;
    }
    return this.#kinds;
  }
}

export async function readKinds(db: D1Database, cluster: number): Promise<KindRegistry> {
  const { results } = await db.prepare(READ_KINDS).bind(cluster).all<{ body: string }>();
  const definitions = results.map((row) => JSON.parse(row.body) as JsonObject);
  return kindRegistry(definitions.filter(isEstablished).map(customKind));
}
