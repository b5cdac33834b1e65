import type { TestServer } from "./server.ts";

export interface WatchedObject {
  kind: string;
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    finalizers?: string[];
    ownerReferences?: { kind: string; name: string; uid: string; blockOwnerDeletion?: boolean }[];
  };
}

export interface WatchEvent {
  type: string;
  object: WatchedObject;
}

/** An open watch, which gathers what it is told. */
export interface Watch {
  readonly events: readonly WatchEvent[];
  close(): void;
}

/**
 * Opens a watch on a path that has a query.
 *
 * @throws Error when it is refused
 */
export async function openWatch(server: TestServer, path: string): Promise<Watch> {
  const ends = new AbortController();
  const response = await fetch(`${server.base}${path}&watch=1`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: ends.signal,
  });
  if (response.status !== 200 || !response.body) {
    throw new Error(`no watch on ${path}: ${response.status} ${await response.text()}`);
  }
  const events: WatchEvent[] = [];
  void gather(response.body, events).catch(() => undefined);
  return { events, close: () => ends.abort() };
}

async function gather(body: ReadableStream<Uint8Array>, events: WatchEvent[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    // A blank line is a sign of life.
    for (const line of lines) if (line.trim() !== "") events.push(JSON.parse(line));
  }
}
