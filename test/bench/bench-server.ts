import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type TestServer } from "../server.ts";
import { Client } from "./client.ts";

/** The real local server on a folder of its own, which outlives restarts and goes with `end`. */
export class BenchServer {
  readonly folder = mkdtempSync(join(tmpdir(), "kubegc-bench-"));
  #running: TestServer | undefined;
  #clients: Client[] = [];

  async start(): Promise<void> {
    this.#running = await startServer({ dataDir: this.folder });
  }

  /** Stops the server, does something with its folder, and starts it again. */
  async restart(whileStopped: (folder: string) => void = () => {}): Promise<void> {
    await this.#stop();
    whileStopped(this.folder);
    await this.start();
  }

  /** A client of the server that runs now. */
  client(connections: number): Client {
    if (this.#running === undefined) throw new Error("the server does not run");
    const client = new Client(this.#running.base, this.#running.token, connections);
    this.#clients.push(client);
    return client;
  }

  async end(): Promise<void> {
    await this.#stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    this.#clients = [];
    await this.#running?.stop();
    this.#running = undefined;
  }
}
