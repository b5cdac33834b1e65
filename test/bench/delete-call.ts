import { untilEnded } from "./cascades.ts";
import { type Clones, cloneObjects } from "./clone-objects.ts";
import { percentile, sampled, timed } from "./measure.ts";
import { configMap, create, deleteOwner, newNamespace, someLeft } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const OWNERS = 20;
/** No further one is deleted after this, in ms. */
const TIME = 25_000;
const DEPENDENTS = 10_000;

export const deleteCallRow: Row = {
  name: "delete-call",
  title: "the DELETE call itself, p99, owner of 10,000",
  unit: "ms",
  target: 20,
  ceiling: "p99 of a bare insert through a Durable Object",
  measure,
};

async function measure(bench: Bench): Promise<Samples> {
  const namespace = await load(bench);
  const client = bench.server.client(1);
  const calls = await sampled(OWNERS, TIME, async (i) => {
    const policy = i % 2 === 0 ? "Background" : "Foreground";
    const took = await timed(() => deleteOwner(client, namespace, `owner-${i}`, policy));
    await untilEnded(async () => !(await someLeft(client, namespace, `of-${i}`)));
    return took;
  });
  return {
    samples: [percentile(calls, 0.99)],
    ceiling: [await bareInsert(bench)],
    note: `the slowest of ${calls.length} calls, half of them took up to ${percentile(calls, 0.5).toFixed(1)} ms; dependents put into the database directly`,
  };
}

async function load(bench: Bench): Promise<string> {
  const client = bench.server.client(1);
  const namespace = await newNamespace(client);
  const clones: Clones[] = [];
  for (let i = 0; i < OWNERS; i++) {
    const owner = await create(client, namespace, configMap(`owner-${i}`));
    await create(client, namespace, configMap(`dependent-${i}`, owner, `of-${i}`));
    clones.push({ namespace, name: `dependent-${i}`, count: bench.size(DEPENDENTS) - 1 });
  }
  await bench.server.restart((folder) => cloneObjects(folder, clones));
  return namespace;
}

async function bareInsert({ ceiling }: Bench): Promise<number> {
  const client = ceiling.client(1);
  const calls: number[] = [];
  for (let i = 0; i < 200; i++) {
    calls.push(await timed(() => client.send("POST", "/insert/one-by-one", configMap("one"))));
  }
  return percentile(calls.slice(20), 0.99);
}
