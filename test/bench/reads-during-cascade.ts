import { untilEnded } from "./cascades.ts";
import { cloneObjects } from "./clone-objects.ts";
import { drive, driveWhile, median, percentile, sampled, timed } from "./measure.ts";
import { configMap, configMaps, create, deleteOwner, newNamespace, someLeft } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const DEPENDENTS = 50_000;
const READERS = 4;

export const readsDuringCascadeRow: Row = {
  name: "reads-during-cascade",
  title: "gets during a cascade of 50,000, p99",
  unit: "ms",
  target: 100,
  ceiling: "p99 of one D1 read, with nothing else going on",
  measure,
};

async function measure(bench: Bench): Promise<Samples> {
  const count = bench.size(DEPENDENTS);
  const namespaces = await load(bench, count);
  const client = bench.server.client(READERS + 2);
  const speeds: number[] = [];
  const reads: number[] = [];
  const samples = await sampled(namespaces.length, 30_000, async (n) => {
    const namespace = namespaces[n] ?? "";
    // Half of the reads are of the namespace that is busy, half of another one.
    const places = [namespace, namespaces[n + 1] ?? namespaces[0] ?? ""];
    return during(
      async () => {
        const took = await timed(async () => {
          await deleteOwner(client, namespace, "owner", "Background");
          await untilEnded(async () => !(await someLeft(client, namespace)));
        });
        speeds.push((count / took) * 1000);
      },
      (i) => client.send("GET", `${configMaps(places[i % 2] ?? "")}/kept-${i % 50}`),
      reads,
    );
  });
  return {
    samples,
    ceiling: await bareReads(bench),
    note: `${READERS} readers, ${reads.length} reads, half of them took up to ${percentile(reads, 0.5).toFixed(1)} ms; cascade ${Math.round(median(speeds))} objects/s; dependents put into the database directly`,
  };
}

/** Owners with their dependents, and in each namespace some objects that stay. */
async function load(bench: Bench, count: number): Promise<string[]> {
  const client = bench.server.client(1);
  const namespaces: string[] = [];
  while (namespaces.length < Math.min(2, bench.repetitions)) {
    const namespace = await newNamespace(client);
    const owner = await create(client, namespace, configMap("owner"));
    await create(client, namespace, configMap("dependent", owner));
    for (let i = 0; i < 50; i++) await create(client, namespace, configMap(`kept-${i}`));
    namespaces.push(namespace);
  }
  const clones = namespaces.map((namespace) => ({ namespace, name: "dependent", count: count - 1 }));
  await bench.server.restart((folder) => cloneObjects(folder, clones));
  return namespaces;
}

async function bareReads({ ceiling, repetitions, period }: Bench): Promise<number[]> {
  const client = ceiling.client(READERS);
  await client.send("POST", "/seed/kept?count=50&fanout=0");
  const read = (i: number) => client.send("GET", `/read/kept/d${i % 50}`);
  await drive(READERS, period / 2, read);
  return sampled(repetitions, repetitions * period, async () =>
    percentile((await drive(READERS, period, read)).latencies, 0.99),
  );
}

/** p99 of what is read while something is done. */
async function during(
  something: () => Promise<unknown>,
  read: (i: number) => Promise<unknown>,
  all: number[],
): Promise<number> {
  let done = false;
  const reading = driveWhile(READERS, () => !done, read);
  await something().finally(() => {
    done = true;
  });
  const latencies = await reading;
  all.push(...latencies);
  return percentile(latencies, 0.99);
}
