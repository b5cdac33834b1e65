import { FORGET_NODE, FORGET_NODE_CONTAINERS, FORGET_NODE_IMAGES, TAKE_NODE } from "../../../db/nodes.ts";
import type { Millis } from "../../objects/object.ts";

export type Forgotten =
  | "forgotten"
  /** Nothing is known of it, or it has reported since the given moment. */
  | "absent"
  /** It has reported meanwhile. What it holds is known again, and stays. */
  | "taken over"
  /** There was no more time. */
  | "unfinished";

/** Rows of images, and of containers, that go in one batch. */
const SLICE = 5_000;

/**
 * All that is known of a node goes, slice by slice, its row last. Whoever records the node is fenced off first, and takes it
 * back with the node's next report: then the rest stays, and what is stored is never other than what is remembered.
 *
 * @param silentSince only a node that has not reported since then
 * @param goesOn asked before each slice
 */
export async function forgetNode(
  db: D1Database,
  cluster: number,
  node: string,
  silentSince: Millis = Number.MAX_SAFE_INTEGER,
  goesOn: () => boolean = () => true,
): Promise<Forgotten> {
  const taken = await db.prepare(TAKE_NODE).bind(cluster, node, silentSince).first<{ epoch: number }>();
  if (taken === null) return "absent";
  while (goesOn()) {
    const slice = [cluster, node, taken.epoch, SLICE];
    const results = await db.batch([
      db.prepare(FORGET_NODE_IMAGES).bind(...slice),
      db.prepare(FORGET_NODE_CONTAINERS).bind(...slice),
      db.prepare(FORGET_NODE).bind(cluster, node, taken.epoch),
    ]);
    const [images = 0, containers = 0, nodes = 0] = results.map(({ meta }) => meta.changes);
    if (nodes > 0) return "forgotten";
    if (images + containers === 0) return "taken over";
  }
  return "unfinished";
}
