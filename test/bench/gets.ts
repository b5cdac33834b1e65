import { cloneObjects } from "./clone-objects.ts";
import { warmRates } from "./creates.ts";
import { median } from "./measure.ts";
import { configMap, configMaps, create, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const CONNECTIONS = 16;
const HOT = 100;
/** So many that none is asked for twice in a while. */
const COLD = 40_000;

export const getRows: Row[] = [
  {
    name: "get-hot",
    title: "get, 16 connections, hot",
    unit: "requests/s",
    target: 3_500,
    ceiling: "a Durable Object's memory",
    measure: measureHot,
  },
  {
    name: "get-cold",
    title: "get, 16 connections, cold",
    unit: "requests/s",
    target: 1_700,
    ceiling: "one D1 read",
    measure: measureCold,
  },
];

async function measureHot(bench: Bench): Promise<Samples> {
  const client = bench.server.client(CONNECTIONS);
  const namespace = await newNamespace(client);
  for (let i = 0; i < HOT; i++) await create(client, namespace, configMap(`hot-${i}`));
  const samples = await warmRates(bench, CONNECTIONS, (n) =>
    client.send("GET", `${configMaps(namespace)}/hot-${n % HOT}`),
  );

  const bare = bench.ceiling.client(CONNECTIONS);
  await bare.send("POST", "/seed/hot?count=1&fanout=0");
  const ceiling = await warmRates(bench, CONNECTIONS, () => bare.send("GET", "/memory/hot/d0"));
  const empty = await warmRates(bench, CONNECTIONS, () => bare.send("GET", "/empty"));
  return {
    samples,
    ceiling,
    note: `${HOT} objects; an empty handler answers ${Math.round(median(empty))}/s`,
  };
}

async function measureCold(bench: Bench): Promise<Samples> {
  const count = bench.size(COLD);
  const client = bench.server.client(1);
  const namespace = await newNamespace(client);
  await create(client, namespace, configMap("cold"));
  await bench.server.restart((folder) => cloneObjects(folder, [{ namespace, name: "cold", count }]));
  const reader = bench.server.client(CONNECTIONS);
  // Each repetition goes on where the one before stopped.
  let next = 0;
  const samples = await warmRates(bench, CONNECTIONS, () =>
    reader.send("GET", `${configMaps(namespace)}/cold-${next++ % count}`),
  );

  const bare = bench.ceiling.client(CONNECTIONS);
  await bare.send("POST", `/seed/cold?count=${count}&fanout=0`);
  const ceiling = await warmRates(bench, CONNECTIONS, () =>
    bare.send("GET", `/read/cold/d${next++ % count}`),
  );
  return { samples, ceiling, note: `${count} objects, put into the database directly` };
}
