import { untilEnded } from "./cascades.ts";
import { cloneObjects } from "./clone-objects.ts";
import { percentile, timed } from "./measure.ts";
import { Memory } from "./memory.ts";
import { configMap, configMaps, create, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const OBJECTS = 150_000;

export const largeNamespaceRow: Row = {
  name: "large-namespace",
  title: "deletion of a namespace of 150,000",
  unit: "objects/s",
  target: 8_000,
  onlyByName: true,
  ceiling: "the same rows removed by bare SQL",
  measure,
};

/** Lists it without a limit, deletes one collection as a whole, and another with its Namespace. */
async function measure(bench: Bench): Promise<Samples> {
  const count = bench.size(OBJECTS);
  const maker = bench.server.client(1);
  const [first = "", second = ""] = [await newNamespace(maker), await newNamespace(maker)];
  for (const namespace of [first, second]) await create(maker, namespace, configMap("object"));
  const clones = [first, second].map((namespace) => ({ namespace, name: "object", count: count - 1 }));
  await bench.server.restart((folder) => cloneObjects(folder, clones));

  const client = bench.server.client(2);
  const told: string[] = [];
  const watched = async (what: string, act: () => Promise<unknown>) => {
    const memory = new Memory(bench.server.folder, 50);
    const took = await timed(act);
    memory.end();
    const before = memory.samples[0]?.toFixed(0) ?? "?";
    told.push(`${what} ${(took / 1000).toFixed(1)} s, memory ${before} → ${memory.most.toFixed(0)} MB`);
    return took;
  };
  await watched("nothing", () => client.send("GET", `${configMaps(first)}/object`));
  await watched("list", () => client.send("GET", configMaps(first)));
  await watched("list in pages", async () => {
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page = await client.send("GET", `${configMaps(first)}?limit=500&continue=${next}`);
      next = JSON.parse(page.toString()).metadata.continue;
    }
  });
  await watched("deletecollection", () => client.send("DELETE", configMaps(first)));
  const latencies: number[] = [];
  const took = await watched("namespace", async () => {
    await client.send("DELETE", `/api/v1/namespaces/${second}`);
    await untilEnded(async () => {
      let code = 0;
      latencies.push(
        await timed(async () => {
          code = (await client.ask("GET", `/api/v1/namespaces/${second}`)).code;
        }),
      );
      return code === 404;
    });
  });
  const bare = bench.ceiling.client(1);
  await bare.send("POST", `/seed/large?count=${count}&fanout=0`);
  const ceiling = (count / (await timed(() => bare.send("POST", "/remove/large")))) * 1000;
  return {
    samples: [(count / took) * 1000],
    ceiling: [ceiling],
    note: `${told.join("; ")}; gets meanwhile: p99 ${percentile(latencies, 0.99).toFixed(0)} ms`,
  };
}
