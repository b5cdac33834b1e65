import { describe, expect, it } from "vitest";
import { WatchedDatabase } from "../graph/database.fixture.ts";
import { kindOf } from "../graph/decide/decide.fixture.ts";
import { create, DB } from "../graph/graph.fixture.ts";
import { workSlice } from "../graph/slice.ts";
import { dueSlice } from "../graph/sweep/due.ts";
import { SweptCluster } from "../graph/sweep/sweep.fixture.ts";
import { COUNTED } from "../sweeps/pods.ts";
import { beginResyncs } from "./resync.ts";
import { duePlaces } from "./wake.ts";

// In D1's own counts of rows read.

const configMap = kindOf("configmaps");
const event = kindOf("events");
const HOUR = 3_600_000;

/** Copies an object in SQL, with the owner references and the moment it has. */
async function copies(uid: string, count: number, sweepAt: number | null) {
  for (let from = 0; from < count; from += 10_000) {
    await DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT ?3 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?4)
       INSERT INTO objects (cluster, resource, namespace, name, uid, resource_version, deletion, plain, sweep_at, body)
       SELECT o.cluster, o.resource, o.namespace, o.name || '-' || n.i, 'copy-' || n.i || substr(o.uid, 1, 8), o.resource_version,
         o.deletion, o.plain, ?2,
         json_set(o.body, '$.metadata.name', o.name || '-' || n.i, '$.metadata.uid', 'copy-' || n.i || substr(o.uid, 1, 8))
       FROM n CROSS JOIN objects o ON o.uid = ?1`,
    )
      .bind(uid, sweepAt, from, Math.min(count, from + 10_000))
      .run();
  }
}

async function crowdedCluster() {
  const watched = new WatchedDatabase(DB);
  const swept = await SweptCluster.create(["team", "other"], watched.asD1);
  const { now } = swept;
  const plain = await swept.make(configMap, { name: "plain", labels: { app: "web" } });
  await copies(plain.metadata.uid, 120_000, null);
  const waiting = await swept.make(configMap, { name: "waiting" });
  await copies(waiting.metadata.uid, 20_000, now + HOUR);
  const counted = await swept.make(configMap, { name: "counted" });
  await copies(counted.metadata.uid, 10_000, COUNTED);
  await swept.settle();
  // The clusters of other tests are nothing to this one.
  await DB.prepare("UPDATE clusters SET resync_at = ?2 WHERE id <> ?1 OR id = ?1")
    .bind(swept.cluster.id, now + HOUR)
    .run();
  return { watched, swept };
}

/** Rows read by the statements that have one of these texts. */
function readFor(watched: WatchedDatabase, texts: readonly string[]): number {
  const counts = [...watched.bySql].filter(([sql]) => texts.some((text) => sql.includes(text)));
  return counts.reduce((sum, [, { rowsRead }]) => sum + rowsRead, 0);
}

/** One run of the safety net, as cron and the graph objects that it wakes do it. */
async function run({ watched, swept }: { watched: WatchedDatabase; swept: SweptCluster }) {
  await beginResyncs(watched.asD1, swept.now);
  const places = (await duePlaces(watched.asD1, swept.now)).filter(
    ({ cluster }) => cluster === swept.cluster.id,
  );
  for (const { namespace } of places) {
    const context = swept.context(namespace);
    while (!(await workSlice(context)).empty);
    while (!(await dueSlice(context)).empty);
    while (!(await workSlice(context)).empty);
  }
}

describe("in a cluster of 150,000 objects", () => {
  it("a run reads next to nothing when nothing is due, and little for each of a thousand that are", {
    timeout: 120_000,
  }, async () => {
    const { watched, swept } = await crowdedCluster();
    watched.reset();
    await run({ watched, swept });
    expect(watched.costs.rowsRead).toBeLessThan(100);

    const involvedObject = { kind: "Pod", name: "p", namespace: "team" };
    const requests = Array.from({ length: 1000 }, (_, i) =>
      create(event, { name: `e${i}`, fields: { involvedObject, reason: "r", message: "m", type: "Normal" } }),
    );
    await swept.cluster.ask("team", ...requests);
    await DB.prepare("UPDATE objects SET sweep_at = ?2 WHERE cluster = ?1 AND sweep_at = ?3")
      .bind(swept.cluster.id, swept.now + 5 * HOUR, COUNTED - 1)
      .run();
    swept.now += HOUR - 60_000;
    // Those that wait are not due yet, and the Events are.
    await DB.prepare("UPDATE objects SET sweep_at = ?2 WHERE cluster = ?1 AND resource = 'events'")
      .bind(swept.cluster.id, swept.now - 1)
      .run();
    await DB.prepare(
      "UPDATE objects SET body = json_set(body, '$.metadata.creationTimestamp', '2026-11-20T10:00:00Z') WHERE cluster = ?1 AND resource = 'events'",
    )
      .bind(swept.cluster.id)
      .run();
    watched.reset();
    await run({ watched, swept });
    expect(await swept.names(event)).toEqual([]);
    // To find them, to read them and to decide; and with what it takes to delete one, as for a request.
    expect(
      readFor(watched, ["sweep_at <= ", "json_remove", "kinds_version FROM"]) / 1000,
    ).toBeLessThanOrEqual(3);
    expect(watched.costs.rowsRead / 1000).toBeLessThanOrEqual(15);
    expect((await swept.counts("events")).deleted).toBe(1000);

    // All of it is gone through, in slices of which each reads a bounded number of rows.
    await DB.prepare(
      "INSERT INTO work (cluster, namespace, task, uid, stage) VALUES (?1, '', 'moments', '', 1)",
    )
      .bind(swept.cluster.id)
      .run();
    for (let empty = false; !empty; ) {
      watched.reset();
      ({ empty } = await workSlice(swept.context("")));
      expect(watched.costs.rowsRead).toBeLessThan(10_000);
    }
  });
});
