import { isDeepStrictEqual } from "node:util";
import type { TestCluster } from "../cluster.ts";
import { pathTo } from "./let-go.ts";
import { servedKinds } from "./places.ts";

const TOGETHER = 16;
/** Objects of these groups are worked out when they are asked for, and say when that was. */
const COMPUTED = /^(gc\.kubegc\.dev|metrics\.k8s\.io)\//;

interface Listed {
  metadata: { namespace?: string; name: string };
}

/** Where a list of everything fails, or shows an object otherwise than a GET of it does. */
export async function listFaults(cluster: TestCluster): Promise<{ listed: number; faults: string[] }> {
  const faults: string[] = [];
  const gets: { path: string; item: object }[] = [];
  for (const kind of await servedKinds(cluster)) {
    if (COMPUTED.test(kind.apiVersion)) continue;
    const root = kind.apiVersion === "v1" ? "/api/v1" : `/apis/${kind.apiVersion}`;
    const { code, body, text } = await cluster.call("GET", `${root}/${kind.resource}`);
    // Reviews are asked, not kept.
    if (code === 405) continue;
    if (code !== 200) {
      faults.push(`${root}/${kind.resource} cannot be listed: ${code} ${text.slice(0, 300)}`);
      continue;
    }
    for (const item of body.items as Listed[]) {
      gets.push({ path: pathTo(kind, item.metadata.namespace ?? "", item.metadata.name), item });
    }
  }
  const listed = gets.length;
  const look = async () => {
    for (let next = gets.pop(); next; next = gets.pop()) {
      const { code, body } = await cluster.call("GET", next.path);
      if (code !== 200) faults.push(`${next.path} is listed, and a GET of it is a ${code}`);
      else if (!isDeepStrictEqual(withoutType(body), withoutType(next.item))) {
        faults.push(`${next.path} is ${JSON.stringify(body)}, and listed as ${JSON.stringify(next.item)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, look));
  return { listed, faults };
}

/** Items of a list do not always say what they are. */
const withoutType = (object: object) => ({ ...object, kind: undefined, apiVersion: undefined });
