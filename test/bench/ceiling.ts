import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Runtime, startRuntime } from "../../functions/local/runtime.ts";
import { readWorkerConfig } from "../../functions/local/worker-config.ts";
import { Client } from "./client.ts";

const root = resolve(import.meta.dirname, "../..");

/**
 * A throwaway Worker that does the least that each row cannot do without, started as the local server starts the real
 * one: same runtime, same settings, same tables. What it reaches is what this machine allows.
 */
export class Ceiling {
  readonly #folder = mkdtempSync(join(tmpdir(), "kubegc-ceiling-"));
  #runtime: Runtime | undefined;
  #clients: Client[] = [];
  readonly #started: () => void;

  /** @param started is called after each start, when the runtime has taken the process's signals. */
  constructor(started: () => void) {
    this.#started = started;
  }

  async start(): Promise<void> {
    const config = readWorkerConfig(join(root, "wrangler.toml"));
    this.#runtime = await startRuntime(
      {
        ...config,
        name: "ceiling",
        main: join(import.meta.dirname, "ceiling-worker.ts"),
        objects: { CEILING: "CeilingObject" },
        crons: [],
      },
      {
        host: "127.0.0.1",
        port: 0,
        state: join(this.#folder, "state"),
        workerdRecord: join(this.#folder, "workerd.pid"),
        bindings: {},
        onRestart: () => fail("workerd died"),
        onFault: fail,
      },
    );
    this.#started();
    await this.client(1).send("POST", "/prepare");
  }

  async restart(): Promise<void> {
    await this.#stop();
    await this.start();
  }

  client(connections: number): Client {
    if (this.#runtime === undefined) throw new Error("the ceiling does not run");
    const client = new Client(this.#runtime.url.href, "", connections);
    this.#clients.push(client);
    return client;
  }

  async end(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    this.#clients = [];
    await this.#runtime?.stop();
    this.#runtime = undefined;
  }
}

function fail(reason: string): never {
  throw new Error(`the ceiling: ${reason}`);
}
