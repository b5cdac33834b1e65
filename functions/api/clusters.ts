import { type Context, Hono } from "hono";
import { z } from "zod";
import { directoryDatabase } from "../../db/database.ts";
import { createCluster, listClusters } from "../clusters/clusters.ts";
import type { Directory } from "../clusters/directory.ts";
import { bearerToken, issueToken } from "../clusters/tokens.ts";
import type { Clock } from "../objects/clock.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import { timestamp } from "../objects/object.ts";
import { jsonAnswer, refusal } from "./answer.ts";
import type { ApiEnv } from "./app.ts";
import { readBody } from "./request-body.ts";

type Env = { Bindings: ApiEnv };

const NewCluster = z.object({ name: z.unknown() });
const NewToken = z.object({
  user: z.string().min(1).max(253),
  role: z.enum(["admin", "view", "node"]),
});

/**
 * Management, outside any cluster's Kubernetes API:
 * `GET /clusters`, `POST /clusters {name}` with the root token; `POST /clusters/{cluster}/tokens {user, role}`
 * with the root token or an admin's. A token is shown once, in the answer that made it.
 */
export function managementRoutes(directoryOf: (env: ApiEnv) => Directory, clock: Clock): Hono<Env> {
  const routes = new Hono<Env>();
  const tokenOf = (c: Context<Env>): string | undefined => bearerToken(c.req.header("authorization"));
  const isRoot = async (c: Context<Env>): Promise<boolean> => {
    const token = tokenOf(c);
    return token !== undefined && (await directoryOf(c.env).isRoot(token));
  };

  routes.get("/", async (c) => {
    if (!(await isRoot(c))) return refusal({ reason: "Unauthorized" });
    const items = await listClusters(directoryDatabase(c.env));
    return jsonAnswer({
      items: items.map(({ name, createdAt }) => ({ name, creationTimestamp: timestamp(createdAt) })),
    });
  });

  routes.post("/", async (c) => {
    if (!(await isRoot(c))) return refusal({ reason: "Unauthorized" });
    const body = await readJson(c, NewCluster);
    if (body === undefined)
      return refusal({ reason: "BadRequest", message: 'expected a JSON object: {"name": "…"}' });
    const namespaceKind = kindRegistry([]).served("", "v1", "namespaces");
    if (namespaceKind === undefined) throw new Error("namespaces are not among the kinds");
    const env = { db: directoryDatabase(c.env), graphs: c.env.NAMESPACE_GRAPH, namespaceKind };
    const made = await createCluster(body.name, env, clock());
    return made.ok ? jsonAnswer({ ...made.value }, { code: 201 }) : refusal(made.failure);
  });

  routes.post("/:cluster/tokens", async (c) => {
    const token = tokenOf(c);
    const admission = token && (await directoryOf(c.env).admit(c.req.param("cluster"), token));
    if (!admission) return refusal({ reason: "Unauthorized" });
    const { cluster, principal } = admission;
    if (principal.role !== "admin") {
      const message = `User ${JSON.stringify(principal.user)} cannot create tokens`;
      return refusal({ reason: "Forbidden", resource: "tokens" as never, name: "", message });
    }
    const body = await readJson(c, NewToken);
    if (body === undefined) {
      const message = 'expected a JSON object: {"user": "…", "role": "admin" | "view" | "node"}';
      return refusal({ reason: "BadRequest", message });
    }
    const made = await issueToken(directoryDatabase(c.env), { cluster, ...body, now: clock() });
    return jsonAnswer({ ...body, token: made }, { code: 201 });
  });
  return routes;
}

async function readJson<T>(c: Context<Env>, shape: z.ZodType<T>): Promise<T | undefined> {
  const body = await readBody(c.req.raw);
  if (!body.ok) return undefined;
  try {
    return shape.safeParse(JSON.parse(body.value.text)).data;
  } catch {
    return undefined;
  }
}
