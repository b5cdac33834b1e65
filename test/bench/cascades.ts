import type { Ceiling } from "./ceiling.ts";
import type { Client } from "./client.ts";
import { forEach, pause, sampled, timed } from "./measure.ts";
import { configMap, create, deleteOwner, exists, type Made, newNamespace, someLeft } from "./objects.ts";
import type { Bench, Row } from "./row.ts";

interface Cascade {
  policy: "Background" | "Foreground" | "Orphan";
  /** 0: every dependent is the owner's own. */
  fanout: number;
}

const OBJECTS = 10_000;
/** With which the objects are made: the more, the faster. */
const CONNECTIONS = 64;
/** How often it is asked whether a cascade has ended, and how long at most, in ms. */
const POLL = 20;
const LIMIT = 120_000;
/** No further repetition is begun after this, in ms: to create the objects takes longer than to remove them. */
const TIME = 14_000;

export const cascadeRows: Row[] = [
  {
    name: "background-star",
    title: "background cascade, star of 10,000",
    unit: "objects/s",
    target: 15_000,
    shareWanted: 0.5,
    ceiling: "the same rows removed by bare SQL",
    measure: (bench) => measureCascade(bench, { policy: "Background", fanout: 0 }),
  },
  {
    name: "background-tree",
    title: "background cascade, tree of 10,000, fan-out 4",
    unit: "objects/s",
    target: 15_000,
    shareWanted: 0.5,
    ceiling: "the same rows removed by bare SQL",
    measure: (bench) => measureCascade(bench, { policy: "Background", fanout: 4 }),
  },
  {
    name: "foreground",
    title: "foreground cascade of 10,000, all blocking",
    unit: "objects/s",
    target: 8_000,
    ceiling: "the same rows removed by bare SQL",
    measure: (bench) => measureCascade(bench, { policy: "Foreground", fanout: 0 }),
  },
  {
    name: "orphan",
    title: "orphan 10,000",
    unit: "objects/s",
    target: 8_000,
    ceiling: "the same rows released by bare SQL",
    measure: (bench) => measureCascade(bench, { policy: "Orphan", fanout: 0 }),
  },
];

async function measureCascade(bench: Bench, cascade: Cascade) {
  const client = bench.server.client(CONNECTIONS);
  const count = bench.size(OBJECTS);
  await runCascade(client, Math.ceil(count / 20), cascade);
  const samples = await sampled(bench.repetitions, TIME, () => runCascade(client, count, cascade));
  await runBareCascade(bench.ceiling, Math.ceil(count / 20), cascade);
  const ceiling = await sampled(bench.repetitions, TIME, () => runBareCascade(bench.ceiling, count, cascade));
  return { samples, ceiling };
}

/** Creates an owner and its dependents, deletes it, and asks until none is left. Gives objects per second. */
async function runCascade(client: Client, count: number, { policy, fanout }: Cascade): Promise<number> {
  const namespace = await newNamespace(client);
  await createOwned(client, namespace, count, fanout);
  const took = await timed(async () => {
    await deleteOwner(client, namespace, "owner", policy);
    await untilEnded(() => hasEnded(client, namespace, policy));
  });
  if (policy === "Orphan") await assertReleased(client, namespace, count);
  return (count / took) * 1000;
}

/** The owner, `owner`, is number 0; in a tree number i is owned by number (i - 1) / fanout, and made after it. */
async function createOwned(client: Client, namespace: string, count: number, fanout: number): Promise<void> {
  const made: Made[] = [await create(client, namespace, configMap("owner"))];
  while (made.length <= count) {
    const from = made.length;
    const level = fanout === 0 ? count : Math.min(from * fanout, count) + 1 - from;
    await forEach(CONNECTIONS, level, async (n) => {
      const owner = made[fanout === 0 ? 0 : Math.floor((from + n - 1) / fanout)];
      made[from + n] = await create(client, namespace, configMap(`d${from + n}`, owner));
    });
  }
}

/** In the background the owner goes first, else last: then its end is that of the cascade. */
async function hasEnded(client: Client, namespace: string, policy: Cascade["policy"]): Promise<boolean> {
  if (policy === "Background") return !(await someLeft(client, namespace));
  if (policy === "Orphan") return !(await exists(client, namespace, "owner"));
  return !(await someLeft(client, namespace)) && !(await exists(client, namespace, "owner"));
}

async function assertReleased(client: Client, namespace: string, count: number): Promise<void> {
  const body = await client.send("GET", `/api/v1/namespaces/${namespace}/configmaps?labelSelector=bench`);
  const items: { metadata: { ownerReferences?: unknown[] } }[] = JSON.parse(body.toString()).items;
  const released = items.filter(({ metadata }) => !metadata.ownerReferences?.length).length;
  if (released !== count) throw new Error(`${released} of ${count} dependents were released`);
}

/** @throws Error when it takes longer than two minutes. */
export async function untilEnded(hasEnded: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT;
  while (!(await hasEnded())) {
    if (performance.now() > end) throw new Error("a cascade did not end");
    await pause(POLL);
  }
}

let seeded = 0;

async function runBareCascade(ceiling: Ceiling, count: number, { policy, fanout }: Cascade): Promise<number> {
  const client = ceiling.client(1);
  const namespace = `cascade-${seeded++}`;
  await client.send("POST", `/seed/${namespace}?count=${count}&fanout=${fanout}`);
  const action = policy === "Orphan" ? "release" : "remove";
  return (count / (await timed(() => client.send("POST", `/${action}/${namespace}`)))) * 1000;
}
