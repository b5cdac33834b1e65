import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { makeCluster } from "../cluster.ts";
import { eventually, startServer, type TestServer } from "../server.ts";
import { CORE, RUNS, Stage } from "./scene.ts";

const POLICIES = "/apis/gc.kubegc.dev/v1alpha1/sweeppolicies";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

const create = (spec: unknown, name = "p") => server.call("POST", POLICIES, { metadata: { name }, spec });

describe("a SweepPolicy is refused, with the reason, and nothing is stored, for", () => {
  test.each<[string, object, string]>([
    ["a sweep that is none", { sweeps: { widgets: {} } }, "spec.sweeps.widgets: Forbidden: is not a sweep"],
    [
      "a setting that is none",
      { sweeps: { jobs: { ttl: 1 } } },
      "spec.sweeps.jobs.ttl: Forbidden: is not a setting",
    ],
    [
      "a duration that is none",
      { sweeps: { events: { eventTTL: "an hour" } } },
      'spec.sweeps.events.eventTTL: Invalid value: "an hour"',
    ],
    [
      "a negative duration",
      { sweeps: { events: { eventTTL: "-1h" } } },
      'spec.sweeps.events.eventTTL: Invalid value: "-1h": must be at least a millisecond',
    ],
    [
      "a number for a duration",
      { sweeps: { events: { eventTTL: 3600 } } },
      "spec.sweeps.events.eventTTL: Invalid value: 3600: must be of type string",
    ],
    [
      "a threshold that is no integer",
      { sweeps: { pods: { terminatedPodGCThreshold: 1.5 } } },
      "spec.sweeps.pods.terminatedPodGCThreshold: Invalid value: 1.5",
    ],
    [
      "a switch that is no boolean",
      { sweeps: { jobs: { enabled: "yes" } } },
      'spec.sweeps.jobs.enabled: Invalid value: "yes": must be of type boolean',
    ],
    [
      "a deleter that is no URL",
      { sweeps: { persistentvolumes: { deleter: { url: "deleter" } } } },
      "must be an absolute URL",
    ],
    [
      "a deleter with a password",
      { sweeps: { persistentvolumes: { deleter: { url: "https://a:b@example.com/" } } } },
      "must not hold credentials",
    ],
    [
      "a provider that is a file",
      { sweeps: { nodes: { instanceProvider: { url: "file:///etc/passwd" } } } },
      "must be an http or https URL",
    ],
  ])("%s", async (_, spec, reason) => {
    const { code, body } = await create(spec);
    expect([code, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toContain(reason);
    expect((await server.call("GET", `${POLICIES}/p`)).code).toBe(404);
  });
});

it("a SweepPolicy that makes sense is stored, and cannot be changed into one that does not", async () => {
  expect((await create({ sweeps: { events: { eventTTL: "30m" } } }, "good")).code).toBe(201);
  const change = { spec: { sweeps: { events: { eventTTL: "soon" } } } };
  const headers = { "content-type": "application/merge-patch+json" };
  const { code, body } = await server.call("PATCH", `${POLICIES}/good`, change, headers);
  expect([code, body.reason]).toEqual([422, "Invalid"]);
  expect((await server.call("GET", `${POLICIES}/good`)).body.spec.sweeps.events.eventTTL).toBe("30m");
});

it("a SweepPolicy takes effect at once, in every namespace", async () => {
  const stage = new Stage(await makeCluster(server, "at-once"));
  const paths: string[] = [];
  for (const namespace of ["one", "other"]) {
    await stage.put(`${CORE}/namespaces`, namespace);
    const involvedObject = { kind: "Pod", namespace, name: "p" };
    paths.push(
      await stage.put(`${CORE}/namespaces/${namespace}/events`, "e", { involvedObject, reason: "Test" }),
    );
  }
  expect(await stage.present(paths)).toEqual(paths);
  await stage.settings({ events: { eventTTL: "1s" } });
  await eventually(
    () => stage.present(paths),
    (left) => left.length === 0,
  );
});

describe("a SweepRun is refused for", () => {
  test.each<[string, object, string]>([
    ["no sweep", {}, "spec.sweep: Required value"],
    ["a sweep that is none", { sweep: "widgets" }, "spec.sweep: "],
    ["a dry run that is no boolean", { sweep: "jobs", dryRun: "yes" }, "spec.dryRun: "],
    ["a setting that is none", { sweep: "jobs", now: true }, "spec.now: "],
  ])("%s", async (_, spec, reason) => {
    const { code, body } = await server.call("POST", RUNS, { spec });
    expect([code, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toContain(reason);
  });
});

it("a SweepRun has the name that was given, once, and can be read afterwards", async () => {
  const run = { metadata: { name: "now" }, spec: { sweep: "jobs" } };
  const made = await server.call("POST", RUNS, run);
  expect([made.code, made.body.metadata.name, made.body.status.phase]).toEqual([201, "now", "Succeeded"]);
  expect((await server.call("POST", RUNS, run)).body.reason).toBe("AlreadyExists");
  expect((await server.call("GET", `${RUNS}/now`)).body.spec).toEqual({ sweep: "jobs", dryRun: false });
});
