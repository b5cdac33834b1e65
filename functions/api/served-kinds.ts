import { READ_KINDS } from "../../db/reads.ts";
import type { Clock } from "../objects/clock.ts";
import type { JsonObject } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { customKind, isEstablished } from "../objects/kinds/custom-resource.ts";
import { type KindRegistry, kindRegistry } from "../objects/kinds/registry.ts";
import type { GroupResource } from "../objects/object.ts";

/** The kinds of a cluster, with the definitions of those it added. */
export interface Served {
  kinds: KindRegistry;
  definitions: ReadonlyMap<GroupResource, JsonObject>;
}

const BUILT_IN: Served = { kinds: kindRegistry([]), definitions: new Map() };

/** How long the answer for a custom kind is used again. What is written is checked against the store anyway. */
const FRESH = 2_000;

/**
 * Which kinds each cluster serves, as this isolate knows. Built-in kinds cost nothing; a path that names none of
 * the known kinds is looked up at once, so that a new definition is served from the moment it is established.
 */
export class ServedKinds {
  readonly #clock: Clock;
  readonly #known = new Map<number, { version: number; at: number; served: Served }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async lookUp(
    db: D1Database,
    cluster: number,
    path: { group: string; version: string; resource: string },
  ): Promise<{ kind: Kind; served: Served } | undefined> {
    const builtIn = BUILT_IN.kinds.served(path.group, path.version, path.resource);
    if (builtIn) return { kind: builtIn, served: BUILT_IN };
    const known = this.#known.get(cluster);
    if (known && known.at + FRESH > this.#clock()) {
      const kind = known.served.kinds.served(path.group, path.version, path.resource);
      if (kind) return { kind, served: known.served };
    }
    const served = await this.current(db, cluster);
    const kind = served.kinds.served(path.group, path.version, path.resource);
    return kind ? { kind, served } : undefined;
  }

  /** As of now: one query, and another one when a definition has changed. */
  async current(db: D1Database, cluster: number): Promise<Served> {
    const row = await db
      .prepare("SELECT kinds_version FROM clusters WHERE id = ?1")
      .bind(cluster)
      .first<{ kinds_version: number }>();
    const version = row?.kinds_version ?? 0;
    const known = this.#known.get(cluster);
    const served =
      known?.version === version ? known.served : version === 0 ? BUILT_IN : await readServed(db, cluster);
    this.#known.set(cluster, { version, at: this.#clock(), served });
    return served;
  }
}

async function readServed(db: D1Database, cluster: number): Promise<Served> {
  const { results } = await db.prepare(READ_KINDS).bind(cluster).all<{ body: string }>();
  const definitions = new Map<GroupResource, JsonObject>();
  const custom: Kind[] = [];
  for (const { body } of results) {
    const definition = JSON.parse(body) as JsonObject;
    if (!isEstablished(definition)) continue;
    const kind = customKind(definition);
    custom.push(kind);
    definitions.set(kind.storedAs, definition);
  }
  return { kinds: kindRegistry(custom), definitions };
}
