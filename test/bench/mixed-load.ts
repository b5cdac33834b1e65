import type { Client } from "./client.ts";
import { drive, percentile, sampled, timed } from "./measure.ts";
import { Memory } from "./memory.ts";
import { configMap, configMaps, type Made, newNamespace } from "./objects.ts";
import type { Bench, Row, Samples } from "./row.ts";

const CONNECTIONS = 64;
const NAMESPACES = 8;
const WATCHERS = 8;
/** Objects that a client keeps: beyond this its oldest owner goes, with its dependents. */
const KEPT = 60;
/** Dependents of one owner. */
const FAMILY = 10;
/** How long a normal run takes, in ms. */
const SHORT = 8_000;
/** Memory of a run that is long enough to tell may grow by so much, in MB. */
const GROWTH = 64;
const TELLING = 5;

export const mixedLoadRow: Row = {
  name: "mixed-load",
  title: "mixed load, 64 connections, p99",
  unit: "ms",
  target: 150,
  ceiling: "p99 of one D1 read, 64 connections",
  measure,
};

/** Creates, gets, lists, updates, deletes with cascades, and watches, all at once. No answer may be a 5xx. */
async function measure(bench: Bench): Promise<Samples> {
  const client = bench.server.client(CONNECTIONS + WATCHERS);
  const namespaces: string[] = [];
  while (namespaces.length < NAMESPACES) namespaces.push(await newNamespace(client));
  const users = Array.from({ length: CONNECTIONS }, (_, n) => new User(client, namespaces, n));
  const period = bench.minutes === undefined ? SHORT : bench.minutes * 60_000;
  const end = performance.now() + period;
  const running = () => performance.now() < end;

  const memory = new Memory(bench.server.folder, Math.min(1000, period / 100));
  const watching = Array.from({ length: WATCHERS }, (_, i) => watch(client, namespaces[i] ?? "", running));
  const latencies: number[] = [];
  await Promise.all(
    users.map(async (user) => {
      while (running()) latencies.push(await timed(() => user.act()));
    }),
  );
  const events = (await Promise.all(watching)).reduce((sum, seen) => sum + seen, 0);
  const used = memory.end();
  const codes = new Map<number, number>();
  for (const user of users) {
    for (const [code, times] of user.codes) codes.set(code, (codes.get(code) ?? 0) + times);
  }
  const answers = [...codes].sort(([a], [b]) => a - b).map(([code, times]) => `${code}: ${times}`);
  const failed = [...codes.keys()].filter((code) => code >= 500 || code === 0);
  const first = users.map(({ failure }) => failure).find((failure) => failure !== undefined);
  if (failed.length > 0) throw new Error(`answers: ${answers.join(", ")}; the first one: ${first}`);
  if ((bench.minutes ?? 0) >= TELLING && memory.late - memory.early > GROWTH) {
    throw new Error(`memory grew: ${used}`);
  }
  return {
    samples: [percentile(latencies, 0.99)],
    ceiling: await bareReads(bench),
    note: `${Math.round(period / 1000)} s, ${Math.round((latencies.length / period) * 1000)} requests/s, half of them within ${percentile(latencies, 0.5).toFixed(1)} ms; answers ${answers.join(", ")}; ${events} kB of watch events; memory ${used}`,
  };
}

/** One who makes owners and dependents, looks at them, changes them, and deletes the owners. */
class User {
  failure: string | undefined;
  readonly codes = new Map<number, number>();
  readonly #client: Client;
  readonly #namespace: string;
  readonly #number: number;
  #families: { owner: Made; dependents: string[] }[] = [];
  #made = 0;
  #seed: number;

  constructor(client: Client, namespaces: readonly string[], number: number) {
    this.#client = client;
    this.#namespace = namespaces[number % namespaces.length] ?? "";
    this.#number = number;
    this.#seed = number * 7919 + 1;
  }

  /** One request. */
  act(): Promise<unknown> {
    const dice = this.#random(100);
    const family = this.#families[this.#random(this.#families.length)];
    if (family === undefined || dice < 40) return this.#makeOrEnd();
    const name = family.dependents[this.#random(family.dependents.length)] ?? family.owner.name;
    const path = `${configMaps(this.#namespace)}/${name}`;
    if (dice < 70) return this.#ask("GET", path);
    if (dice < 78) return this.#ask("GET", `${configMaps(this.#namespace)}?limit=50`);
    if (dice < 82) return this.#ask("GET", `${configMaps(this.#namespace)}?labelSelector=bench&limit=20`);
    return this.#ask("PUT", path, {
      ...configMap(name, name === family.owner.name ? undefined : family.owner),
      data: { k: `${dice}`.repeat(100) },
    });
  }

  /** Families grow to their size, and the oldest one goes when there are too many. */
  async #makeOrEnd(): Promise<void> {
    const newest = this.#families.at(-1);
    if (newest !== undefined && newest.dependents.length < FAMILY) {
      const name = `u${this.#number}-${this.#made++}`;
      const { code } = await this.#ask("POST", configMaps(this.#namespace), configMap(name, newest.owner));
      if (code === 201) newest.dependents.push(name);
      return;
    }
    if (this.#families.length * FAMILY > KEPT) {
      const oldest = this.#families.shift();
      const policy = ["Background", "Foreground"][this.#random(2)];
      const path = `${configMaps(this.#namespace)}/${oldest?.owner.name}?propagationPolicy=${policy}`;
      await this.#ask("DELETE", path);
      return;
    }
    const name = `u${this.#number}-${this.#made++}`;
    const { code, body } = await this.#ask("POST", configMaps(this.#namespace), configMap(name));
    if (code === 201) this.#families.push({ owner: JSON.parse(body.toString()).metadata, dependents: [] });
  }

  async #ask(method: string, path: string, body?: unknown) {
    const reply = await this.#client
      .ask(method, path, body)
      .catch((fault: unknown) => ({ code: 0, body: Buffer.from(String(fault)) }));
    this.codes.set(reply.code, (this.codes.get(reply.code) ?? 0) + 1);
    if (reply.code === 0 || reply.code >= 400) {
      this.failure ??= `${method} ${path}: ${reply.code} ${reply.body.toString().slice(0, 300)}`;
    }
    return reply;
  }

  #random(below: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % Math.max(1, below);
  }
}

/** Reads events until the time is over, opening another stream whenever one ends. Gives how much came, in kB. */
async function watch(client: Client, namespace: string, running: () => boolean): Promise<number> {
  let bytes = 0;
  while (running()) {
    const stream = await client.open("GET", `${configMaps(namespace)}?watch=1`);
    await new Promise<void>((ended) => {
      const timer = setInterval(() => running() || stream.destroy(), 200);
      stream.on("data", (chunk: Buffer) => (bytes += chunk.length));
      stream.on("error", () => {});
      stream.on("close", () => {
        clearInterval(timer);
        ended();
      });
    });
  }
  return Math.round(bytes / 1000);
}

async function bareReads({ ceiling, repetitions, period }: Bench): Promise<number[]> {
  const client = ceiling.client(CONNECTIONS);
  await client.send("POST", "/seed/mixed?count=50&fanout=0");
  const read = (i: number) => client.send("GET", `/read/mixed/d${i % 50}`);
  await drive(CONNECTIONS, period / 2, read);
  return sampled(repetitions, repetitions * period, async () =>
    percentile((await drive(CONNECTIONS, period, read)).latencies, 0.99),
  );
}
