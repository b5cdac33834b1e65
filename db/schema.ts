import { sql } from "drizzle-orm";
import {
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

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
    /** The resourceVersion of the last change to a CustomResourceDefinition or a SweepPolicy: whoever caches them compares it. */
    kindsVersion: integer("kinds_version").notNull().default(0),
    /** When the cluster is gone through next for what nobody saw, in ms. */
    resyncAt: integer("resync_at").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("clusters_name").on(t.name), index("clusters_resync").on(t.resyncAt)],
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
    /** In ms. From then on it does not pass; null when it never ends. */
    expiresAt: integer("expires_at"),
    /** The ServiceAccount that it is a token of. When that is gone, it does not pass. */
    accountUid: text("account_uid"),
    /** A Pod or Secret without which it does not pass either. */
    boundUid: text("bound_uid"),
  },
  (t) => [
    index("tokens_cluster").on(t.cluster),
    index("tokens_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
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
    /** The earliest moment, in ms, at which some sweep has to look at it; null when none ever would. */
    sweepAt: integer("sweep_at"),
    body: text("body").notNull(),
  },
  (t) => [
    uniqueIndex("objects_key").on(t.cluster, t.resource, t.namespace, t.name),
    uniqueIndex("objects_uid").on(t.uid),
    // What is due anywhere, and what is due in one namespace.
    index("objects_due").on(t.sweepAt, t.cluster, t.namespace).where(sql`sweep_at IS NOT NULL`),
    index("objects_sweep").on(t.cluster, t.namespace, t.sweepAt).where(sql`sweep_at IS NOT NULL`),
    // A Node that is gone is named by its Pods only.
    index("objects_pod_node")
      .on(t.cluster, sql`body ->> '$.spec.nodeName'`, t.namespace)
      .where(sql`resource = 'pods'`),
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
    /** `request`, a rule of the collector (`owner-absent`, `owner-deleting`, `namespace`, `kind-removed`) or of a sweep. */
    rule: text("rule").notNull(),
    /** Who asked; for what no request asked for upstream's service account names. */
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
    /** JSON: what people did to let it go, and why; null when nobody did. */
    interventions: text("interventions"),
    /** When the record itself goes, in ms; null until the DELETED change has gone. */
    forgetAt: integer("forget_at"),
  },
  (t) => [
    primaryKey({ columns: [t.cluster, t.uid] }),
    index("deletions_forget").on(t.forgetAt).where(sql`forget_at IS NOT NULL`),
    // What one request made go, as a whole.
    index("deletions_root").on(t.cluster, t.root),
    // Chains that still grow: their records stay.
    index("deletions_open").on(t.cluster, t.root).where(sql`removed_at IS NULL`),
  ],
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
        "sweep",
        "scan",
        "count",
        "quarantine",
        "moments",
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

/** A preview of a deletion, so that a DELETE that is held to it can be told what has changed. Kept for a day. */
export const previews = sqliteTable(
  "previews",
  {
    cluster: integer("cluster").notNull(),
    hash: text("hash").notNull(),
    takenAt: integer("taken_at").notNull(),
    /** JSON: by uid, what would become of it, and its name. */
    fates: text("fates").notNull(),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.hash] }), index("previews_taken").on(t.cluster, t.takenAt)],
);

/** A part of a set of objects that is to be imported: nothing of it is there until the last part commits all of them. */
export const imports = sqliteTable(
  "imports",
  {
    cluster: integer("cluster").notNull(),
    session: text("session").notNull(),
    part: integer("part").notNull(),
    takenAt: integer("taken_at").notNull(),
    /** JSON: the objects as they were sent. */
    items: text("items").notNull(),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.session, t.part] })],
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
 * One run of one sweep over a cluster. Those that moments made due are one row for each minute, to which every slice of work
 * adds; a run that was asked for is worked off in parts.
 */
export const sweepRuns = sqliteTable(
  "sweep_runs",
  {
    cluster: integer("cluster").notNull(),
    name: text("name").notNull(),
    sweep: text("sweep").notNull(),
    cause: text("cause", { enum: ["due", "request", "resync"] }).notNull(),
    /** 1 when nothing may be written. */
    dryRun: integer("dry_run").notNull().default(0),
    /** Parts that nobody has looked at yet; the run is over when there is none. */
    pending: integer("pending").notNull().default(0),
    startedAt: integer("started_at").notNull(),
    completedAt: integer("completed_at"),
    /** Objects that a rule applies to: the sum of those that follow. */
    found: integer("found").notNull().default(0),
    deleted: integer("deleted").notNull().default(0),
    patched: integer("patched").notNull().default(0),
    /** Cannot be judged. */
    skipped: integer("skipped").notNull().default(0),
    /** Would have been deleted or patched, in report-only mode or a dry run. */
    reported: integer("reported").notNull().default(0),
    failed: integer("failed").notNull().default(0),
    /** JSON lists of the first of them, with reasons. */
    deletedObjects: text("deleted_objects").notNull().default("[]"),
    skippedObjects: text("skipped_objects").notNull().default("[]"),
    message: text("message").notNull().default(""),
  },
  (t) => [
    primaryKey({ columns: [t.cluster, t.name] }),
    index("sweep_runs_order").on(t.cluster, t.sweep, t.startedAt),
  ],
);

/** How many objects each rule has deleted, and tried to in vain, since the cluster was made: what metrics count. */
export const sweepTotals = sqliteTable(
  "sweep_totals",
  {
    cluster: integer("cluster").notNull(),
    namespace: text("namespace").notNull(),
    sweep: text("sweep").notNull(),
    rule: text("rule").notNull(),
    deleted: integer("deleted").notNull().default(0),
    failed: integer("failed").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.namespace, t.sweep, t.rule] })],
);

/**
 * What nobody should have to count: `objects` by resource, and `deletions` by rule, in each batch that changes them; and
 * `job-ttl` by bucket, how late finished Jobs went. Metrics read them.
 */
export const counters = sqliteTable(
  "counters",
  {
    cluster: integer("cluster").notNull(),
    name: text("name", { enum: ["objects", "deletions", "removed", "job-ttl"] }).notNull(),
    label: text("label").notNull(),
    value: integer("value").notNull(),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.name, t.label] })],
);

/** Keeps two runs of one cron job apart. A run that dies lets go by time. */
export const cronLeases = sqliteTable("cron_leases", {
  name: text("name").primaryKey(),
  /** In ms. */
  heldUntil: integer("held_until").notNull(),
});

/**
 * A node that reports what its runtime holds: when it did, and where its collections stand. Its record object is the only
 * writer; `epoch` is the fence, and `operation` the id of its last batch, looked up when a reply was lost.
 */
export const nodes = sqliteTable(
  "nodes",
  {
    cluster: integer("cluster").notNull(),
    node: text("node").notNull(),
    epoch: integer("epoch").notNull(),
    operation: text("operation"),
    /** Of the latest report that was taken. Null before the first one, and so is what follows. */
    sequence: integer("sequence"),
    reportedAt: integer("reported_at"),
    boot: text("boot"),
    /** What df said, as JSON. */
    fileSystems: text("file_systems"),
    /** Plan, run, counts and what else is known of the node as a whole, as JSON. */
    state: text("state"),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.node] })],
);

/** An image of a node, or one that was there lately. Its row is written when something about it changes, not with each report. */
export const nodeImages = sqliteTable(
  "node_images",
  {
    cluster: integer("cluster").notNull(),
    node: text("node").notNull(),
    /** The image's id, and the runtime handler behind a comma if it has one. */
    key: text("key").notNull(),
    image: text("image").notNull(),
    handler: text("handler").notNull(),
    /** JSON lists. */
    tags: text("tags").notNull(),
    digests: text("digests").notNull(),
    size: integer("size").notNull(),
    pinned: integer("pinned").notNull(),
    firstDetected: integer("first_detected").notNull(),
    /** Null when it was never used. While `in_use`, the image was last used at the node's latest report, whatever stands here. */
    lastUsed: integer("last_used"),
    inUse: integer("in_use").notNull(),
    /** When it was first seen to be gone; null while it is there. */
    goneAt: integer("gone_at"),
    /** Which rule of ours removed it; null when it went otherwise. */
    goneBy: text("gone_by", { enum: ["age", "space", "pressure"] }),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.node, t.key] })],
);

/** A container of a node, or one that was there lately. */
export const nodeContainers = sqliteTable(
  "node_containers",
  {
    cluster: integer("cluster").notNull(),
    node: text("node").notNull(),
    id: text("id").notNull(),
    podUid: text("pod_uid").notNull(),
    podNamespace: text("pod_namespace").notNull(),
    podName: text("pod_name").notNull(),
    name: text("name").notNull(),
    attempt: integer("attempt").notNull(),
    state: text("state", { enum: ["CREATED", "RUNNING", "EXITED", "UNKNOWN"] }).notNull(),
    /** On the node's clock, in ms with fractions. */
    createdAt: real("created_at").notNull(),
    /** When it was first seen to have ended. */
    exitedAt: integer("exited_at"),
    goneAt: integer("gone_at"),
  },
  (t) => [primaryKey({ columns: [t.cluster, t.node, t.id] })],
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
