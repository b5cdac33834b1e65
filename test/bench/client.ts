import { Agent, type IncomingMessage, request } from "node:http";

/** An answer, whatever its code. */
export interface Reply {
  code: number;
  body: Buffer;
}

/** A body that is sent as it is; any other one is sent as JSON. */
export class Encoded {
  readonly bytes: Buffer;
  readonly type: string;

  constructor(bytes: Buffer, type: string) {
    this.bytes = bytes;
    this.type = type;
  }
}

/** A client that keeps a number of connections open. `fetch` would be the slowest part of what is measured. */
export class Client {
  readonly #base: URL;
  readonly #token: string;
  readonly #agent: Agent;

  /** @param base what paths are put after. */
  constructor(base: string, token: string, connections: number) {
    this.#base = new URL(base);
    this.#token = token;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @throws Error on every answer that is not 2xx: what failed must not count as fast. */
  async send(method: string, path: string, body?: unknown): Promise<Buffer> {
    const reply = await this.ask(method, path, body);
    if (reply.code < 200 || reply.code > 299) {
      throw new Error(`${method} ${path}: ${reply.code} ${reply.body.toString().slice(0, 300)}`);
    }
    return reply.body;
  }

  async ask(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await this.open(method, path, body);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { code: response.statusCode ?? 0, body: Buffer.concat(chunks) };
  }

  /** The response as soon as it begins. */
  open(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const sends =
      body === undefined || body instanceof Encoded
        ? body
        : new Encoded(Buffer.from(JSON.stringify(body)), "application/json");
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: this.#base.hostname,
          port: this.#base.port,
          path: this.#base.pathname.replace(/\/$/, "") + path,
          method,
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.#token}`,
            ...(sends === undefined
              ? {}
              : { "content-type": sends.type, "content-length": sends.bytes.length }),
          },
        },
        resolve,
      );
      sent.on("error", reject);
      sent.end(sends?.bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
