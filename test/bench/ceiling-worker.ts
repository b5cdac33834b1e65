import { DurableObject } from "cloudflare:workers";
import type { D1Database } from "@cloudflare/workers-types";
import { BareGraph } from "./bare-graph.ts";

interface Env {
  DB: D1Database;
  CEILING: { getByName(name: string): CeilingObject };
}

const INSERT_OBJECTS = `
INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, plain, body)
SELECT 1, 'configmaps', ?1, e.value ->> 'uid', e.value ->> 'uid',
       (SELECT resource_version FROM clusters WHERE id = 1) - e.key, 1, e.value -> 'body' FROM json_each(?2) e`;
const INSERT_CHANGES = `
INSERT INTO changes (id, type, resource, namespace, name, uid, at, body)
SELECT CAST(1 AS INTEGER) * 1099511627776 + o.resource_version, 'ADDED', o.resource, o.namespace, o.name, o.uid, 0, o.body
FROM json_each(?1) e CROSS JOIN objects o ON o.uid = e.value ->> 'uid'`;
const TAKE_VERSIONS = "UPDATE clusters SET resource_version = resource_version + ?1 WHERE id = 1";
const READ_VERSION = "SELECT resource_version FROM clusters WHERE id = 1";
const READ_ONE =
  "SELECT body FROM objects WHERE cluster = 1 AND resource = 'configmaps' AND namespace = ?1 AND name = ?2";
const READ_MANY =
  "SELECT body FROM objects WHERE cluster = 1 AND resource = 'configmaps' AND namespace = ?1 ORDER BY name LIMIT ?2";

const LINE = new TextEncoder().encode(`${"x".repeat(500)}\n`);

/** The least that a Durable Object must do: to remember, to gather inserts into one batch, to feed streams. */
export class CeilingObject extends DurableObject<Env> {
  #body: string | undefined;
  #waiting: { uid: string; body: string; done: () => void; failed: (fault: unknown) => void }[] = [];
  #running = false;
  #streams: WritableStreamDefaultWriter<Uint8Array>[] = [];

  async remembered(namespace: string, name: string): Promise<string> {
    this.#body ??= await readOne(this.env.DB, namespace, name);
    return this.#body;
  }

  insert(namespace: string, uid: string, body: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ uid, body, done, failed });
      if (!this.#running) void this.#run(namespace);
    });
  }

  async #run(namespace: string): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, 256);
      const rows = `[${group.map(({ uid, body }) => `{"uid":"${uid}","body":${body}}`).join(",")}]`;
      const { DB } = this.env;
      try {
        await DB.batch([
          DB.prepare(TAKE_VERSIONS).bind(group.length),
          DB.prepare(INSERT_OBJECTS).bind(namespace, rows),
          DB.prepare(INSERT_CHANGES).bind(rows),
        ]);
        for (const { done } of group) done();
      } catch (fault) {
        for (const { failed } of group) failed(fault);
      }
    }
    this.#running = false;
  }

  /** Takes in what a node reports, reads a row and writes one. */
  async report(_bytes: ArrayBuffer): Promise<void> {
    const { DB } = this.env;
    await DB.prepare(READ_VERSION).first();
    await DB.batch([DB.prepare(TAKE_VERSIONS).bind(1)]);
  }

  /** A stream that `tell` writes to, in the same request that opened it. */
  fetch(_request: Request): Response {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(LINE);
    this.#streams.push(writer);
    return new Response(readable);
  }

  tell(): void {
    for (const stream of this.#streams) void stream.write(LINE);
  }
}

async function readOne(database: D1Database, namespace: string, name: string): Promise<string> {
  const row = await database.prepare(READ_ONE).bind(namespace, name).first<{ body: string }>();
  if (row === null) throw new Error(`there is no ${namespace}/${name}`);
  return row.body;
}

async function readMany(database: D1Database, namespace: string, count: number): Promise<string> {
  const { results } = await database.prepare(READ_MANY).bind(namespace, count).all<{ body: string }>();
  if (results.length !== count) throw new Error(`${results.length} of ${count} objects in ${namespace}`);
  return `[${results.map((row) => row.body).join(",")}]`;
}

async function answer(request: Request, { DB, CEILING }: Env): Promise<string | Response | undefined> {
  const url = new URL(request.url);
  const [, action, namespace = "", name = ""] = url.pathname.split("/");
  const count = Number(url.searchParams.get("count"));
  const graph = new BareGraph(DB, namespace);
  switch (action) {
    case "prepare":
      await DB.prepare(
        "INSERT OR IGNORE INTO clusters (id, name, created_at) VALUES (1, 'ceiling', 0)",
      ).run();
      return;
    case "seed":
      return graph.seed(count, Number(url.searchParams.get("fanout")));
    case "dependents":
      return graph.dependents();
    case "remove":
      return graph.remove();
    case "release":
      return graph.release();
    case "empty":
      return "{}";
    case "memory":
      return CEILING.getByName(namespace).remembered(namespace, name);
    case "read":
      return readOne(DB, namespace, name);
    case "list":
      return readMany(DB, namespace, count);
    case "insert": {
      const body = await request.text();
      await CEILING.getByName(namespace).insert(namespace, crypto.randomUUID(), body);
      return body;
    }
    case "report":
      await CEILING.getByName(namespace).report(await request.arrayBuffer());
      return;
    case "stream":
      return CEILING.getByName("streams").fetch(request);
    case "tell":
      await CEILING.getByName("streams").tell();
      return;
    default:
      throw new Error(`nothing is done at ${url.pathname}`);
  }
}

// biome-ignore lint/style/noDefaultExport: the entry of a Worker
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const answered = await answer(request, env);
    return answered instanceof Response ? answered : new Response(answered ?? "{}");
  },
};
