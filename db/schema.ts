import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * What is stored, table by table. The `body` of an object is the only truth about it: the other columns of
 * `objects`, and the rows of `labels` and `owner_refs`, are indexes of that body, written in the same batch.
 *
 * A body is the object's JSON without `apiVersion`, `kind` and `metadata.resourceVersion`, and `metadata` is
 * its first field. A reader puts those three in front of it as text (`objects/stored-body.ts`), so that a list
 * is spliced without being parsed, one row is served in every API version of its kind, and a removal can copy
 * the body into `changes` without touching it.
 *
 * No foreign keys: drizzle-kit rebuilds tables by dropping them, and D1 would cascade that drop.
 */

/** A cluster, and its one counter of resourceVersions, raised in the batch that uses the numbers. */
export const clusters = sqliteTable(
  "clusters",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    /** The newest resourceVersion. Numbers are taken inside a batch, so their order is the order of commits. */
    resourceVersion: integer("resource_version").notNull().default(0),
    /**
     * Of the changes up to and including this one only the outcome is kept: no state that another of them replaced. A
     * watch from before is answered with 410, a list of that moment too.
     */
    compactedVersion: integer("compacted_version").notNull().default(0),
    /** DELETED changes up to and including this one are gone as well. Never beyond `compacted_version`. */
    forgottenVersion: integer("forgotten_version").notNull().default(0),
    /** The resourceVersion of the last change to a CustomResourceDefinition: whoever caches kinds compares it. */
    kindsVersion: integer("kinds_version").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("clusters_name").on(t.name)],
);

/** A bearer token. Only its SHA-256 is kept. */
export const tokens = sqliteTable(
  "tokens",
  {
    sha256: text("sha256").primaryKey(),
    cluster: integer("cluster").notNull(),
    user: text("user").notNull(),
    role: text("role", { enum: ["admin", "view", "node"] }).notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("tokens_cluster").on(t.cluster)],
);

/** One live object. */
export const objects = sqliteTable(
  "objects",
  {
    id: integer("id").primaryKey(),
    cluster: integer("cluster").notNull(),
    /** `configmaps`, `replicasets.apps`. */
    resource: text("resource").notNull(),
    /** Empty for cluster-scoped objects. */
    namespace: text("namespace").notNull(),
    name: text("name").notNull(),
    uid: text("uid").notNull(),
    resourceVersion: integer("resource_version").notNull(),
    /**
     * Null while alive. `foreground` and `orphan`: terminating, and held by that finalizer of the collector;
     * `terminating`: held by something else (other finalizers, a Pod's grace, a Namespace's content).
     */
    deletion: text("deletion", { enum: ["terminating", "foreground", "orphan"] }),
    /** 1 when a DELETE in the background removes it at once: no finalizer, no grace period, not a Namespace. */
    plain: integer("plain").notNull(),
    /** The earliest moment, in ms, at which some sweep could delete it; null when none ever would. */
    sweepAt: integer("sweep_at"),
    body: text("body").notNull(),
  },
  (t) => [
    uniqueIndex("objects_key").on(t.cluster, t.resource, t.namespace, t.name),
    uniqueIndex("objects_uid").on(t.uid),
    index("objects_sweep").on(t.cluster, t.sweepAt).where(sql`sweep_at IS NOT NULL`),
  ],
);

/** One owner reference, found by its owner. The way from a dependent to its owners is in the dependent's body. */
export const ownerRefs = sqliteTable(
  "owner_refs",
  {
    cluster: integer("cluster").notNull(),
    ownerUid: text("owner_uid").notNull(),
    /** Of the dependent: its graph object is the one that may act on it. */
    namespace: text("namespace").notNull(),
    dependentUid: text("dependent_uid").notNull(),
    /** Place in the list: two references may name the same uid and differ otherwise. */
    position: integer("position").notNull(),
    blocking: integer("blocking").notNull(),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.ownerUid, t.namespace, t.dependentUid, t.position] })],
);

/** One label of one object, in list order. */
export const labels = sqliteTable(
  "labels",
  {
    cluster: integer("cluster").notNull(),
    resource: text("resource").notNull(),
    key: text("key").notNull(),
    value: text("value").notNull(),
    namespace: text("namespace").notNull(),
    name: text("name").notNull(),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.resource, t.key, t.value, t.namespace, t.name] })],
);

/**
 * Every write, in order, with the object as it then was. Append-only, compacted from the old end: a state goes when the
 * change that replaced it is compacted, a DELETED after a time of its own. So the newest change of a live object is
 * always there, and so is whatever a change that can still be read points to as `previous`.
 */
export const changes = sqliteTable("changes", {
  /** `cluster × 2^40 + resourceVersion`: each cluster's changes lie together and in order, without an index. */
  id: integer("id").primaryKey(),
  type: text("type", { enum: ["ADDED", "MODIFIED", "DELETED"] }).notNull(),
  resource: text("resource").notNull(),
  namespace: text("namespace").notNull(),
  name: text("name").notNull(),
  uid: text("uid").notNull(),
  at: integer("at").notNull(),
  /** The resourceVersion of the state that this one replaced; null for ADDED. */
  previous: integer("previous"),
  /** For DELETED the last persisted state. */
  body: text("body").notNull(),
});

/** Why an object is going, or gone: written when its deletion begins, closed when it is removed. */
export const deletions = sqliteTable(
  "deletions",
  {
    cluster: integer("cluster").notNull(),
    uid: text("uid").notNull(),
    resource: text("resource").notNull(),
    namespace: text("namespace").notNull(),
    name: text("name").notNull(),
    rule: text("rule", {
      enum: ["request", "owner-absent", "owner-deleting", "namespace", "kind-removed"],
    }).notNull(),
    /** Who asked; for the collector and the namespace controller upstream's service account names. */
    actor: text("actor").notNull(),
    policy: text("policy", { enum: ["Background", "Foreground", "Orphan"] }).notNull(),
    /** The uid whose deletion caused this one; null when a request or a sweep did. */
    cause: text("cause"),
    /** The uid at the head of the chain of causes: its own when nothing caused it. */
    root: text("root").notNull(),
    beganAt: integer("began_at").notNull(),
    /** Null while it is still terminating. */
    removedAt: integer("removed_at"),
    /** The resourceVersion of the DELETED change, which holds the last state. */
    removedVersion: integer("removed_version"),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.uid] })],
);

/**
 * The outbox: what a commit made due and nobody has looked at yet. A namespace's graph object drains its own
 * rows. Made due again, a row gets a new id, so whoever deletes the old id after looking loses nothing.
 */
export const work = sqliteTable(
  "work",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    cluster: integer("cluster").notNull(),
    namespace: text("namespace").notNull(),
    task: text("task", {
      enum: [
        "examine",
        "dependents",
        "release",
        "namespace",
        "instances",
        "event",
        "owner",
        "finalize",
        "served",
        "names",
      ],
    }).notNull(),
    /** What the task is about: an object, or the owner whose dependents are meant. */
    uid: text("uid").notNull(),
    /** Tasks of a lower stage go first: an owner is looked at again after its dependents. */
    stage: integer("stage").notNull(),
    /** How far a task over many rows has come. */
    cursor: text("cursor").notNull().default(""),
    /** What else the task needs, as JSON. */
    detail: text("detail"),
    /** Not before this moment, in ms. */
    dueAt: integer("due_at").notNull().default(0),
  },
  (t) => [
    uniqueIndex("work_key").on(t.cluster, t.namespace, t.task, t.uid),
    index("work_order").on(t.cluster, t.namespace, t.stage, t.id),
  ],
);

/** The fence: which graph object may write a namespace's rows, and the outcome of its last batch. */
export const namespacesOwner = sqliteTable(
  "namespaces_owner",
  {
    cluster: integer("cluster").notNull(),
    /** Empty for the graph of the cluster-scoped objects. */
    namespace: text("namespace").notNull(),
    epoch: integer("epoch").notNull(),
    /** The operation id of the last committed batch, looked up when a reply was lost. */
    operation: text("operation"),
    /** The resourceVersion the counter stood at after that batch. */
    resourceVersion: integer("resource_version"),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.namespace] })],
);

/**
 * Never holds a row. A batch inserts into it what it found wrong, and the check that fails aborts the batch:
 * a lost compare-and-set is not an SQL error by itself, and an error is the only thing that rolls a batch back.
 */
export const guard = sqliteTable(
  "guard",
  {
    superseded: integer("superseded"),
    stale: integer("stale"),
    closed: integer("closed"),
    moved: integer("moved"),
  },
  () => [
    check("superseded", sql`superseded IS NULL`),
    check("stale", sql`stale IS NULL`),
    check("closed", sql`closed IS NULL`),
    check("moved", sql`moved IS NULL`),
  ],
);
