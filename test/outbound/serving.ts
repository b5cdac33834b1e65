import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const servers: Server[] = [];

/** A server of this machine, on a free port. */
export async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends them all, whoever is still connected. */
export async function stopServing(): Promise<void> {
  await Promise.all(
    servers.splice(0).map((server) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      return closed;
    }),
  );
}

/** A document that came in, and what to answer with. */
export type Answering = (asked: { kind: string; request: Record<string, unknown> }) => object;

/** A deleter or an instance provider: answers each document, and keeps the requests. */
export async function reviewing(answer: Answering) {
  const asked: Record<string, unknown>[] = [];
  const url = await serving(async (request, response) => {
    const {
      apiVersion,
      kind,
      request: review,
    } = (await new Response(request as never).json()) as {
      apiVersion: string;
      kind: string;
      request: Record<string, unknown>;
    };
    asked.push(review);
    const body = { apiVersion, kind, response: { uid: review.uid, ...answer({ kind, request: review }) } };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  return { url, asked };
}
