import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CoreV1Api,
  type Informer,
  KubeConfig,
  makeInformer,
  type ObjectCache,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BreakableLine, breakableLine } from "./breakable-line.ts";
import { eventually, startServer, type TestServer } from "./server.ts";
import { openWatch } from "./watch.ts";

const OBJECTS = 5_000;
const OWNED = 2_500;
const PATH = "/api/v1/namespaces/default/configmaps";
/** Longer than the test: the line stays cut until it is mended. */
const FOR_NOW = 600_000;

let dataDir: string;
let server: TestServer;
let line: BreakableLine;
let informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;
/** How often the informer has listed. */
let lists = 0;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "kubegc-informer-"));
  server = await startServer({ dataDir });
  const owner = await server.call("POST", PATH, { metadata: { name: "owner" } });
  const ownerReferences = [
    { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.body.metadata.uid },
  ];
  const left = Array.from({ length: OBJECTS }, (_, i) => i);
  const create = async () => {
    for (let i = left.pop(); i !== undefined; i = left.pop()) {
      const metadata = { name: `c${i}`, ...(i < OWNED ? { ownerReferences } : {}) };
      const { code } = await server.call("POST", PATH, { metadata });
      if (code !== 201) throw new Error(`c${i} was not made: ${code}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, create));

  const config = readFileSync(server.kubeconfig, "utf8");
  const endpoint = /https:\/\/127\.0\.0\.1:(\d+)/.exec(config)?.[1];
  line = await breakableLine(Number(endpoint));
  const client = new KubeConfig();
  client.loadFromString(config.replace(/(https:\/\/127\.0\.0\.1:)\d+/, `$1${line.port}`));
  const core = client.makeApiClient(CoreV1Api);
  informer = makeInformer(client, PATH, () => {
    lists++;
    return core.listNamespacedConfigMap({ namespace: "default" });
  });
  // An informer stops at an error, and whoever uses one starts it again.
  informer.on("error", () => setTimeout(() => void informer.start(), 200));
}, 120_000);

afterAll(async () => {
  await informer.stop();
  await line.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const inOrder = (entries: string[]) => entries.toSorted().join("\n");

async function serverState(): Promise<{ state: string; count: number; version: string }> {
  const { body } = await server.call("GET", PATH);
  const items: { metadata: { name: string; uid: string; resourceVersion: string } }[] = body.items;
  return {
    state: inOrder(
      items.map(({ metadata }) => `${metadata.name} ${metadata.uid}@${metadata.resourceVersion}`),
    ),
    count: items.length,
    version: body.metadata.resourceVersion,
  };
}

const informerState = async () =>
  inOrder(
    informer.list().map(({ metadata }) => `${metadata?.name} ${metadata?.uid}@${metadata?.resourceVersion}`),
  );

async function agree(): Promise<void> {
  const { state } = await serverState();
  // Two texts of 5,000 lines are no help in a message: only whether they are equal is.
  await eventually(
    async () => (await informerState()) === state,
    (equal) => equal,
    30_000,
  );
}

/** A hundred each are created, changed and deleted. */
async function write(round: number): Promise<void> {
  const numbers = Array.from({ length: 100 }, (_, i) => OWNED + round * 200 + i);
  await Promise.all(
    numbers.flatMap((i) => [
      server.call("POST", PATH, { metadata: { name: `new-${round}-${i}` } }),
      server.call("DELETE", `${PATH}/c${i}`),
      server.call(
        "PATCH",
        `${PATH}/c${i + 100}`,
        { data: { round: `${round}` } },
        {
          "content-type": "application/merge-patch+json",
        },
      ),
    ]),
  );
}

it(`an informer over ${OBJECTS} objects ends with the server's state through whatever happens`, async () => {
  await informer.start();
  expect(informer.list()).toHaveLength(OBJECTS + 1);
  await write(0);
  await agree();

  // Cut off for a while, it goes on where it was.
  line.cut(FOR_NOW);
  await write(1);
  line.cut(0);
  await agree();
  expect(lists).toBe(1);

  // Cut off while history is compacted, it is told so and lists again.
  line.cut(FOR_NOW);
  const { version } = await serverState();
  await write(2);
  await server.stop();
  server = await startServer({
    dataDir,
    port: Number(new URL(server.url).port),
    vars: { CHANGES_KEPT_SECONDS: "0", CHANGES_KEPT_COUNT: "0" },
  });
  await eventually(
    () => firstEvent(version),
    ({ type, code }) => type === "ERROR" && code === 410,
  );
  line.cut(0);
  await agree();
  expect(lists).toBe(2);

  // A cascade is one event for each object that goes.
  const before = informer.list().length;
  let deleted = 0;
  informer.on("delete", () => {
    deleted++;
  });
  await server.call("DELETE", `${PATH}/owner?propagationPolicy=Background`);
  await eventually(serverState, ({ count }) => count === before - OWNED - 1, 30_000);
  await agree();
  expect(deleted).toBe(OWNED + 1);
  expect(lists).toBe(2);
}, 120_000);

/** What a watch from a version is told first. */
async function firstEvent(version: string): Promise<{ type?: string; code?: number }> {
  const watch = await openWatch(server, `${PATH}?resourceVersion=${version}`);
  const [event] = await eventually(
    async () => watch.events,
    ({ length }) => length > 0,
  );
  watch.close();
  return { ...event, ...(event?.object as { code?: number } | undefined) };
}
