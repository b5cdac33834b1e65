import { type ApiEnv, createApp } from "./api/app.ts";
import { tableOfEvent } from "./api/table/event-table.ts";
import { type CronEnv, runScheduled } from "./cron/scheduled.ts";
import { NamespaceGraph as Graph } from "./graph/namespace-graph.ts";
import { systemClock } from "./objects/clock.ts";
import { ask } from "./outbound/ask.ts";
import { type FenceVars, fencePolicy } from "./outbound/fence.ts";
import type { Answer, Question } from "./sweeps/decision.ts";
import { ClusterFeed as Feed } from "./watch/cluster-feed.ts";

export { NodeRecords } from "./nodes/node-records.ts";

/** The graph, composed with what knows how to ask the outside. */
export class NamespaceGraph extends Graph {
  protected override answer(question: Question): Promise<Answer> {
    return ask(question, fencePolicy(this.env as FenceVars));
  }
}

/** The feed, composed with what the API knows about printing. */
export class ClusterFeed extends Feed {
  protected override tableOf = tableOfEvent;
}

const app = createApp();

export default {
  fetch: app.fetch,

  scheduled: (_controller, env) => runScheduled(env, systemClock),
} satisfies ExportedHandler<ApiEnv & CronEnv>;
