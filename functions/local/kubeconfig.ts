import { existsSync, readFileSync } from "node:fs";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { writePrivately } from "./private-file.ts";

/** What the local server puts into a kubeconfig, and reads back from it. */
export interface ClusterAccess {
  /** Names the cluster, the user and the context. */
  readonly cluster: string;
  readonly server: string;
  /** PEM of the certificate to trust. */
  readonly authority: string;
  readonly token: string;
}

const file = z.object({
  clusters: z.tuple([
    z.object({
      name: z.string(),
      cluster: z.object({ server: z.url(), "certificate-authority-data": z.base64() }),
    }),
  ]),
  users: z.tuple([z.object({ user: z.object({ token: z.string() }) })]),
});

export function writeKubeconfig(path: string, { cluster, server, authority, token }: ClusterAccess): void {
  const data = Buffer.from(authority).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": cluster,
    clusters: [{ name: cluster, cluster: { server, "certificate-authority-data": data } }],
    users: [{ name: cluster, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user: cluster } }],
  };
  writePrivately(path, stringify(config, { lineWidth: 0 }));
}

/** Undefined when there is no such file, or one that was not written by `writeKubeconfig`. */
export function readKubeconfig(path: string): ClusterAccess | undefined {
  if (!existsSync(path)) return undefined;
  const parsed = file.safeParse(parse(readFileSync(path, "utf8")));
  if (!parsed.success) return undefined;
  const [{ name, cluster }] = parsed.data.clusters;
  const authority = Buffer.from(cluster["certificate-authority-data"], "base64").toString();
  return { cluster: name, server: cluster.server, authority, token: parsed.data.users[0].user.token };
}
