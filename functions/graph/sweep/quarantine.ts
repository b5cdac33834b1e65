import type { WorkItemRow } from "../../../db/reads.ts";
import { READ_NAMESPACES_OF_NODE } from "../../../db/sweeps.ts";
import { lookForNodes } from "../../sweeps/node-quarantine.ts";
import { commitSlice, type Slice } from "../drain/commit-slice.ts";
import { currentKinds } from "../drain/current-kinds.ts";
import type { SliceContext } from "../slice.ts";
import { TASKS } from "../tasks.ts";
import { readNamed } from "./looks/leases.ts";
import type { Part } from "./part.ts";

/** As many Nodes are looked for in one slice. */
const NODES = 50;

/**
 * The quarantine of Nodes is over: each is looked for once more, and where it is still missing the Pods that are bound to
 * it are looked at, in their namespaces. A Node that is back, by name, saves them.
 *
 * Source: kubernetes `controller/podgc` (gcOrphaned, discoverDeletedNodes).
 */
export async function endQuarantine(all: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const items = all.slice(0, NODES);
  const kinds = await currentKinds(context);
  const commit = await store.begin();
  commit.done.push(...items.map(({ id }) => id));
  const present = new Set(
    (
      await readNamed(
        "nodes",
        "",
        items.map(({ uid }) => uid),
        store,
      )
    ).map(({ name }) => name),
  );
  const { pods } = kinds.settings.sweeps;
  const over = new Map(items.map(({ uid }) => [uid, commit.now]));
  for (const node of pods.enabled ? lookForNodes(over, [], present, pods, commit.now).due : []) {
    const { results } = await store.db
      .prepare(READ_NAMESPACES_OF_NODE)
      .bind(store.cluster, node)
      .all<{ namespace: string }>();
    const part: Part = { sweep: "pods", node };
    for (const { namespace } of results) commit.work.push(TASKS.sweep(namespace, `node ${node}`, part));
  }
  return commitSlice(store, commit);
}
