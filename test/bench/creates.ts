import type { Client } from "./client.ts";
import { drive, sampled } from "./measure.ts";
import { configMap, configMaps, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const CONNECTIONS = 16;

export const createRows: Row[] = [
  {
    name: "creates",
    title: "creates, 16 connections, one namespace",
    unit: "requests/s",
    target: 2_000,
    ceiling: "bare inserts, grouped by a Durable Object",
    measure: (bench) => measure(bench, 1),
  },
  {
    name: "creates-spread",
    title: "creates, 16 connections, 16 namespaces",
    unit: "requests/s",
    target: 2_000,
    ceiling: "bare inserts, grouped by 16 Durable Objects",
    measure: (bench) => measure(bench, 16),
  },
];

async function measure(bench: Bench, namespaces: number): Promise<Samples> {
  const client = bench.server.client(CONNECTIONS);
  const names: string[] = [];
  while (names.length < namespaces) names.push(await newNamespace(client));
  const ceiling = bench.ceiling.client(CONNECTIONS);
  return {
    samples: await rates(bench, client, (n) => configMaps(names[n % namespaces] ?? "")),
    ceiling: await rates(bench, ceiling, (n) => `/insert/creates-${namespaces}-${n % namespaces}`),
  };
}

let created = 0;

function rates(bench: Bench, client: Client, path: (n: number) => string): Promise<number[]> {
  const one = (n: number) => client.send("POST", path(n), configMap(`created-${created++}`));
  return warmRates(bench, CONNECTIONS, one);
}

/** Requests per second, over and over, after a warm-up. */
export async function warmRates(
  { period, repetitions }: Bench,
  connections: number,
  call: (n: number) => Promise<unknown>,
): Promise<number[]> {
  await drive(connections, period / 2, call);
  return sampled(
    repetitions,
    repetitions * period,
    async () => (await drive(connections, period, call)).perSecond,
  );
}
