import { READ_GONE_NODES } from "../../db/nodes.ts";
import { forgetNode } from "../nodes/record/forget-node.ts";
import type { Clock } from "../objects/clock.ts";
import type { Millis } from "../objects/object.ts";

/** A node whose Node object was deleted, and one without a Node object: so long it must not have reported. */
const SILENT: Millis = 3_600_000;
const SILENT_UNREGISTERED: Millis = 30 * 24 * 3_600_000;

/** Nodes that are looked at with one query. */
const PAGE = 500;

interface Looked {
  cluster: number;
  node: string;
  gone: number;
}

/**
 * Forgets nodes that are gone, up to the deadline. What is left over is for the next time: each step leaves the rest as it was.
 *
 * @returns how many went
 */
export async function forgetGoneNodes(db: D1Database, clock: Clock, deadline: Millis): Promise<number> {
  const goesOn = () => clock() < deadline;
  const now = clock();
  let forgotten = 0;
  let after: Pick<Looked, "cluster" | "node"> | undefined = { cluster: 0, node: "" };
  while (after !== undefined && goesOn()) {
    const { results }: { results: Looked[] } = await db
      .prepare(READ_GONE_NODES)
      .bind(after.cluster, after.node, PAGE, now - SILENT, now - SILENT_UNREGISTERED)
      .all<Looked>();
    for (const { cluster, node, gone } of results) {
      if (gone === 0) continue;
      try {
        if ((await forgetNode(db, cluster, node, now - SILENT, goesOn)) === "forgotten") forgotten++;
      } catch (fault) {
        const told = {
          level: "error",
          message: "a node was not forgotten",
          cluster,
          node,
          fault: String(fault),
        };
        console.error(JSON.stringify(told));
      }
    }
    after = results.length < PAGE ? undefined : results.at(-1);
  }
  return forgotten;
}
