import { describe, expect, it } from "vitest";
import { kindOf } from "../graph/decide/decide.fixture.ts";
import { DB, ownedBy, remove, TestCluster } from "../graph/graph.fixture.ts";
import { compactCluster, forgetRecords } from "./compaction.ts";

const configMap = kindOf("configmaps");
const DAY = 86_400_000;
const RETENTION = { changes: 0, newestChanges: 0, deletions: 7 * DAY, records: 30 * DAY };

/** An owner and its dependent, both gone; when the dependent has a finalizer it goes when `release` says so. */
async function chain(finalizers: string[] = []) {
  const cluster = await TestCluster.create();
  const owner = await cluster.make(configMap, { name: "owner" });
  await cluster.make(configMap, { name: "dependent", owners: [ownedBy(owner)], finalizers });
  await cluster.ask("team", remove(configMap, "owner"));
  await cluster.settle();
  return cluster;
}

/** What cron does to a cluster so many days later. */
async function later(cluster: TestCluster, days: number): Promise<string[]> {
  cluster.now += days * DAY;
  await compactCluster(DB, cluster.id, cluster.now, RETENTION);
  await forgetRecords(DB, cluster.now);
  return (await cluster.deletions()).map(({ name }) => name).sort();
}

describe("the record of a deletion", () => {
  it("goes a month after the removal, and not with its last state", async () => {
    const cluster = await chain();
    expect(await later(cluster, 8)).toEqual(["dependent", "owner"]);
    expect(await later(cluster, 20)).toEqual(["dependent", "owner"]);
    expect(await later(cluster, 3)).toEqual([]);
  });

  it("stays while what it caused is not gone", async () => {
    const cluster = await chain(["x/a"]);
    expect(await later(cluster, 8)).toEqual(["dependent", "owner"]);
    expect(await later(cluster, 60)).toEqual(["dependent", "owner"]);
    // It is looked at again once a day.
    await cluster.ask("team", {
      ...remove(configMap, "dependent"),
      mutation: {
        verb: "patch",
        name: "dependent",
        subresource: undefined,
        type: "merge",
        text: '{"metadata":{"finalizers":null}}',
      },
    });
    await cluster.settle();
    expect(await later(cluster, 8)).toEqual(["dependent", "owner"]);
    expect(await later(cluster, 25)).toEqual([]);
  });

  it("of one that goes while nothing is due is not looked for", async () => {
    const cluster = await chain();
    expect(await forgetRecords(DB, cluster.now)).toBe(0);
  });
});
