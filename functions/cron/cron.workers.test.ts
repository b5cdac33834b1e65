import { describe, expect, it } from "vitest";
import { kindOf } from "../graph/decide/decide.fixture.ts";
import { DB, newCluster } from "../graph/graph.fixture.ts";
import { SweptCluster } from "../graph/sweep/sweep.fixture.ts";
import { underLease } from "./cron-lease.ts";
import { beginResyncs } from "./resync.ts";
import { duePlaces, type Place, wakeAll } from "./wake.ts";

const MINUTE = 60_000;

describe("a lease", () => {
  it("keeps a second run out until the first is over", async () => {
    const clock = () => 1_000;
    const runs: string[] = [];
    await underLease(DB, "a", clock, MINUTE, async () => {
      runs.push("first");
      expect(await underLease(DB, "a", clock, MINUTE, async () => void runs.push("second"))).toBe(false);
      expect(await underLease(DB, "b", clock, MINUTE, async () => void runs.push("other"))).toBe(true);
    });
    await underLease(DB, "a", clock, MINUTE, async () => void runs.push("third"));
    expect(runs).toEqual(["first", "other", "third"]);
  });

  it("of a run that died ends by itself", async () => {
    let now = 1_000;
    const clock = () => now;
    await DB.prepare("INSERT INTO cron_leases (name, held_until) VALUES ('dead', ?1)")
      .bind(now + MINUTE)
      .run();
    const ran: number[] = [];
    const run = () => underLease(DB, "dead", clock, MINUTE, async () => void ran.push(now));
    expect(await run()).toBe(false);
    now += MINUTE;
    expect(await run()).toBe(true);
    expect(ran).toEqual([now]);
  });

  it("is let go of by a run that fails", async () => {
    const clock = () => 1_000;
    const failing = underLease(DB, "f", clock, MINUTE, () => Promise.reject(new Error("fault")));
    await expect(failing).rejects.toThrow("fault");
    expect(await underLease(DB, "f", clock, MINUTE, async () => undefined)).toBe(true);
  });
});

describe("waking", () => {
  const places = Array.from({ length: 60 }, (_, cluster): Place => ({ cluster, namespace: "team" }));

  it("goes on when one graph object cannot be woken", async () => {
    const woken: number[] = [];
    const count = await wakeAll(
      places,
      async ({ cluster }) => {
        if (cluster === 3) throw new Error("gone");
        woken.push(cluster);
      },
      () => 0,
      MINUTE,
    );
    expect(count).toBe(59);
    expect(woken).toHaveLength(59);
  });

  it("stops at its deadline, with never more than so many at a time", async () => {
    let now = 0;
    let together = 0;
    let most = 0;
    const count = await wakeAll(
      places,
      async () => {
        most = Math.max(most, ++together);
        await new Promise((resolve) => setTimeout(resolve, 1));
        together--;
        now += 1_000;
      },
      () => now,
      30_000,
    );
    expect(most).toBeLessThanOrEqual(25);
    expect(count).toBeGreaterThanOrEqual(30);
    expect(count).toBeLessThan(60);
  });

  it("finds namespaces with objects that are due, and no others", async () => {
    const swept = await SweptCluster.create(["team", "other"]);
    const event = kindOf("events");
    const fields = { involvedObject: { kind: "Pod", name: "p", namespace: "team" }, type: "Normal" };
    await swept.make(event, { name: "e", fields });
    const places = async () =>
      (await duePlaces(DB, swept.now)).filter(({ cluster }) => cluster === swept.cluster.id);
    expect(await places()).toEqual([]);
    swept.now += 61 * MINUTE;
    expect(await places()).toEqual([{ cluster: swept.cluster.id, namespace: "team" }]);
    await swept.settle();
    expect(await places()).toEqual([]);
  });
});

describe("a resync", () => {
  it("is begun once when its time has come, and again after the period", async () => {
    const swept = await SweptCluster.create();
    const begin = async () =>
      (await beginResyncs(DB, swept.now)).filter(({ cluster }) => cluster === swept.cluster.id);
    expect(await begin()).toEqual([{ cluster: swept.cluster.id, namespace: "" }]);
    expect(await begin()).toEqual([]);
    await swept.settle();
    swept.now += 23 * 60 * MINUTE;
    expect(await begin()).toEqual([]);
    swept.now += 2 * 60 * MINUTE;
    expect(await begin()).toHaveLength(1);
    const runs = await swept.runs();
    expect(runs.map(({ sweep, pending }) => [sweep, pending])).toEqual([
      ["orphans", 0],
      ["orphans", 1],
    ]);
  });

  it("keeps the newest hundred runs of each sweep, and the newest of all however old it is", async () => {
    const cluster = await newCluster();
    const day = 86_400_000;
    const row = (name: string, sweep: string, at: number) =>
      DB.prepare(
        "INSERT INTO sweep_runs (cluster, name, sweep, cause, started_at, completed_at) VALUES (?1, ?2, ?3, 'due', ?4, ?4)",
      ).bind(cluster, name, sweep, at);
    const now = 100 * day;
    await DB.batch([
      ...Array.from({ length: 120 }, (_, i) => row(`jobs-${i}`, "jobs", now - i * 1000)),
      row("ttl-1", "ttl", now - 40 * day),
      row("ttl-2", "ttl", now - 50 * day),
    ]);
    await beginResyncs(DB, now);
    const { results } = await DB.prepare(
      "SELECT sweep, count(*) AS count, max(started_at) AS newest FROM sweep_runs WHERE cluster = ?1 AND cause = 'due' GROUP BY sweep",
    )
      .bind(cluster)
      .all();
    expect(results).toEqual([
      { sweep: "jobs", count: 100, newest: now },
      { sweep: "ttl", count: 1, newest: now - 40 * day },
    ]);
  });
});
