import { Agent, request } from "node:http";
import type { RandomRequest } from "./request.ts";

export interface RawAnswer {
  code: number;
  contentType: string;
  text: string;
  /** Whether the client went before the end: of a watch, which may last. */
  left: boolean;
}

/** After so many ms without the whole answer a request hangs. */
const HANGS = 30_000;
/** A client looks on at a stream for so long. */
const PATIENCE = 1500;

export interface Sender {
  send(request: RandomRequest, token: string | undefined): Promise<RawAnswer>;
  close(): void;
}

/** @throws Error when there is no answer in time, or the connection breaks. */
export function senderTo(base: string, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port, pathname } = new URL(base);
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body }, token) =>
      new Promise((resolve, reject) => {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
        const sent = request({
          agent,
          hostname,
          port,
          method,
          path: pathname + path,
          headers: { ...authorization, ...headers, ...length },
        });
        const hangs = setTimeout(() => sent.destroy(new Error(`no answer in ${HANGS} ms`)), HANGS);
        sent.on("error", (error) => {
          clearTimeout(hangs);
          reject(error);
        });
        sent.on("response", (response) => {
          const chunks: Buffer[] = [];
          let left = false;
          const done = () => {
            clearTimeout(hangs);
            clearTimeout(leaves);
            resolve({
              code: response.statusCode ?? 0,
              contentType: response.headers["content-type"] ?? "",
              text: Buffer.concat(chunks).toString(),
              left,
            });
          };
          const leaves = setTimeout(() => {
            if (!/[?&]watch|\/watch\//.test(path) || response.statusCode !== 200) return;
            left = true;
            response.destroy();
            done();
          }, PATIENCE);
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", done);
          response.on("error", (error) => {
            clearTimeout(hangs);
            clearTimeout(leaves);
            if (!left) reject(error);
          });
        });
        sent.end(body);
      }),
  };
}
