import { asc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { clusters, tokens } from "../../db/schema.ts";
import { graphName } from "../graph/graph-name.ts";
import type { NamespaceGraph } from "../graph/namespace-graph.ts";
import type { MutationRequest } from "../graph/request.ts";
import { type Failure, invalidValue, type Outcome, ok, refuse, requiredValue } from "../objects/failure.ts";
import type { Kind } from "../objects/kind.ts";
import { labelFaults } from "../objects/metadata/names.ts";
import { issueToken } from "./tokens.ts";

/** Every cluster has these from the start, as upstream's do. */
const FIRST_NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];
const ADMIN = "admin";

export interface ClusterEnv {
  db: D1Database;
  graphs: DurableObjectNamespace<NamespaceGraph>;
  /** The kind of namespaces, with which the first ones are made. */
  namespaceKind: Kind;
}

export interface NewCluster {
  name: string;
  user: string;
  /** In clear, for the first and only time. */
  token: string;
}

/**
 * Makes a cluster, its first namespaces, and an admin token. Made again under the same name it is refused, but
 * finishes first what an interrupted attempt left undone.
 * Errors: Invalid for the name, AlreadyExists.
 */
export async function createCluster(
  name: unknown,
  env: ClusterEnv,
  now: number,
): Promise<Outcome<NewCluster>> {
  const failure = nameFailure(name);
  if (failure) return refuse(failure);
  const text = name as string;
  const db = drizzle(env.db);
  const [made] = await db
    .insert(clusters)
    .values({ name: text, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: clusters.id });
  const [row] = made
    ? [made]
    : await db.select({ id: clusters.id }).from(clusters).where(eq(clusters.name, text));
  if (row === undefined) throw new Error(`cluster ${text} was neither made nor found`);

  await createFirstNamespaces(row.id, env);
  const issued = await db
    .select({ user: tokens.user })
    .from(tokens)
    .where(eq(tokens.cluster, row.id))
    .limit(1);
  if (issued.length > 0) {
    return refuse({ reason: "AlreadyExists", resource: CLUSTERS, name: text, terminating: false });
  }
  const token = await issueToken(env.db, { cluster: row.id, user: ADMIN, role: "admin", now });
  return ok({ name: text, user: ADMIN, token });
}

const CLUSTERS = "clusters" as Extract<Failure, { reason: "AlreadyExists" }>["resource"];

export async function listClusters(d1: D1Database): Promise<{ name: string; createdAt: number }[]> {
  return drizzle(d1)
    .select({ name: clusters.name, createdAt: clusters.createdAt })
    .from(clusters)
    .orderBy(asc(clusters.name));
}

/** Through the graph object, which is the only writer of a cluster's rows. Those that exist already stay. */
async function createFirstNamespaces(cluster: number, { graphs, namespaceKind }: ClusterEnv): Promise<void> {
  const requests = FIRST_NAMESPACES.map(
    (name): MutationRequest => ({
      kind: namespaceKind,
      version: "v1",
      principal: { user: "system:apiserver", role: "admin" },
      manager: "kubegc",
      dryRun: false,
      mutation: {
        verb: "create",
        text: JSON.stringify({ metadata: { name } }),
        mediaType: "application/json",
      },
    }),
  );
  for (const reply of await graphs.getByName(graphName(cluster, "")).mutate(requests)) {
    if (!reply.ok && reply.failure.reason !== "AlreadyExists") {
      throw new Error(`a first namespace could not be made: ${JSON.stringify(reply.failure)}`);
    }
  }
}

function nameFailure(name: unknown): Failure | undefined {
  const invalid = (error: ReturnType<typeof requiredValue>): Failure => ({
    reason: "Invalid",
    group: "kubegc.dev",
    kind: "Cluster",
    name: typeof name === "string" ? name : "",
    errors: [error],
  });
  if (typeof name !== "string" || name === "") return invalid(requiredValue("name", ""));
  const [fault] = labelFaults(name);
  return fault === undefined ? undefined : invalid(invalidValue("name", name, fault));
}
