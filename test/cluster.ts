import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { type Answer, call, type TestServer } from "./server.ts";

/** A cluster of its own on a server that is shared. */
export interface TestCluster {
  name: string;
  /** Its Kubernetes API, in plain HTTP. */
  base: string;
  /** Of its admin. */
  token: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export async function makeCluster(server: TestServer, name: string): Promise<TestCluster> {
  const made = await call(server.url, server.rootToken, "POST", "/clusters", { name });
  if (made.code !== 201) throw new Error(`no cluster ${name}: ${made.code} ${made.text}`);
  const base = `${server.url}/clusters/${name}`;
  const token: string = made.body.token;
  return { name, base, token, call: (...request) => call(base, token, ...request) };
}

/** A token of a cluster for a user in a role. */
export async function makeToken(
  server: TestServer,
  cluster: string,
  user: string,
  role: string,
): Promise<string> {
  const path = `/clusters/${cluster}/tokens`;
  const made = await call(server.url, server.rootToken, "POST", path, { user, role });
  if (made.code !== 201) throw new Error(`no token for ${user}: ${made.code} ${made.text}`);
  return made.body.token;
}

/** Writes the server's kubeconfig for this cluster. Returns its path. */
export function writeKubeconfig(server: TestServer, cluster: TestCluster, folder: string): string {
  const config = parse(readFileSync(server.kubeconfig, "utf8"));
  const endpoint = config.clusters[0].cluster;
  endpoint.server = endpoint.server.replace(/\/clusters\/.*/, `/clusters/${cluster.name}`);
  config.users[0].user.token = cluster.token;
  const path = join(folder, `kubeconfig-${cluster.name}`);
  writeFileSync(path, stringify(config));
  return path;
}
