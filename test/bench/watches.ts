import type { IncomingMessage } from "node:http";
import type { Client } from "./client.ts";
import { median, pause, percentile, sampled } from "./measure.ts";
import { configMap, configMaps, create, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const WATCHERS = 100;
const WRITES = 100;
const WARM_UP = 30;
/** Between two writes, in ms. */
const GAP = 15;
/** No further repetition is begun after this, in ms. */
const TIME = 8_000;

export const watchRow: Row = {
  name: "watch",
  title: "watch: commit to event, p99, 100 watchers",
  unit: "ms",
  target: 50,
  ceiling: "a line that a Durable Object writes to 100 streams",
  measure,
};

async function measure(bench: Bench): Promise<Samples> {
  const client = bench.server.client(WATCHERS + 1);
  const namespace = await newNamespace(client);
  const { resourceVersion } = await create(client, namespace, configMap("first"));
  const path = `${configMaps(namespace)}?watch=1&resourceVersion=${resourceVersion}`;
  const watched = await openAll(client, path);
  let written = 0;
  const write = () => create(client, namespace, configMap(`watched-${written++}`));
  await delays(watched, WARM_UP, write);
  const samples = await sampled(bench.repetitions, TIME, () => delays(watched, WRITES, write));
  for (const stream of watched) stream.end();

  const bare = bench.ceiling.client(WATCHERS + 1);
  const streams = await openAll(bare, "/stream");
  const tell = () => bare.send("POST", "/tell");
  await delays(streams, WARM_UP, tell);
  const ceiling = await sampled(bench.repetitions, TIME, () => delays(streams, WRITES, tell));
  for (const stream of streams) stream.end();
  return {
    samples,
    ceiling,
    note: `from the reply to a create until a watcher has the line; ${WATCHERS * WRITES} events a repetition`,
  };
}

/** One open response, of which only the moments count at which lines arrived. */
class Lines {
  arrivals: number[] = [];
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    let unfinished = false;
    response.on("data", (chunk: Buffer) => {
      const now = performance.now();
      // A blank line is a sign of life, not an event.
      for (const line of chunk.toString("latin1").split(/(?<=\n)/)) {
        if (line.endsWith("\n") && (unfinished || line.length > 1)) this.arrivals.push(now);
        unfinished = !line.endsWith("\n");
      }
    });
    response.on("error", () => {});
  }

  end(): void {
    this.#response.destroy();
  }
}

async function openAll(client: Client, path: string): Promise<Lines[]> {
  const opened: Lines[] = [];
  while (opened.length < WATCHERS) {
    const response = await client.open("GET", path);
    if (response.statusCode !== 200) throw new Error(`no stream on ${path}: ${response.statusCode}`);
    opened.push(new Lines(response));
  }
  // Until all of them have caught up.
  await pause(500);
  return opened;
}

/** p99 of the time from the reply to a write until each stream has its line. */
async function delays(
  streams: readonly Lines[],
  writes: number,
  write: () => Promise<unknown>,
): Promise<number> {
  for (const stream of streams) stream.arrivals = [];
  const replies: number[] = [];
  for (let i = 0; i < writes; i++) {
    await write();
    replies.push(performance.now());
    await pause(GAP);
  }
  const end = performance.now() + 10_000;
  while (streams.some(({ arrivals }) => arrivals.length < writes)) {
    if (performance.now() > end) {
      throw new Error(`a watcher got ${median(streams.map((s) => s.arrivals.length))} of ${writes} events`);
    }
    await pause(GAP);
  }
  const all = streams.flatMap(({ arrivals }) =>
    replies.map((reply, i) => Math.max(0, (arrivals[i] ?? Number.NaN) - reply)),
  );
  return percentile(all, 0.99);
}
