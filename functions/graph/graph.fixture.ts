import { env } from "cloudflare:workers";
import { READ_DUE_NAMESPACES } from "../../db/reads.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import { customKind } from "../objects/kinds/custom-resource.ts";
import type { DeleteOptions } from "../objects/metadata/delete-options.ts";
import { asJson, type KubeObject, type OwnerReference } from "../objects/object.ts";
import { parseStored } from "../objects/stored-body.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { GraphStore } from "./graph-store.ts";
import { commitGroup } from "./group.ts";
import { KindsCache } from "./kinds-cache.ts";
import type { GraphEnv } from "./namespace-graph.ts";
import type { MutationReply, MutationRequest } from "./request.ts";
import { workSlice } from "./slice.ts";

export const { DB, NAMESPACE_GRAPH } = env as unknown as GraphEnv;

const JSON_TYPE = "application/json";
const USER = { user: "jane", role: "admin" } as const;

/** What a test writes of an object; the rest is put in. */
export interface Sketch {
  name: string;
  labels?: Record<string, string>;
  finalizers?: string[];
  owners?: OwnerReference[];
  fields?: object;
}

function request(kind: Kind, mutation: MutationRequest["mutation"], dryRun = false): MutationRequest {
  return { kind, version: kind.versions[0] ?? "v1", principal: USER, dryRun, mutation };
}

export function create(kind: Kind, { name, labels, finalizers, owners, fields }: Sketch): MutationRequest {
  const text = JSON.stringify({
    apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"),
    kind: kind.kind,
    metadata: { name, labels, finalizers, ownerReferences: owners },
    ...fields,
  });
  return request(kind, { verb: "create", text, mediaType: JSON_TYPE });
}

export function remove(kind: Kind, name: string, options: Partial<DeleteOptions> = {}): MutationRequest {
  return request(kind, { verb: "delete", name, options: { dryRun: false, ...options } });
}

/** A merge patch. */
export function patch(kind: Kind, name: string, change: object): MutationRequest {
  const text = JSON.stringify(change);
  return request(kind, { verb: "patch", name, subresource: undefined, type: "merge", text });
}

export function replace(kind: Kind, object: KubeObject): MutationRequest {
  const { name } = object.metadata;
  const text = JSON.stringify(object);
  return request(kind, { verb: "update", name, subresource: undefined, text, mediaType: JSON_TYPE });
}

export function finalize(name: string, object: object): MutationRequest {
  const text = JSON.stringify(object);
  return request(kindOf("namespaces"), {
    verb: "update",
    name,
    subresource: "finalize",
    text,
    mediaType: JSON_TYPE,
  });
}

/** The object of an answer; a test that gets another answer fails. */
export function objectOf(reply: MutationReply | undefined): KubeObject {
  if (!reply?.ok || reply.result.as !== "object") throw new Error(JSON.stringify(reply));
  return JSON.parse(reply.result.body) as KubeObject;
}

/** How a created object is named as an owner. */
export function ownedBy(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...more };
}

export const blocking = (owner: KubeObject): OwnerReference => ownedBy(owner, { blockOwnerDeletion: true });

/** A row of `clusters`; every test has a cluster of its own. */
export async function newCluster(): Promise<number> {
  const row = await DB.prepare("INSERT INTO clusters (name, created_at) VALUES (?1, 0) RETURNING id")
    .bind(crypto.randomUUID())
    .first<{ id: number }>();
  if (row === null) throw new Error("no cluster");
  return row.id;
}

/** The most slices one `settle` takes before it says that the outbox never empties. */
const SLICES = 2000;

/**
 * A cluster whose graphs the test drives turn by turn: the real groups, slices and database, and nothing that
 * happens unasked. Without Durable Objects there is no alarm and no cron, so `settle` is exact.
 */
export class TestCluster {
  readonly id: number;
  readonly db: D1Database;
  /** Goes on by a second with each turn. */
  now = Date.UTC(2026, 10, 20, 16, 20, 3);
  readonly #graphs = new Map<string, { store: GraphStore; kindsCache: KindsCache }>();

  private constructor(id: number, db: D1Database) {
    this.id = id;
    this.db = db;
  }

  /** With these namespaces in it. */
  static async create(
    namespaces: readonly string[] = ["team"],
    db: D1Database = DB,
    id?: number,
  ): Promise<TestCluster> {
    const cluster = new TestCluster(id ?? (await newCluster()), db);
    const kind = kindOf("namespaces");
    await cluster.ask("", ...namespaces.map((name) => create(kind, { name })));
    return cluster;
  }

  readonly clock = (): number => this.now;

  graph(namespace: string) {
    const known = this.#graphs.get(namespace);
    if (known !== undefined) return known;
    const graph = {
      store: new GraphStore(this.db, this.id, namespace, this.clock),
      kindsCache: new KindsCache(),
    };
    this.#graphs.set(namespace, graph);
    return graph;
  }

  /** Another graph object takes the place of the one that served this namespace. */
  replaceGraph(namespace: string): void {
    this.#graphs.delete(namespace);
  }

  /** As many groups as the requests need. */
  async ask(namespace: string, ...requests: MutationRequest[]): Promise<MutationReply[]> {
    const { store, kindsCache } = this.graph(namespace);
    const replies: MutationReply[] = [];
    while (replies.length < requests.length) {
      this.now += 1000;
      const { replies: some } = await commitGroup(
        requests.slice(replies.length),
        store,
        kindsCache,
        this.clock,
      );
      replies.push(...some);
    }
    return replies;
  }

  /** Creates one object and says what was stored. */
  async make(kind: Kind, sketch: Sketch, namespace = kind.namespaced ? "team" : ""): Promise<KubeObject> {
    const [reply] = await this.ask(namespace, create(kind, sketch));
    return objectOf(reply);
  }

  /** One slice of a namespace's work; false when there is none. */
  async slice(namespace: string): Promise<boolean> {
    this.now += 1000;
    const { empty } = await workSlice({ ...this.graph(namespace), clock: this.clock });
    return !empty;
  }

  /** Namespaces with work that is due. */
  async due(): Promise<string[]> {
    const { results } = await this.db
      .prepare(READ_DUE_NAMESPACES)
      .bind(this.now, 1000)
      .all<{ cluster: number; namespace: string }>();
    return results.filter((row) => row.cluster === this.id).map((row) => row.namespace);
  }

  /** Does all work there is, the namespaces taking turns; returns the number of slices. */
  async settle(): Promise<number> {
    for (let slices = 0; ; ) {
      const due = await this.due();
      if (due.length === 0) return slices;
      for (const namespace of due) await this.slice(namespace);
      slices += due.length;
      if (slices > SLICES) throw new Error(`the outbox never empties: ${await this.outbox()}`);
    }
  }

  async outbox(): Promise<string> {
    const { results } = await DB.prepare(
      "SELECT namespace, task, uid, detail, due_at FROM work WHERE cluster = ?1 ORDER BY id",
    )
      .bind(this.id)
      .all();
    return JSON.stringify(results);
  }

  async find(
    kind: Kind,
    name: string,
    namespace = kind.namespaced ? "team" : "",
  ): Promise<KubeObject | undefined> {
    const row = await DB.prepare(
      "SELECT body, resource_version FROM objects WHERE cluster = ?1 AND resource = ?2 AND namespace = ?3 AND name = ?4",
    )
      .bind(this.id, kind.storedAs, namespace, name)
      .first<{ body: string; resource_version: number }>();
    if (row === null) return undefined;
    return parseStored(row.body, {
      apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"),
      kind: kind.kind,
      resourceVersion: row.resource_version,
    });
  }

  /** `team/configmaps/a` of all that is left, but for the namespaces. */
  async left(): Promise<string[]> {
    const { results } = await DB.prepare(
      `SELECT namespace || '/' || resource || '/' || name AS path FROM objects
       WHERE cluster = ?1 AND resource <> 'namespaces' AND resource NOT LIKE 'customresource%' ORDER BY 1`,
    )
      .bind(this.id)
      .all<{ path: string }>();
    return results.map((row) => row.path.replace(/^\//, ""));
  }

  async deletions(): Promise<Deletion[]> {
    const { results } = await DB.prepare(
      `SELECT cluster, uid, resource, namespace, name, rule, actor, policy, cause, root, began_at, removed_at, removed_version
       FROM deletions WHERE cluster = ?1 ORDER BY began_at, name`,
    )
      .bind(this.id)
      .all<Deletion>();
    return results;
  }

  /** A kind that a definition of this cluster serves. */
  async kind(storedAs: string): Promise<Kind> {
    const definition = await this.find(kindOf("customresourcedefinitions.apiextensions.k8s.io"), storedAs);
    if (definition === undefined) throw new Error(`nobody serves ${storedAs}`);
    return customKind(asJson(definition));
  }
}

export interface Deletion {
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  rule: string;
  actor: string;
  policy: string;
  cause: string | null;
  root: string;
  began_at: number;
  removed_at: number | null;
  removed_version: number | null;
}

const TABLES = {
  clusters: "SELECT * FROM clusters WHERE id = ?1",
  objects: "SELECT * FROM objects WHERE cluster = ?1 ORDER BY id",
  labels: "SELECT * FROM labels WHERE cluster = ?1",
  owner_refs: "SELECT * FROM owner_refs WHERE cluster = ?1",
  changes: "SELECT * FROM changes WHERE id >> 40 = ?1 ORDER BY id",
  deletions: "SELECT * FROM deletions WHERE cluster = ?1",
  work: "SELECT * FROM work WHERE cluster = ?1 ORDER BY id",
  namespaces_owner: "SELECT * FROM namespaces_owner WHERE cluster = ?1",
  guard: "SELECT * FROM guard",
};

/** Every row of a cluster, to be compared as a whole. */
export async function tables(cluster: number): Promise<Record<keyof typeof TABLES, unknown[]>> {
  const results = await DB.batch(
    Object.values(TABLES).map((text) => {
      const statement = DB.prepare(text);
      return text.includes("?1") ? statement.bind(cluster) : statement;
    }),
  );
  const rows = Object.keys(TABLES).map((name, i) => [name, results[i]?.results ?? []]);
  return Object.fromEntries(rows) as Record<keyof typeof TABLES, unknown[]>;
}
