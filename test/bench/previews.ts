import { cloneObjects } from "./clone-objects.ts";
import { timed } from "./measure.ts";
import { cpuOf, Memory } from "./memory.ts";
import { configMap, create, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const PREVIEWS = "/apis/gc.kubegc.dev/v1alpha1/deletionpreviews";

export const previewRows: Row[] = [
  {
    name: "preview",
    title: "preview of a deletion of 10,000",
    unit: "ms",
    target: 300,
    ceiling: "one D1 read of the names of the same dependents",
    measure: (bench) => measure(bench, bench.size(10_000), 5 * bench.repetitions),
  },
  {
    name: "preview-large",
    title: "preview of a deletion of 100,000",
    unit: "ms",
    target: 3_000,
    ceiling: "one D1 read of the names of the same dependents",
    measure: (bench) => measure(bench, bench.size(100_000), bench.repetitions),
  },
];

/** Asks for the whole list of what would go with an owner, as a client gets it. */
async function measure(bench: Bench, count: number, times: number): Promise<Samples> {
  const maker = bench.server.client(1);
  const namespace = await newNamespace(maker);
  const owner = await create(maker, namespace, configMap("owner"));
  await create(maker, namespace, configMap("dependent", owner));
  const clones = [{ namespace, name: "dependent", count: count - 1 }];
  await bench.server.restart((folder) => cloneObjects(folder, clones));

  const client = bench.server.client(1);
  const target = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "owner" };
  const asked = { apiVersion: "gc.kubegc.dev/v1alpha1", kind: "DeletionPreview", spec: { target } };
  const preview = () => client.send("POST", PREVIEWS, asked);
  const before = new Memory(bench.server.folder, 20);
  before.end();
  const memory = new Memory(bench.server.folder, 20);
  const first = await preview();
  memory.end();
  const { deletes } = JSON.parse(first.toString()).status;
  if (deletes.length !== count + 1) throw new Error(`${deletes.length} objects would go, and not ${count}`);

  const cpuBefore = cpuOf(bench.server.folder);
  const samples: number[] = [];
  for (let i = 0; i < times; i++) samples.push(await timed(preview));
  const cpu = (cpuOf(bench.server.folder) - cpuBefore) / times;

  const bare = bench.ceiling.client(1);
  const bareNamespace = `preview-${count}`;
  await bare.send("POST", `/seed/${bareNamespace}?count=${count}&fanout=0`);
  const ceiling: number[] = [];
  for (let i = 0; i < times; i++) {
    ceiling.push(await timed(() => bare.send("GET", `/dependents/${bareNamespace}`)));
  }
  const megabytes = (first.length / 1e6).toFixed(1);
  return {
    samples,
    ceiling,
    note:
      `${cpu.toFixed(0)} ms of CPU each, answers of ${megabytes} MB; the first one had workerd's memory go from ` +
      `${before.most.toFixed(0)} to ${memory.most.toFixed(0)} MB; dependents put into the database directly`,
  };
}
