import { storeFault } from "../../../db/errors.ts";
import * as sql from "../../../db/nodes.ts";
import { INSERT_WORK } from "../../../db/sql.ts";
import type { ImageKey } from "../images/image-record.ts";
import { nodeEvent } from "../plan/node-events.ts";
import type { RemovalReason } from "../plan/plan.ts";
import type { EventMemory, NodeRecord } from "./node-record.ts";
import {
  changedContainers,
  changedImages,
  containersOfRows,
  imagesOfRows,
  recordOfRow,
  stateText,
} from "./stored-record.ts";

/** Another object has taken over this node's record. Whoever sees it must write no more. */
export class NodeSuperseded extends Error {
  override readonly name = "NodeSuperseded";
}

/** What a batch writes: from one record to the next. */
export interface RecordChange {
  readonly before: NodeRecord;
  readonly after: NodeRecord;
  readonly removed: ReadonlyMap<ImageKey, RemovalReason>;
  readonly events: readonly EventMemory[];
}

export interface HeldNode {
  readonly epoch: number;
  readonly record: NodeRecord;
  readonly settings: sql.NodeSettingsRow;
}

/** Events of Nodes, which are in no namespace, are in this one. Source: client-go `tools/record`. */
export const EVENTS_NAMESPACE = "default";
const ATTEMPTS = 3;
/** So long rows of what is gone stay. */
const REMEMBERED = 7 * 86_400_000;
/** How often they are looked through. */
const FORGETTING = 3_600_000;
/** A report costs so many statements at most, but for an Event. */
const STATEMENTS = 4;

/**
 * One node's rows. A write is one batch under the epoch that was claimed, and its outcome is always known in the end, as
 * with a namespace's graph: after a lost reply the operation id is looked up.
 */
export class NodeStore {
  readonly #db: D1Database;
  readonly #cluster: number;
  readonly #node: string;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(db: D1Database, cluster: number, node: string) {
    this.#db = db;
    this.#cluster = cluster;
    this.#node = node;
  }

  /** Takes hold of the node, and reads what is known of it. A node that has never reported has no more to read. */
  async claim(): Promise<HeldNode> {
    const row = await this.#bind(sql.CLAIM_NODE).first<sql.NodeRow & sql.NodeSettingsRow>();
    if (row === null) throw new Error("claiming a node returned no epoch");
    const { labels, policies } = row;
    const held = { epoch: row.epoch, record: recordOfRow(row), settings: { labels, policies } };
    if (row.sequence === null) return held;
    const [images, containers] = await this.#db.batch([
      this.#bind(sql.READ_NODE_IMAGES),
      this.#bind(sql.READ_NODE_CONTAINERS),
    ]);
    return {
      ...held,
      record: {
        ...held.record,
        images: imagesOfRows((images?.results ?? []) as unknown as sql.NodeImageRow[], row.reported_at),
        containers: containersOfRows((containers?.results ?? []) as unknown as sql.NodeContainerRow[]),
      },
    };
  }

  async settings(): Promise<sql.NodeSettingsRow> {
    const row = await this.#bind(sql.READ_NODE_SETTINGS).first<sql.NodeSettingsRow>();
    return row ?? { labels: null, policies: "[]" };
  }

  /**
   * Writes what has changed, all of it or nothing. Afterwards it is written, or it was not and the fault says so.
   * @throws NodeSuperseded, or a fault of the store
   */
  async write(epoch: number, change: RecordChange): Promise<void> {
    const operation = crypto.randomUUID();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#db.batch(this.#statements(epoch, operation, change));
        return;
      } catch (error) {
        const fault = storeFault(error);
        if (fault === "superseded") throw new NodeSuperseded(`${this.#node}: epoch ${epoch} is over`);
        if (fault === "unknown" || attempt > 1) {
          if (await this.#isWritten(epoch, operation)) return;
        }
        if (fault !== "unknown" || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #statements(
    epoch: number,
    operation: string,
    { before, after, removed, events }: RecordChange,
  ): D1PreparedStatement[] {
    const now = after.reportedAt ?? 0;
    const { sequence, reportedAt, boot, fileSystems } = after;
    const statements = [
      this.#bind(
        sql.WRITE_NODE,
        epoch,
        operation,
        sequence,
        reportedAt,
        boot,
        JSON.stringify(fileSystems),
        stateText(after),
      ),
      ...parameters(changedImages(before.images, after.images, removed, now)).map((rows) =>
        this.#bind(sql.WRITE_NODE_IMAGES, rows),
      ),
      ...parameters(changedContainers(before.containers, after.containers, now)).map((rows) =>
        this.#bind(sql.WRITE_NODE_CONTAINERS, rows),
      ),
    ];
    // What is gone may stay a little longer: it is forgotten when there is little else to write.
    if (now - this.#forgotAt >= FORGETTING && statements.length + 2 <= STATEMENTS) {
      this.#forgotAt = now;
      statements.push(
        this.#bind(sql.FORGET_GONE_IMAGES, now - REMEMBERED),
        this.#bind(sql.FORGET_GONE_CONTAINERS, now - REMEMBERED),
      );
    }
    if (events.length > 0) {
      const work = events.map((event, i) => [
        EVENTS_NAMESPACE,
        "event",
        `${this.#node} ${event.reason} ${event.writtenAt} ${i}`,
        0,
        JSON.stringify(nodeEvent(this.#node, event, i)),
        0,
      ]);
      statements.push(this.#db.prepare(INSERT_WORK).bind(this.#cluster, JSON.stringify(work)));
    }
    return statements;
  }

  async #isWritten(epoch: number, operation: string): Promise<boolean> {
    const row = await this.#bind(sql.NODE_OUTCOME).first<{ epoch: number; operation: string | null }>();
    if (row?.epoch !== epoch) throw new NodeSuperseded(`${this.#node}: taken over`);
    return row.operation === operation;
  }

  #bind(text: string, ...values: (string | number | null)[]): D1PreparedStatement {
    return this.#db.prepare(text).bind(this.#cluster, this.#node, ...values);
  }
}

/** What a D1 parameter may hold, in bytes, less room for brackets. */
const PARAMETER_BYTES = 1_990_000;
const NOT_ASCII = /[^\0-\x7f]/;

/** The rows as JSON lists, as few as their size allows. */
function parameters(rows: readonly string[]): string[] {
  const lists: string[] = [];
  let list: string[] = [];
  let size = 0;
  for (const row of rows) {
    const bytes = 1 + (NOT_ASCII.test(row) ? new TextEncoder().encode(row).length : row.length);
    if (size + bytes > PARAMETER_BYTES && list.length > 0) {
      lists.push(`[${list.join(",")}]`);
      list = [];
      size = 0;
    }
    list.push(row);
    size += bytes;
  }
  if (list.length > 0) lists.push(`[${list.join(",")}]`);
  return lists;
}
