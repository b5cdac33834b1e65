import {
  READ_NAMED_BY,
  READ_SKETCH,
  READ_SKETCHES_OF,
  READ_SKETCHES_WITHIN,
  type SketchRow,
} from "../../../db/preview.ts";
import { type OwnerRow, READ_OWNERS, READ_REMOVED } from "../../../db/reads.ts";
import type { Deletion } from "../../objects/deletion.ts";
import type { Json } from "../../objects/json.ts";
import { apiVersion } from "../../objects/kind.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import {
  asObject,
  asUid,
  type GroupResource,
  type KubeObject,
  type OwnerReference,
  type Timestamp,
  type Uid,
} from "../../objects/object.ts";
import type { OwnerFacts } from "../decide/classify.ts";
import { contentOrder } from "../drain/content.ts";
import { storedKind } from "../drain/stored-kind.ts";
import { type Node, referencesOf, World } from "./world.ts";

/** Rows of one answer. */
const PAGE = 5_000;
/** Owners, or outsiders, that one query asks about. */
const OWNERS = 2_000;

/** The most objects that are kept in memory. */
export const MOST_PREVIEWED = 250_000;

export interface Target {
  resource: GroupResource;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
}

export type WorldReading = { found: "world"; world: World; target: Node } | { found: "nothing" | "too-much" };

/**
 * Reads what a deletion of the target can reach: its dependents and theirs; of a Namespace what is in it, of a definition
 * what it defines. Page by page, and so not at one moment: what is written meanwhile may be in it or not.
 */
export async function readWorld(
  db: D1Database,
  cluster: number,
  target: Target,
  kinds: KindRegistry,
): Promise<WorldReading> {
  const row = await db
    .prepare(READ_SKETCH)
    .bind(cluster, target.resource, target.namespace, target.name)
    .first<SketchRow>();
  if (row === null) return { found: "nothing" };
  const reader = new WorldReader(db, cluster, kinds);
  const node = reader.nodeOf(row);
  const complete = await reader.readFrom(node);
  return complete ? { found: "world", world: reader.world, target: node } : { found: "too-much" };
}

class WorldReader {
  readonly world = new World();
  readonly #db: D1Database;
  readonly #cluster: number;
  readonly #kinds: KindRegistry;

  constructor(db: D1Database, cluster: number, kinds: KindRegistry) {
    this.#db = db;
    this.#cluster = cluster;
    this.#kinds = kinds;
  }

  /** False when it is too much. */
  async readFrom(target: Node): Promise<boolean> {
    this.world.add(target);
    let level = [target];
    while (level.length > 0) {
      const next: Node[] = [];
      for await (const rows of this.#reachedFrom(level)) {
        for (const row of rows) {
          if (this.world.nodes.has(asUid(row.uid))) continue;
          const node = this.nodeOf(row);
          this.world.add(node);
          next.push(node);
        }
        if (this.world.nodes.size > MOST_PREVIEWED) return false;
      }
      level = next;
    }
    await this.#readOutsiders();
    return true;
  }

  async *#reachedFrom(level: readonly Node[]): AsyncGenerator<readonly SketchRow[]> {
    for (const node of level) {
      const { name } = node.object.metadata;
      if (node.kind.traits.deletion === "namespace") yield* this.#within(name);
      if (node.resource === CUSTOM_RESOURCE_DEFINITIONS) yield* this.#instancesOf(name);
    }
    for (let i = 0; i < level.length; i += OWNERS) {
      yield* this.#namedBy(level.slice(i, i + OWNERS).map((node) => node.uid));
    }
  }

  async *#namedBy(owners: readonly Uid[]): AsyncGenerator<readonly SketchRow[]> {
    let left = owners;
    for (let after = { namespace: "", uid: "" }; ; ) {
      const { results } = await this.#db
        .prepare(READ_NAMED_BY)
        .bind(this.#cluster, JSON.stringify(left), after.namespace, after.uid, PAGE)
        .all<SketchRow & { owner: string }>();
      yield results;
      const last = results.at(-1);
      if (last === undefined || results.length < PAGE) return;
      left = left.slice(left.indexOf(asUid(last.owner)));
      after = { namespace: last.namespace, uid: last.uid };
    }
  }

  async *#within(namespace: string): AsyncGenerator<readonly SketchRow[]> {
    let resources = contentOrder(this.#kinds);
    for (let after = ""; ; ) {
      const { results } = await this.#db
        .prepare(READ_SKETCHES_WITHIN)
        .bind(this.#cluster, JSON.stringify(resources), namespace, after, PAGE)
        .all<SketchRow>();
      yield results;
      const last = results.at(-1);
      if (last === undefined || results.length < PAGE) return;
      resources = resources.slice(resources.indexOf(last.resource as GroupResource));
      after = last.name;
    }
  }

  async *#instancesOf(resource: string): AsyncGenerator<readonly SketchRow[]> {
    for (let after = { namespace: "", name: "" }; ; ) {
      const { results } = await this.#db
        .prepare(READ_SKETCHES_OF)
        .bind(this.#cluster, resource, after.namespace, after.name, PAGE)
        .all<SketchRow>();
      yield results;
      const last = results.at(-1);
      if (last === undefined || results.length < PAGE) return;
      after = last;
    }
  }

  /** Where the owners are that somebody names and nothing here reaches. */
  async #readOutsiders(): Promise<void> {
    const unknown = new Set<string>();
    for (const node of this.world.nodes.values()) {
      for (const { uid } of referencesOf(node)) if (!this.world.nodes.has(asUid(uid))) unknown.add(uid);
    }
    const there = new Map<Uid, OwnerFacts>();
    const removed = new Map<Uid, { resource: GroupResource; name: string }>();
    const uids = [...unknown];
    for (let i = 0; i < uids.length; i += OWNERS) {
      const some = JSON.stringify(uids.slice(i, i + OWNERS));
      const [living, gone] = await this.#db.batch<OwnerRow>([
        this.#db.prepare(READ_OWNERS).bind(this.#cluster, some),
        this.#db.prepare(READ_REMOVED).bind(this.#cluster, some),
      ]);
      for (const { uid, resource, namespace, name, deletion } of living?.results ?? []) {
        there.set(asUid(uid), {
          resource: resource as GroupResource,
          namespace,
          name,
          deletion: deletion as Deletion | null,
        });
      }
      for (const { uid, resource, name } of gone?.results ?? []) {
        removed.set(asUid(uid), { resource: resource as GroupResource, name });
      }
    }
    this.world.outsiders = { there, removed };
  }

  nodeOf(row: SketchRow): Node {
    const resource = row.resource as GroupResource;
    const kind = storedKind(resource, this.#kinds);
    return {
      uid: asUid(row.uid),
      kind,
      resource,
      resourceVersion: row.resource_version,
      object: objectOf(row, apiVersion(kind.group, kind.versions[0] ?? "v1"), kind.kind),
      gone: false,
    };
  }
}

type Sketch = [
  OwnerReference[] | null,
  string[] | null,
  Timestamp | null,
  number | null,
  Json,
  Json,
  Json,
  Json[] | null,
];

function objectOf(row: SketchRow, version: string, kind: string): KubeObject {
  const [owners, finalizers, deletionTimestamp, grace, nodeName, period, phase, specFinalizers] = JSON.parse(
    row.sketch,
  ) as Sketch;
  return asObject({
    apiVersion: version,
    kind,
    metadata: {
      name: row.name,
      ...(row.namespace === "" ? {} : { namespace: row.namespace }),
      uid: row.uid,
      resourceVersion: String(row.resource_version),
      ...(deletionTimestamp === null ? {} : { deletionTimestamp }),
      ...(grace === null ? {} : { deletionGracePeriodSeconds: grace }),
      ...(finalizers === null ? {} : { finalizers }),
      ...(owners === null ? {} : { ownerReferences: owners as unknown as Json }),
    },
    spec: {
      ...(nodeName === null ? {} : { nodeName }),
      ...(period === null ? {} : { terminationGracePeriodSeconds: period }),
      ...(specFinalizers === null ? {} : { finalizers: specFinalizers }),
    },
    status: phase === null ? {} : { phase },
  });
}
