import type { GroupResource } from "../../objects/object.ts";
import { refusal } from "../answer.ts";
import type { ApiContext } from "../context.ts";
import { countedMetrics } from "./counted-metrics.ts";
import { EXPOSITION_TYPE, exposition } from "./exposition.ts";
import type { MetricSource } from "./metric-source.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { sweepRunMetrics, sweepTotalMetrics } from "./sweep-metrics.ts";
import { workMetrics } from "./work-metrics.ts";

const SOURCES: readonly MetricSource[] = [
  countedMetrics,
  workMetrics,
  sweepTotalMetrics,
  sweepRunMetrics,
  nodeMetrics,
];

/**
 * `GET /clusters/{cluster}/metrics`, for Prometheus. Everything comes from the database, so counters go on after a
 * restart, and are the same whichever instance is asked.
 */
export async function answerMetrics({ db, cluster, principal }: ApiContext): Promise<Response> {
  if (principal.role === "node") {
    const message = `User ${JSON.stringify(principal.user)} cannot get path "/metrics"`;
    return refusal({ reason: "Forbidden", resource: "metrics" as GroupResource, name: "", message });
  }
  const results = await db.batch<Record<string, unknown>>(
    SOURCES.map(({ sql }) => db.prepare(sql).bind(cluster)),
  );
  const families = SOURCES.flatMap((source, i) => source.families(results[i]?.results ?? []));
  return new Response(exposition(families), { headers: { "content-type": EXPOSITION_TYPE } });
}
