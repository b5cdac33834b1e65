import type { TestCluster } from "./cluster.ts";

interface Discovered {
  resources: { name: string; verbs: string[] }[];
}

/** Everything that a cluster has, by path: what does not change this has changed nothing. */
export async function contentsOf(cluster: TestCluster): Promise<Map<string, unknown>> {
  const versions = ["/api/v1", ...(await groupVersions(cluster)).map((version) => `/apis/${version}`)];
  const lists = versions.map(async (root) => {
    const { resources }: Discovered = (await cluster.call("GET", root)).body;
    const listed = resources.filter(({ verbs }) => verbs.includes("list"));
    return Promise.all(listed.map(({ name }) => read(cluster, `${root}/${name}`)));
  });
  return new Map((await Promise.all(lists)).flat(2));
}

async function groupVersions(cluster: TestCluster): Promise<string[]> {
  const { groups } = (await cluster.call("GET", "/apis")).body;
  return groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
    group.versions.map(({ groupVersion }) => groupVersion),
  );
}

async function read(cluster: TestCluster, path: string): Promise<[string, unknown][]> {
  const { code, body, text } = await cluster.call("GET", path);
  if (code !== 200) throw new Error(`${path} cannot be listed: ${code} ${text}`);
  return body.items.map((item: { metadata: { namespace?: string; name: string } }) => [
    `${path}/${item.metadata.namespace ?? ""}/${item.metadata.name}`,
    item,
  ]);
}
