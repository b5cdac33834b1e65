import { beforeAll, expect, it } from "vitest";
import { makeCluster, makeToken, type TestCluster } from "./cluster.ts";
import { historyFaults } from "./random-requests/history-faults.ts";
import { indexFaults } from "./random-requests/index-faults.ts";
import { letGo } from "./random-requests/let-go.ts";
import { listFaults } from "./random-requests/list-faults.ts";
import { PASSING, servedKinds } from "./random-requests/places.ts";
import { sendRandomRequests } from "./random-requests/run.ts";
import { settled } from "./random-requests/settle.ts";
import { unsettled } from "./random-requests/unsettled.ts";
import { startServer, type TestServer } from "./server.ts";

/** `KUBEGC_REQUESTS=100000 KUBEGC_SEED=7 npm test -- random-requests`: more of them, or those of a run before. */
const REQUESTS = Number(process.env.KUBEGC_REQUESTS || 20_000);
const SEED = Number(process.env.KUBEGC_SEED || Math.floor(Math.random() * 1e6));
const timeout = 120_000 + REQUESTS * 10;

let server: TestServer;
let cluster: TestCluster;

beforeAll(async () => {
  server = await startServer();
  cluster = await makeCluster(server, "random");
  for (const name of PASSING) await cluster.call("POST", "/api/v1/namespaces", { metadata: { name } });
  return () => server.stop();
});

// One after another, on what the one before has left.
it(`${REQUESTS} random requests (KUBEGC_SEED=${SEED}) are all answered, and none with a fault of the server`, {
  timeout,
}, async () => {
  const roles = ["view", "node"].map((role) => makeToken(server, "random", role, role));
  const tokens = [undefined, "nobody", ...(await Promise.all(roles))];
  const { faults, codes } = await sendRandomRequests(cluster, tokens, REQUESTS, SEED);
  expect(faults).toEqual([]);
  // They would say nothing if they all were refused.
  for (const code of [200, 201, 400, 404, 409, 422]) expect(codes.get(code), `${code}`).toBeGreaterThan(0);
});

it("leave a store that is whole, and no work", { timeout: 120_000 }, async () => {
  const rows = await settled(server.dataDir, "random");
  expect(rows.objects.length).toBeGreaterThan(10);
  expect(indexFaults(rows)).toEqual([]);
  expect(historyFaults(rows)).toEqual([]);
  expect(unsettled(rows, await servedKinds(cluster))).toEqual([]);
});

it("leave objects of which each is listed as it is", { timeout: 120_000 }, async () => {
  const { listed, faults } = await listFaults(cluster);
  expect(listed).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});

it("leave nothing that cannot be deleted once nobody holds it", { timeout: 120_000 }, async () => {
  const going = async () => {
    const rows = await settled(server.dataDir, "random");
    return { rows, going: rows.objects.filter(({ deletion }) => deletion !== null) };
  };
  let left = await going();
  // What is let go of may delete what is held as well.
  let refused: string[] = [];
  for (let turn = 0; turn < 10 && left.going.length > 0; turn++) {
    refused = await letGo(cluster, left.rows);
    left = await going();
  }
  expect(refused).toEqual([]);
  expect(left.going.map(({ resource, namespace, name }) => `${resource} ${namespace}/${name}`)).toEqual([]);
  expect(indexFaults(left.rows)).toEqual([]);
  expect(historyFaults(left.rows)).toEqual([]);
  expect(unsettled(left.rows, await servedKinds(cluster))).toEqual([]);
});
