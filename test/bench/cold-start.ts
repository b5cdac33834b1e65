import { cloneObjects } from "./clone-objects.ts";
import { timed } from "./measure.ts";
import { configMap, create, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const OBJECTS = 150_000;

export const coldStartRow: Row = {
  name: "cold-start",
  title: "cold start of a namespace of 150,000, first write",
  unit: "ms",
  target: 200,
  ceiling: "a bare insert through a new Durable Object",
  measure,
};

async function measure(bench: Bench): Promise<Samples> {
  const count = bench.size(OBJECTS);
  const maker = bench.server.client(1);
  const namespace = await newNamespace(maker);
  const owner = await create(maker, namespace, configMap("owner"));
  await create(maker, namespace, configMap("dependent", owner));
  const samples: number[] = [];
  const ceiling: number[] = [];
  for (let i = 0; i < bench.repetitions; i++) {
    const clones = i === 0 ? [{ namespace, name: "dependent", count: count - 1 }] : [];
    await bench.server.restart((folder) => cloneObjects(folder, clones));
    const client = bench.server.client(1);
    samples.push(await timed(() => create(client, namespace, configMap(`first-${i}`, owner))));
  }
  for (let i = 0; i < bench.repetitions; i++) {
    await bench.ceiling.restart();
    const client = bench.ceiling.client(1);
    ceiling.push(await timed(() => client.send("POST", "/insert/cold-start", configMap("first"))));
  }
  return { samples, ceiling, note: "after a restart of the server; objects put into the database directly" };
}
