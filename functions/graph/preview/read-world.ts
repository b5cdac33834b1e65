import {
  READ_NAMED_BY,
  READ_SKETCH,
  READ_SKETCHES,
  READ_SKETCHES_OF,
  READ_SKETCHES_WITHIN,
  type SketchRow,
} from "../../../db/preview.ts";
import { type OwnerRow, READ_OWNERS, READ_REMOVED } from "../../../db/reads.ts";
import type { Deletion } from "../../objects/deletion.ts";
import type { Kind } from "../../objects/kind.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asUid, type GroupResource, type Uid } from "../../objects/object.ts";
import type { OwnerFacts } from "../decide/classify.ts";
import { contentOrder } from "../drain/content.ts";
import { storedKind } from "../drain/stored-kind.ts";
import { Node, Sketches } from "./node.ts";
import { World } from "./world.ts";

/** Rows of one answer. */
const PAGE = 5_000;
/** Owners, or outsiders, that one query asks about. */
const OWNERS = 10_000;

/**
 * The most objects that are kept in memory. With the answer each takes 0.3 kB, and 0.8 kB where each is held by a finalizer:
 * 100 MB at most, of the 128 that a Worker has.
 */
export const MOST_PREVIEWED = 120_000;
/** Each level is a query at least, of the 1,000 that a Worker may make. */
const MOST_LEVELS = 500;

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
  const [row] = await db
    .prepare(READ_SKETCH)
    .bind(cluster, target.resource, target.namespace, target.name)
    .raw<SketchRow>();
  if (row === undefined) return { found: "nothing" };
  const reader = new WorldReader(db, cluster, kinds);
  const node = reader.nodeOf(row);
  const complete = await reader.readFrom([node]);
  return complete ? { found: "world", world: reader.world, target: node } : { found: "too-much" };
}

/** The same for several that are known by their uids. Those that are not there are left out. */
export async function readWorldOf(
  db: D1Database,
  cluster: number,
  uids: readonly Uid[],
  kinds: KindRegistry,
): Promise<{ found: "world"; world: World; targets: Node[] } | { found: "too-much" }> {
  const rows = await db.prepare(READ_SKETCHES).bind(cluster, JSON.stringify(uids)).raw<SketchRow>();
  const reader = new WorldReader(db, cluster, kinds);
  const targets = rows.map((row) => reader.nodeOf(row));
  const complete = await reader.readFrom(targets);
  return complete ? { found: "world", world: reader.world, targets } : { found: "too-much" };
}

class WorldReader {
  readonly world = new World();
  readonly #db: D1Database;
  readonly #cluster: number;
  readonly #kinds: KindRegistry;
  readonly #sketches = new Sketches();
  readonly #known = new Map<GroupResource, Kind>();

  constructor(db: D1Database, cluster: number, kinds: KindRegistry) {
    this.#db = db;
    this.#cluster = cluster;
    this.#kinds = kinds;
  }

  /** False when it is too much. */
  async readFrom(targets: readonly Node[]): Promise<boolean> {
    for (const target of targets) this.world.add(target);
    let level = targets;
    for (let depth = 0; level.length > 0; depth++) {
      if (depth === MOST_LEVELS) return false;
      const next: Node[] = [];
      for await (const rows of this.#reachedFrom(level)) {
        for (const row of rows) {
          if (this.world.nodes.has(asUid(row[0]))) continue;
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
      const { name } = node;
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
      const rows = await this.#db
        .prepare(READ_NAMED_BY)
        .bind(this.#cluster, JSON.stringify(left), after.namespace, after.uid, PAGE)
        .raw<[...SketchRow, owner: number]>();
      yield rows as unknown as SketchRow[];
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      const [uid, , namespace, , , , owner] = last;
      left = left.slice(owner);
      after = { namespace, uid };
    }
  }

  async *#within(namespace: string): AsyncGenerator<readonly SketchRow[]> {
    let resources = contentOrder(this.#kinds);
    for (let after = ""; ; ) {
      const rows = await this.#db
        .prepare(READ_SKETCHES_WITHIN)
        .bind(this.#cluster, JSON.stringify(resources), namespace, after, PAGE)
        .raw<SketchRow>();
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      const [, resource, , name] = last;
      resources = resources.slice(resources.indexOf(resource as GroupResource));
      after = name;
    }
  }

  async *#instancesOf(resource: string): AsyncGenerator<readonly SketchRow[]> {
    for (let after = { namespace: "", name: "" }; ; ) {
      const rows = await this.#db
        .prepare(READ_SKETCHES_OF)
        .bind(this.#cluster, resource, after.namespace, after.name, PAGE)
        .raw<SketchRow>();
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      const [, , namespace, name] = last;
      after = { namespace, name };
    }
  }

  /** Where the owners are that somebody names and nothing here reaches. */
  async #readOutsiders(): Promise<void> {
    const unknown = new Set<string>();
    for (const node of this.world.nodes.values()) {
      for (const { uid } of node.owners) if (!this.world.nodes.has(asUid(uid))) unknown.add(uid);
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

  nodeOf([uid, resource, namespace, name, resourceVersion, sketch]: SketchRow): Node {
    return new Node(
      {
        uid: asUid(uid),
        kind: this.#kindOf(resource as GroupResource),
        resource: resource as GroupResource,
        namespace,
        name,
        resourceVersion,
      },
      this.#sketches.of(sketch),
    );
  }

  #kindOf(resource: GroupResource): Kind {
    let kind = this.#known.get(resource);
    if (kind === undefined) {
      kind = storedKind(resource, this.#kinds);
      this.#known.set(resource, kind);
    }
    return kind;
  }
}
