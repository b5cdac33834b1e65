import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { timestamp } from "../../objects/object.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { create, DB, NAMESPACE_GRAPH, newCluster, patch } from "../graph.fixture.ts";
import { graphName } from "../graph-name.ts";

const job = kindOf("jobs.batch");
const configMap = kindOf("configmaps");
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

async function graphs() {
  const cluster = await newCluster();
  const of = (namespace: string) => NAMESPACE_GRAPH.getByName(graphName(cluster, namespace));
  await of("").mutate([create(kindOf("namespaces"), { name: "team" })]);
  return { cluster, of };
}

/** A Job that finished at a moment, with a TTL in seconds. */
async function finished(
  graph: ReturnType<Awaited<ReturnType<typeof graphs>>["of"]>,
  name: string,
  at: number,
  ttl: number,
) {
  const spec = { ttlSecondsAfterFinished: ttl, template };
  const conditions = [{ type: "Complete", status: "True", lastTransitionTime: timestamp(at) }];
  const done = patch(job, name, { status: { conditions } });
  if (done.mutation.verb === "patch") done.mutation.subresource = "status";
  const replies = await graph.mutate([create(job, { name, fields: { spec } })]);
  replies.push(...(await graph.mutate([done])));
  expect(replies.filter(({ ok }) => !ok)).toEqual([]);
}

const alarmOf = (graph: DurableObjectStub) =>
  runInDurableObject(graph, (_, { storage }) => storage.getAlarm());

/** What a graph object does by itself takes as long as it takes. */
const PATIENCE = { timeout: 20_000, interval: 100 };

const second = (moment: number) => Math.floor(moment / 1000) * 1000;

describe("the alarm of a graph object", () => {
  it("is set for the moment of what was written, whatever came before and comes after", {
    timeout: 30_000,
  }, async () => {
    const { of } = await graphs();
    const graph = of("team");
    const now = Date.now();
    await finished(graph, "far", now, 5000);
    await finished(graph, "near", now, 100);
    await finished(graph, "farther", now, 9000);
    // The work that follows a write is done, and what is left is the next moment.
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(graph);
      expect(await alarmOf(graph)).toBe(second(now) + 100_000);
    }, PATIENCE);
  });

  it("deletes what is due, and is set for what is due next", { timeout: 30_000 }, async () => {
    const { cluster, of } = await graphs();
    const graph = of("team");
    const past = Date.now() - 60_000;
    await finished(graph, "next", past, 5000);
    await finished(graph, "over", past, 10);
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(graph);
      const { results } = await DB.prepare(
        "SELECT name FROM objects WHERE cluster = ?1 AND resource = 'jobs.batch'",
      )
        .bind(cluster)
        .all();
      expect(results).toEqual([{ name: "next" }]);
      expect(await alarmOf(graph)).toBe(second(past) + 5_000_000);
    }, PATIENCE);
  });

  it("is not needed by what never expires", async () => {
    const { of } = await graphs();
    const graph = of("team");
    await graph.mutate([create(configMap, { name: "c" })]);
    expect(await alarmOf(graph)).toBeNull();
  });
});
