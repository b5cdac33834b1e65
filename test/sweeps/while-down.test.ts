import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { makeCluster, type TestCluster } from "../cluster.ts";
import { call, eventually, startServer, type TestServer } from "../server.ts";
import { DEFAULT, type Laid, Stage } from "./scene.ts";
import { jobs } from "./scenes/jobs.ts";
import { secrets } from "./scenes/secrets.ts";
import { ttl } from "./scenes/ttl.ts";

const dataDir = mkdtempSync(join(tmpdir(), "kubegc-down-"));

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** The same cluster on a server that was started again, on another port. */
function movedTo(server: TestServer, { name, token }: TestCluster): TestCluster {
  const base = `${server.url}/clusters/${name}`;
  return { name, base, token, call: (...request) => call(base, token, ...request) };
}

it("what comes due while the server is down goes when it is back, and nothing else does", async () => {
  const first = await startServer({ dataDir });
  const laid: { cluster: TestCluster; objects: Laid }[] = [];
  for (const scene of [jobs, secrets, ttl]) {
    const cluster = await makeCluster(first, `down-${scene.sweep}`);
    const stage = new Stage(cluster);
    // Nothing goes before the server does.
    await stage.settings({ [scene.sweep]: { enabled: false } });
    laid.push({ cluster, objects: await scene.lay(stage) });
  }
  for (const { cluster } of laid) await new Stage(cluster).settings({});
  await first.kill();

  const second = await startServer({ dataDir });
  try {
    for (const { cluster, objects } of laid) {
      const stage = new Stage(movedTo(second, cluster));
      const { going, staying } = objects;
      await eventually(
        () => stage.present(Object.keys(going)),
        (left) => left.length === 0,
        15_000,
      );
      expect(await stage.present(staying)).toEqual(staying);
    }
  } finally {
    await second.stop();
  }
});

it("orphans whose owner vanished while nobody looked are told of, and then deleted, by a run", async () => {
  const first = await startServer({ dataDir });
  const cluster = await makeCluster(first, "orphans");
  const before = new Stage(cluster);
  const owner = await before.put(`${DEFAULT}/configmaps`, "owner");
  const other = await before.put(`${DEFAULT}/configmaps`, "other");
  const put = async (name: string, ...owners: string[]) => {
    const references = await Promise.all(owners.map((path) => before.reference(path)));
    return before.put(`${DEFAULT}/configmaps`, name, { metadata: { ownerReferences: references } });
  };
  const orphan = await put("orphan", owner);
  const staying = [other, await put("kept", owner, other), await put("child", other)];
  await first.kill();
  withDatabase((database) =>
    database.exec(`DELETE FROM objects WHERE name = 'owner' AND resource = 'configmaps'`),
  );

  const second = await startServer({ dataDir });
  try {
    const stage = new Stage(movedTo(second, cluster));
    await stage.settings({ orphans: { reportOnly: true } });
    const told = await stage.run("orphans");
    expect(told.status).toMatchObject({ deleted: 0 });
    expect(told.status.reportedObjects).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ name: "orphan", rule: "owner-absent" })]),
    );
    expect(await stage.present([orphan, ...staying])).toEqual([orphan, ...staying]);
    await stage.settings({});
    const run = await stage.run("orphans");
    expect(run.status.deletedObjects).toMatchObject([{ name: "orphan", rule: "owner-absent" }]);
    expect(await stage.present([orphan, ...staying])).toEqual(staying);
  } finally {
    await second.stop();
  }
});

/** The database as it is on disk, while no server runs. */
function withDatabase(use: (database: DatabaseSync) => void): void {
  const folder = join(dataDir, "state");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".sqlite"),
  );
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file));
    try {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'objects'").all();
      if (tables.length > 0) use(database);
    } finally {
      database.close();
    }
  }
}
