import type { Client, Encoded } from "./client.ts";
import { forEach, pause, percentile, timed } from "./measure.ts";
import { cpuOf, Memory } from "./memory.ts";
import { type Holdings, nodeReport } from "./node-reports.ts";
import type { Bench, Row, Samples } from "./row.ts";

const REPORTS = 100;
/** Containers that are replaced between two reports of a large node. */
const REPLACED = 20;

const NODES = 1_000;
const EVERY = 60_000;
/** How long a normal run takes, in ms. */
const SHORT = 20_000;
const CONNECTIONS = 32;
const SMALL = { images: 30, containers: 40 };

export const nodeRows: Row[] = [
  {
    name: "node-report",
    title: "report of 1,000 images, 10,000 containers, p99",
    unit: "ms",
    target: 100,
    ceiling: "p99 of the same bytes to a Durable Object, a D1 read and a write",
    measure: measureReport,
  },
  {
    name: "nodes",
    title: "1,000 nodes that report every minute, p99",
    unit: "ms",
    target: 100,
    ceiling: "p99 of the same bytes at the same rate to a Durable Object each, a D1 read and a write",
    measure: measureNodes,
  },
];

/** One report after the other. The text of a report is made before the time is taken. */
async function measureReport(bench: Bench): Promise<Samples> {
  const holdings = { node: "large", images: bench.size(1_000), containers: bench.size(10_000) };
  const client = bench.server.client(1);
  const first = nodeReport(holdings, 0, 0);
  const firstTook = await timed(() => report(client, holdings.node, first));
  let sequence = 0;
  const one = (replaced: number) => {
    const body = nodeReport(holdings, ++sequence, sequence * replaced);
    return timed(() => report(client, holdings.node, body));
  };
  const changed: number[] = [];
  const cpuBefore = cpuOf(bench.server.folder);
  for (let i = 0; i < bench.size(REPORTS); i++) changed.push(await one(REPLACED));
  const cpu = (cpuOf(bench.server.folder) - cpuBefore) / changed.length;
  const same: number[] = [];
  const body = (at: number) => nodeReport(holdings, at, REPLACED * sequence);
  for (let i = 1; i <= 20; i++) {
    const next = body(sequence + i);
    same.push(await timed(() => report(client, holdings.node, next)));
  }

  const bare = bench.ceiling.client(1);
  const ceiling: number[] = [];
  for (let i = 0; i < bench.size(REPORTS) / 2; i++) {
    ceiling.push(await timed(() => bare.send("POST", "/report/large", first)));
  }
  const at = (values: readonly number[], share: number) => percentile(values, share).toFixed(0);
  return {
    samples: [percentile(changed, 0.99)],
    ceiling: [percentile(ceiling, 0.99)],
    note:
      `${(first.bytes.length / 1e6).toFixed(1)} MB each, ${REPLACED} other containers in each of ${changed.length}; ${cpu.toFixed(0)} ms of ` +
      `CPU each; half of them took up to ${at(changed, 0.5)} ms, where nothing had changed ${at(same, 0.5)} ms, the first one ${firstTook.toFixed(0)} ms`,
  };
}

/**
 * Nodes report when it is their time, whether those before them were answered or not, and what is measured begins at that
 * time. Their first reports come before.
 */
async function measureNodes(bench: Bench): Promise<Samples> {
  const nodes = bench.size(NODES);
  const period = bench.minutes === undefined ? SHORT : bench.minutes * 60_000;
  const client = bench.server.client(CONNECTIONS);
  const holdings = (n: number): Holdings => ({ node: `node-${n % nodes}`, ...SMALL });
  const bodyOf = (n: number) => nodeReport(holdings(n), 1 + Math.floor(n / nodes), Math.floor(n / nodes / 5));
  const beganFirst = performance.now();
  await forEach(CONNECTIONS / 2, nodes, (n) =>
    report(client, holdings(n).node, nodeReport(holdings(n), 0, 0)),
  );
  const firstTook = (performance.now() - beganFirst) / 1000;

  const memory = new Memory(bench.server.folder, Math.min(1000, period / 100));
  const paced = await pace(EVERY / nodes, period, (n) => report(client, holdings(n).node, bodyOf(n)));
  const used = memory.end();
  const { latencies, failures, lag } = paced;
  if (failures.length > 0) {
    throw new Error(`${failures.length} of ${latencies.length + failures.length} failed: ${failures[0]}`);
  }
  const bare = bench.ceiling.client(CONNECTIONS);
  const bareRun = await pace(EVERY / nodes, Math.min(period, SHORT / 4), (n) =>
    bare.send("POST", `/report/${holdings(n).node}`, bodyOf(n)),
  );
  const size = (bodyOf(0).bytes.length / 1000).toFixed(0);
  return {
    samples: [percentile(latencies, 0.99)],
    ceiling: [percentile(bareRun.latencies, 0.99)],
    note:
      `${latencies.length} reports of ${size} kB in ${Math.round(period / 1000)} s, no error, half of them within ` +
      `${percentile(latencies, 0.5).toFixed(1)} ms, the slowest ${Math.max(...latencies).toFixed(0)} ms; sent at most ` +
      `${lag.toFixed(0)} ms late; all ${nodes} for the first time in ${firstTook.toFixed(1)} s; memory ${used}`,
  };
}

const report = (client: Client, node: string, body: Encoded) =>
  client.send("POST", `/nodes/${node}/report`, body);

/** Calls every so many ms. Latencies count from when it was time to; `lag` is the longest that a call was begun late. */
async function pace(
  every: number,
  period: number,
  call: (n: number) => Promise<unknown>,
): Promise<{ latencies: number[]; failures: string[]; lag: number }> {
  const latencies: number[] = [];
  const failures: string[] = [];
  const open: Promise<void>[] = [];
  let lag = 0;
  const began = performance.now();
  for (let n = 0; n * every < period; n++) {
    const due = began + n * every;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    lag = Math.max(lag, performance.now() - due);
    open.push(
      call(n).then(
        () => void latencies.push(performance.now() - due),
        (fault: unknown) => void failures.push(String(fault)),
      ),
    );
  }
  await Promise.all(open);
  return { latencies, failures, lag };
}
