import { beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "./server.ts";

const NAMESPACE = "/api/v1/namespaces/default";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const MERGE = { "content-type": "application/merge-patch+json" };

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  return () => server.stop();
});

async function runningPod(name: string, app: string): Promise<void> {
  const made = await server.call("POST", `${NAMESPACE}/pods`, {
    metadata: { name, labels: { app } },
    spec: { containers: [{ name: "c", image: "nginx" }] },
  });
  expect(made.code, made.text).toBe(201);
  const status = { status: { phase: "Running" } };
  const set = await server.call("PATCH", `${NAMESPACE}/pods/${name}/status`, status, MERGE);
  expect(set.code, set.text).toBe(200);
}

/** As its controller would report it. */
async function budget(name: string, app: string, disruptionsAllowed: number): Promise<void> {
  const spec = { minAvailable: 1, selector: { matchLabels: { app } } };
  const made = await server.call("POST", BUDGETS, { metadata: { name }, spec });
  expect(made.code, made.text).toBe(201);
  const status = { status: { disruptionsAllowed } };
  const set = await server.call("PATCH", `${BUDGETS}/${name}/status`, status, MERGE);
  expect(set.code, set.text).toBe(200);
}

const evict = (name: string, query = "") =>
  server.call("POST", `${NAMESPACE}/pods/${name}/eviction${query}`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name },
    deleteOptions: { gracePeriodSeconds: 0 },
  });

it("of two evictions at the same time only one has a budget's last disruption", async () => {
  await budget("one", "one", 1);
  await runningPod("one-a", "one");
  await runningPod("one-b", "one");
  const answers = await Promise.all([evict("one-a"), evict("one-b")]);
  expect(answers.map(({ code }) => code).sort()).toEqual([201, 429]);

  const pods = (await server.call("GET", `${NAMESPACE}/pods?labelSelector=app%3Done`)).body.items;
  expect(pods).toHaveLength(1);
  const evicted = pods[0].metadata.name === "one-a" ? "one-b" : "one-a";
  const { status } = (await server.call("GET", `${BUDGETS}/one`)).body;
  expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { [evicted]: expect.any(String) } });
  expect(Object.keys(status.disruptedPods)).toEqual([evicted]);
});

it("evictions at the same time take no more than a budget allows", async () => {
  await budget("three", "three", 3);
  const names = Array.from({ length: 8 }, (_, i) => `three-${i}`);
  for (const name of names) await runningPod(name, "three");
  const codes = (await Promise.all(names.map((name) => evict(name)))).map(({ code }) => code);
  expect(codes.filter((code) => code === 201)).toHaveLength(3);
  expect(codes.filter((code) => code === 429)).toHaveLength(5);
  expect((await server.call("GET", `${BUDGETS}/three`)).body.status.disruptionsAllowed).toBe(0);
});

it("a dry run takes nothing", async () => {
  await budget("dry", "dry", 1);
  await runningPod("dry-a", "dry");
  expect((await evict("dry-a", "?dryRun=All")).code).toBe(201);
  expect((await server.call("GET", `${BUDGETS}/dry`)).body.status.disruptionsAllowed).toBe(1);
  expect((await server.call("GET", `${NAMESPACE}/pods/dry-a`)).code).toBe(200);
});

it("a pod that no budget is about is evicted", async () => {
  await runningPod("free", "free");
  expect((await evict("free")).code).toBe(201);
  expect((await server.call("GET", `${NAMESPACE}/pods/free`)).code).toBe(404);
});
