import { untilEnded } from "./cascades.ts";
import { cloneObjects } from "./clone-objects.ts";
import { timed } from "./measure.ts";
import { cpuOf, Memory } from "./memory.ts";
import { configMap, configMaps, create, deleteOwner, newNamespace, someLeft } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const OBJECTS = 10_000;
const RESTORES = "/apis/gc.kubegc.dev/v1alpha1/restores";

export const restoreRow: Row = {
  name: "restore",
  title: "restore of a tree of 10,000",
  unit: "ms",
  target: 5_000,
  ceiling: "the same rows inserted by bare SQL",
  measure,
};

/** Deletes an owner with its dependents, and brings the tree back from the record of that, again and again. */
async function measure(bench: Bench): Promise<Samples> {
  const count = bench.size(OBJECTS);
  const maker = bench.server.client(1);
  const namespace = await newNamespace(maker);
  const owner = await create(maker, namespace, configMap("owner"));
  await create(maker, namespace, configMap("dependent", owner));
  const clones = [{ namespace, name: "dependent", count: count - 1 }];
  await bench.server.restart((folder) => cloneObjects(folder, clones));

  const client = bench.server.client(1);
  const samples: number[] = [];
  let { uid } = owner;
  let cpu = 0;
  let grown = 0;
  for (let i = 0; i < bench.repetitions; i++) {
    await deleteOwner(client, namespace, "owner", "Background");
    await untilEnded(async () => !(await someLeft(client, namespace)));
    const spec = { record: uid };
    const restore = { apiVersion: "gc.kubegc.dev/v1alpha1", kind: "Restore", spec };
    const memory = new Memory(bench.server.folder, 20);
    const before = cpuOf(bench.server.folder);
    let answer: Buffer = Buffer.alloc(0);
    samples.push(await timed(async () => (answer = await client.send("POST", RESTORES, restore))));
    cpu += cpuOf(bench.server.folder) - before;
    memory.end();
    grown = Math.max(grown, memory.most - (memory.samples[0] ?? Number.NaN));
    const { restored } = JSON.parse(answer.toString()).status;
    if (restored.length !== count + 1) throw new Error(`${restored.length} objects came back`);
    ({ uid } = JSON.parse((await client.send("GET", `${configMaps(namespace)}/owner`)).toString()).metadata);
  }

  const bare = bench.ceiling.client(1);
  const ceiling: number[] = [];
  for (let i = 0; i < bench.repetitions; i++) {
    ceiling.push(await timed(() => bare.send("POST", `/seed/restore-${i}?count=${count}&fanout=0`)));
  }
  return {
    samples,
    ceiling,
    note: `${(cpu / bench.repetitions).toFixed(0)} ms of CPU each, workerd's memory grew by ${grown.toFixed(0)} MB at most; dependents put into the database directly, and deleted by a cascade`,
  };
}
