import { env } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { Databases } from "../../db/database.ts";
import { readChanges, readVersions } from "./change-reader.ts";
import { COMPACTION_LIMITS, type CompactionLimits, compactCluster, compactClusters } from "./compaction.ts";
import { History } from "./history.fixture.ts";
import type { Retention } from "./retention.ts";

const { DB } = env as unknown as Databases;
const RETENTION: Retention = { changes: 1_000, newestChanges: 0, deletions: 10_000, records: 100_000 };

let history: History;
beforeEach(async () => {
  history = await new History(DB).begin();
});

const compact = (retention: Partial<Retention> = {}, limits: Partial<CompactionLimits> = {}) =>
  compactCluster(
    DB,
    history.cluster,
    history.now,
    { ...RETENTION, ...retention },
    { ...COMPACTION_LIMITS, ...limits },
  );
const versions = () => readVersions(DB, history.cluster);
const interest = {
  resources: ["configmaps"],
  resourcesByContent: ["configmaps"],
  namespace: null,
  name: null,
};

describe("compaction", () => {
  it("deletes states that were replaced, and keeps the newest of what exists and the last of what was deleted", async () => {
    await history.write("team", { type: "ADDED", name: "a" }, { type: "ADDED", name: "b" });
    await history.write("team", { type: "MODIFIED", name: "a" }, { type: "DELETED", name: "b" });
    await history.write("team", { type: "MODIFIED", name: "a" });
    history.now = 5_000;
    await compact();
    expect(await history.kept()).toEqual(["DELETED b@4", "MODIFIED a@5"]);
    expect(await versions()).toEqual({ newest: 5, compacted: 5 });
  });

  it("leaves what is young, with the states that it replaced", async () => {
    await history.write("team", { type: "ADDED", name: "a" }, { type: "ADDED", name: "b" });
    await history.write("team", { type: "MODIFIED", name: "b" });
    history.now = 1_500;
    await history.write("team", { type: "MODIFIED", name: "a" });
    await compact();
    expect(await history.kept()).toEqual(["ADDED a@1", "MODIFIED b@3", "MODIFIED a@4"]);
    expect(await versions()).toEqual({ newest: 4, compacted: 3 });
    const read = await readChanges(DB, history.cluster, 3, interest);
    expect(read?.rows.map((row) => row.previous_body !== null)).toEqual([true]);
  });

  it("leaves the newest changes, however old they are", async () => {
    await history.write("team", { type: "ADDED", name: "a" });
    for (let i = 0; i < 4; i++) await history.write("team", { type: "MODIFIED", name: "a" });
    history.now = 1_000_000;
    await compact({ newestChanges: 2 });
    expect(await history.kept()).toEqual(["MODIFIED a@3", "MODIFIED a@4", "MODIFIED a@5"]);
    expect(await versions()).toEqual({ newest: 5, compacted: 3 });
  });

  it("forgets what was deleted after a time of its own, and never what is not yet compacted", async () => {
    await history.write("team", { type: "ADDED", name: "a" }, { type: "ADDED", name: "b" });
    await history.write("team", { type: "DELETED", name: "a" });
    history.now = 5_000;
    await history.write("team", { type: "DELETED", name: "b" });
    await compact();
    expect(await history.kept()).toEqual(["ADDED b@2", "DELETED a@3", "DELETED b@4"]);
    history.now = 10_500;
    await compact({ changes: 20_000 });
    expect(await history.kept()).toEqual(["ADDED b@2", "DELETED b@4"]);
    history.now = 15_500;
    await compact({ changes: 20_000 });
    expect(await history.kept()).toEqual(["ADDED b@2", "DELETED b@4"]);
    await compact();
    expect(await history.kept()).toEqual([]);
  });

  it("goes on in the next run where the slices of one were used up", async () => {
    for (let i = 0; i < 5; i++) await history.write("team", { type: "ADDED", name: `n${i}` });
    for (let i = 0; i < 5; i++) await history.write("team", { type: "MODIFIED", name: `n${i}` });
    history.now = 5_000;
    expect(await compact({}, { slices: 2, sliceRows: 3 })).toBe(2);
    expect(await versions()).toEqual({ newest: 10, compacted: 6 });
    expect(await compact({}, { slices: 10, sliceRows: 3 })).toBeGreaterThan(0);
    expect(await history.kept()).toHaveLength(5);
    expect(await compact()).toBe(0);
  });

  it("does no harm when two run at a time", async () => {
    await history.write("team", { type: "ADDED", name: "a" }, { type: "ADDED", name: "b" });
    for (let i = 0; i < 10; i++) await history.write("team", { type: "MODIFIED", name: "a" });
    history.now = 5_000;
    await Promise.all([compact({}, { sliceRows: 2 }), compact({}, { sliceRows: 3 })]);
    expect(await history.kept()).toEqual(["ADDED b@2", "MODIFIED a@12"]);
    expect(await versions()).toEqual({ newest: 12, compacted: 12 });
  });
});

describe("a run over all clusters", () => {
  it("asks once when nothing is due", async () => {
    const other = await new History(DB).begin();
    for (const each of [history, other]) {
      each.now = 10_000;
      await each.write("team", { type: "ADDED", name: "a" });
    }
    await compactClusters(DB, 5_000_000, RETENTION);
    let asked = 0;
    const counting = {
      prepare(text: string) {
        asked++;
        return DB.prepare(text);
      },
    } as D1Database;
    expect(await compactClusters(counting, 10_500, RETENTION)).toBe(0);
    expect(asked).toBe(1);
  });

  it("compacts each cluster that is due, and no other's changes", async () => {
    const other = await new History(DB).begin();
    for (const each of [history, other]) {
      await each.write("team", { type: "ADDED", name: "a" });
      each.now = each === other ? 4_500 : 0;
      await each.write("team", { type: "MODIFIED", name: "a" });
    }
    await compactClusters(DB, 5_000, RETENTION);
    expect(await history.kept()).toEqual(["MODIFIED a@2"]);
    expect(await other.kept()).toEqual(["ADDED a@1", "MODIFIED a@2"]);
  });

  it("comes back to a cluster for the sake of what was deleted there", async () => {
    await history.write("team", { type: "ADDED", name: "a" });
    await history.write("team", { type: "DELETED", name: "a" });
    await compactClusters(DB, 5_000, RETENTION);
    expect(await history.kept()).toEqual(["DELETED a@2"]);
    await compactClusters(DB, 10_000, RETENTION);
    expect(await history.kept()).toEqual([]);
  });
});
