import { DurableObject } from "cloudflare:workers";
import { type Databases, databaseOf } from "../../db/database.ts";
import { graphName } from "../graph/graph-name.ts";
import type { NamespaceGraph } from "../graph/namespace-graph.ts";
import { type Clock, systemClock } from "../objects/clock.ts";
import { type Outcome, ok, refuse } from "../objects/failure.ts";
import { parseNodeRecordsName } from "./node-name.ts";
import type { Plan } from "./plan/plan.ts";
import { takeReport } from "./plan/take-report.ts";
import type { NodeRecord } from "./record/node-record.ts";
import { settingsOfRow } from "./record/node-settings.ts";
import { EVENTS_NAMESPACE, NodeStore, NodeSuperseded } from "./record/node-store.ts";
import { ListingMemory } from "./report/listing-memory.ts";
import { readReport } from "./report/read-report.ts";
import type { ReportFault } from "./report/report.ts";
import { readReportBody, textsOf } from "./report/report-body.ts";

/** What a record object needs of its surroundings. */
export interface NodeEnv extends Databases {
  NAMESPACE_GRAPH: DurableObjectNamespace<NamespaceGraph>;
}

export interface ReportAnswer {
  plan: Plan;
  /** The highest sequence that was taken: a later report has a higher one. */
  sequence: number;
  /** What of the report could not be read. */
  faults: readonly ReportFault[];
}

/** A node sends one report at a time; more of them than this are not its own. */
const MOST_WAITING = 4;

/**
 * The record of one node: what its reports said, and what it was asked to do. It holds no truth, only a copy of what it
 * wrote last:
 *
 *     report → in turn → read the settings → decide → one batch → the plan
 *
 * One report at a time, since D1 awaits are not covered by input gates. A plan is handed out after the batch that
 * records it, never before.
 */
export class NodeRecords extends DurableObject<NodeEnv> {
  protected readonly clock: Clock = systemClock;
  #held: { store: NodeStore; epoch: number; record: NodeRecord } | undefined;
  readonly #listings = new ListingMemory();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * `body` is what the node posted, of this media type; it is read here, since it is large.
   * Errors: BadRequest, UnsupportedMediaType, TooManyRequests.
   */
  async report(body: Uint8Array<ArrayBuffer>, mediaType: string): Promise<Outcome<ReportAnswer>> {
    if (this.#waiting >= MOST_WAITING) {
      const message = "reports of this node are waiting already, please try again later";
      return refuse({ reason: "TooManyRequests", message, retryAfterSeconds: 5 });
    }
    this.#waiting++;
    const turn = this.#last.then(() => this.#take(body, mediaType));
    this.#last = turn.catch(() => undefined);
    return turn.finally(() => {
      this.#waiting--;
    });
  }

  async #take(body: Uint8Array<ArrayBuffer>, mediaType: string): Promise<Outcome<ReportAnswer>> {
    const posted = readReportBody(body, mediaType);
    if (!posted.ok) return posted;
    const { known, remember } = await this.#listings.recall(posted.value);
    const texts = textsOf(posted.value, (part) => known[part] !== undefined);
    const reading = readReport(texts, known);
    if ("fault" in reading) return refuse({ reason: "BadRequest", message: reading.fault });
    const { report } = reading;
    remember(report);
    const { cluster, node } = parseNodeRecordsName(this.ctx.id.name);
    try {
      const { held, row } = await this.#hold(cluster, node);
      const taken = takeReport(held.record, report, settingsOfRow(row), this.clock());
      if (taken.state === "taken") {
        const { removed, events } = taken;
        const after = { ...taken.record, registered: row.labels !== null };
        await held.store.write(held.epoch, { before: held.record, after, removed, events });
        held.record = after;
        if (events.length > 0) this.#wakeEvents(cluster);
      }
      return ok({ plan: taken.plan, sequence: held.record.sequence, faults: report.faults });
    } catch (fault) {
      // Whatever was written or not, the next report begins from what is stored.
      this.#held = undefined;
      const told = { level: "error", message: "a report failed", cluster, node, fault: String(fault) };
      console.error(JSON.stringify(told));
      if (fault instanceof NodeSuperseded) this.ctx.abort(fault.message);
      throw fault;
    }
  }

  async #hold(cluster: number, node: string) {
    if (this.#held !== undefined) {
      return { held: this.#held, row: await this.#held.store.settings() };
    }
    const store = new NodeStore(databaseOf(this.env, cluster), cluster, node);
    const { epoch, record, settings } = await store.claim();
    this.#held = { store, epoch, record };
    return { held: this.#held, row: settings };
  }

  /** Events are in the outbox of their namespace; if this is lost, cron comes to it. */
  #wakeEvents(cluster: number): void {
    const graph = this.env.NAMESPACE_GRAPH.getByName(graphName(cluster, EVENTS_NAMESPACE));
    this.ctx.waitUntil(graph.wake().catch(() => undefined));
  }
}
