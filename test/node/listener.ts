import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  /** Parts of the report. */
  readonly parts: Record<string, string>;
}

/** What is answered: text of a plan, a code with a body, or nothing at all. */
export type Reply = string | { code: number; body: string } | "drop";

/** In the service's place, to say what the service never would. */
export class Listener {
  readonly received: Received[] = [];
  readonly #server: Server;
  #replies: Reply[] = [];
  /** Called with each report before it is answered. */
  onReport: (report: Received) => void | Promise<void> = () => {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Listener> {
    const server = createServer();
    const listener = new Listener(server);
    server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const type = request.headers["content-type"] ?? "";
      const form = await new Response(Buffer.concat(chunks), {
        headers: { "content-type": type },
      }).formData();
      const parts = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
      const report = { path: request.url ?? "", authorization: request.headers.authorization, parts };
      listener.received.push(report);
      await listener.onReport(report);
      const reply = listener.#replies.shift() ?? plan(0, 120, []);
      if (reply === "drop") {
        request.socket.destroy();
        return;
      }
      const { code, body } = typeof reply === "string" ? { code: 200, body: reply } : reply;
      response.writeHead(code, { "content-type": "text/plain" }).end(body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/clusters/demo`;
  }

  /** In this order; after them, that there is nothing to do. */
  answer(...replies: Reply[]): void {
    this.#replies = replies;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

export const plan = (number: number, life: number, steps: string[]): string =>
  ["kubegc-plan 1", `plan ${number} ${life}`, "again 60", ...steps, `end ${steps.length}`, ""].join("\n");

/** Passes requests on to the service, and loses the answers to the first of them and to every other one, so many in all. */
export class Forgetful {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clusters/demo`;
  }

  static async start(base: string, losses: number): Promise<Forgetful> {
    let left = losses;
    let lose = true;
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { authorization = "", accept = "", "content-type": type = "" } = request.headers;
      const answer = await fetch(base + (request.url ?? "").replace("/clusters/demo", ""), {
        method: "POST",
        headers: { authorization, accept, "content-type": type },
        body: Buffer.concat(chunks),
      });
      const text = await answer.text();
      if (lose && left-- > 0) request.socket.destroy();
      else response.writeHead(answer.status, { "content-type": "text/plain" }).end(text);
      lose = !lose;
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new Forgetful(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
