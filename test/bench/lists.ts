import type { Client } from "./client.ts";
import { cloneObjects } from "./clone-objects.ts";
import { timed } from "./measure.ts";
import { configMap, configMaps, create, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const OBJECTS = 10_000;
const PAGE = 500;

export const listRows: Row[] = [
  {
    name: "list",
    title: "list of 10,000",
    unit: "ms",
    target: 100,
    ceiling: "one D1 read of the same bodies",
    measure: (bench) => measure(bench, bench.size(OBJECTS), undefined),
  },
  {
    name: "list-page",
    title: "list of 10,000, a page of 500",
    unit: "ms",
    target: 10,
    ceiling: "one D1 read of the same bodies",
    measure: (bench) => measure(bench, bench.size(OBJECTS), Math.min(PAGE, bench.size(OBJECTS))),
  },
];

async function measure(bench: Bench, count: number, limit: number | undefined): Promise<Samples> {
  const maker = bench.server.client(1);
  const namespace = await newNamespace(maker);
  await create(maker, namespace, configMap("listed"));
  const clones = [{ namespace, name: "listed", count: count - 1 }];
  await bench.server.restart((folder) => cloneObjects(folder, clones));
  const client = bench.server.client(1);
  const path = `${configMaps(namespace)}${limit === undefined ? "" : `?limit=${limit}`}`;
  const wanted = limit ?? count;
  const found = JSON.parse((await client.send("GET", path)).toString()).items.length;
  if (found !== wanted) throw new Error(`${found} of ${wanted} objects were listed`);

  const bare = bench.ceiling.client(1);
  const bareNamespace = `list-${wanted}`;
  await bare.send("POST", `/seed/${bareNamespace}?count=${count}&fanout=0`);
  const times = limit === undefined ? 7 * bench.repetitions : 30 * bench.repetitions;
  return {
    samples: await repeatedly(client, path, times),
    ceiling: await repeatedly(bare, `/list/${bareNamespace}?count=${wanted}`, times),
    note: `one after the other, ${times} times; objects put into the database directly`,
  };
}

async function repeatedly(client: Client, path: string, times: number): Promise<number[]> {
  const warmUp = 3;
  const samples: number[] = [];
  for (let i = -warmUp; i < times; i++) {
    const took = await timed(() => client.send("GET", path));
    if (i >= 0) samples.push(took);
  }
  return samples;
}
