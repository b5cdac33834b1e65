import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCluster } from "../cluster.ts";
import { stopServing } from "../outbound/serving.ts";
import { eventually, startServer, type TestServer } from "../server.ts";
import { RUNS, type Scene, Stage } from "./scene.ts";
import { certificatesigningrequests } from "./scenes/certificatesigningrequests.ts";
import { cronjobs } from "./scenes/cronjobs.ts";
import { events } from "./scenes/events.ts";
import { jobs } from "./scenes/jobs.ts";
import { leases } from "./scenes/leases.ts";
import { nodes } from "./scenes/nodes.ts";
import { persistentvolumes } from "./scenes/persistentvolumes.ts";
import { pods } from "./scenes/pods.ts";
import { revisions } from "./scenes/revisions.ts";
import { secrets } from "./scenes/secrets.ts";
import { ttl } from "./scenes/ttl.ts";

const SCENES: Record<string, () => Scene | Promise<Scene>> = {
  certificatesigningrequests: () => certificatesigningrequests,
  leases: () => leases,
  jobs: () => jobs,
  cronjobs: () => cronjobs,
  pods: () => pods,
  persistentvolumes,
  nodes,
  events: () => events,
  secrets: () => secrets,
  revisions: () => revisions,
  ttl: () => ttl,
};

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server?.stop();
  await stopServing();
});

interface Run {
  metadata: { name: string };
  spec: { sweep: string; dryRun: boolean };
  status: {
    trigger: string;
    phase: string;
    found: number;
    deleted: number;
    changed: number;
    reported: number;
    deletedObjects: { name: string }[];
    reportedObjects?: { name: string }[];
  };
}

interface DeletionRecord {
  spec: { rule: string; target: { resource: string; name: string } };
}

const reportedNames = ({ status }: Run): string[] => (status.reportedObjects ?? []).map(({ name }) => name);

async function runsOf(stage: Stage, sweep: string): Promise<Run[]> {
  const { body } = await stage.cluster.call("GET", RUNS);
  return body.items.filter((run: Run) => run.spec.sweep === sweep);
}

const nameOf = (path: string): string => path.split("/").at(-1) ?? "";

describe.each(Object.keys(SCENES))("%s", (sweep) => {
  it("go when their moment comes, and others stay; a record, a run and Events tell of it", async () => {
    const scene = (await SCENES[sweep]?.()) as Scene;
    const stage = new Stage(await makeCluster(server, `due-${sweep}`));
    await stage.settings({ [sweep]: scene.settings ?? {} });
    const { going, staying, events = [] } = await scene.lay(stage);
    await eventually(
      () => stage.present(Object.keys(going)),
      (left) => left.length === 0,
      15_000,
    );
    expect(await stage.present(staying)).toEqual(staying);

    const records = (await stage.cluster.call("GET", "/apis/gc.kubegc.dev/v1alpha1/deletionrecords")).body
      .items;
    const rule = ({ spec: { target, rule } }: DeletionRecord): [string, string] => [
      `${target.resource.split(".")[0]}/${target.name}`,
      rule,
    ];
    const why = new Map<string, string>(records.map(rule));
    const wanted = Object.entries(going).map(([path, rule]) => [path.split("/").slice(-2).join("/"), rule]);
    expect(wanted.map(([which = ""]) => [which, why.get(which)])).toEqual(wanted);

    const own = Object.keys(going).filter((path) => going[path] !== "request");
    const runs = await runsOf(stage, sweep);
    expect(runs.flatMap(({ status }) => status.deletedObjects.map(({ name }) => name))).toEqual(
      expect.arrayContaining(own.map(nameOf)),
    );
    expect(new Set(runs.map(({ status }) => `${status.trigger} ${status.phase}`))).toEqual(
      new Set(["Due Succeeded"]),
    );
    if (events.length > 0) {
      const reasons = async () =>
        (await stage.cluster.call("GET", "/api/v1/events")).body.items.map(
          (event: { reason: string }) => event.reason,
        );
      expect(await eventually(reasons, (seen) => events.every((reason) => seen.includes(reason)))).toEqual(
        expect.arrayContaining(events),
      );
    }
  });

  it("are only told of in report-only mode and by a dry run, and go by a run once it is off", async () => {
    const scene = (await SCENES[sweep]?.()) as Scene;
    const stage = new Stage(await makeCluster(server, `report-${sweep}`));
    await stage.settings({ [sweep]: { ...scene.settings, reportOnly: true } });
    const { going, staying } = await scene.lay(stage);
    const paths = [...Object.keys(going), ...staying];
    const versions = () =>
      Promise.all(paths.map(async (path) => (await stage.get(path)).body.metadata?.resourceVersion));
    const before = await versions();
    const own = Object.keys(going).filter((path) => going[path] !== "request");
    // A run by hand finds that a Node is gone, and cannot know since when.
    const atOnce = own.filter((path) => going[path] !== "orphaned").map(nameOf);

    const told = async () => (await runsOf(stage, sweep)).flatMap(reportedNames);
    await eventually(told, (names) => own.map(nameOf).every((name) => names.includes(name)), 15_000);
    const dry = await stage.run(sweep, true);
    expect(dry).toMatchObject({
      spec: { sweep, dryRun: true },
      status: { deleted: 0, changed: 0, phase: "Succeeded" },
    });
    expect(reportedNames(dry)).toEqual(expect.arrayContaining(atOnce));
    const real = await stage.run(sweep);
    expect(real.status).toMatchObject({ deleted: 0, changed: 0 });
    expect(await versions()).toEqual(before);

    await stage.settings({ [sweep]: scene.settings ?? {} });
    await stage.run(sweep);
    await eventually(
      () => stage.present(Object.keys(going)),
      (left) => left.length === 0,
      15_000,
    );
    expect(await stage.present(staying)).toEqual(staying);
  });
});
