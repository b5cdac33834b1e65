import { protectionOf, titleOf } from "../../guard/decide-guard.ts";
import type { Uid } from "../../objects/object.ts";
import { guardedAmong } from "../preview/guarded-nodes.ts";
import type { Node } from "../preview/node.ts";
import { readWorldOf } from "../preview/read-world.ts";
import { simulateAll } from "../preview/simulate.ts";
import type { SweepView, Verdict } from "./view.ts";

/** What goes with objects that sweeps would delete, by the uid of the object that it goes with. */
export interface Followers {
  counts: ReadonlyMap<Uid, number>;
  /** Why an object must not go: something that would go with it is protected, or it is more than can be looked at. */
  protections: ReadonlyMap<Uid, string>;
}

/** Foretells what the collector would do after these deletions, by the rules it would do it by. */
export async function followersOf(going: readonly Verdict[], view: SweepView): Promise<Followers> {
  const { kinds, now, store } = view;
  const { db, cluster } = store;
  const counts = new Map<Uid, number>();
  const protections = new Map<Uid, string>();
  const uids = [...new Set(going.map(({ swept }) => swept.stored.uid))];
  const reading = await readWorldOf(db, cluster, uids, kinds);
  if (reading.found === "too-much") {
    for (const uid of uids) protections.set(uid, "what would go with it is more than can be looked at");
    return { counts, protections };
  }
  const { world, targets } = reading;
  if (world.nodes.size === targets.length) return { counts, protections };
  const options = new Map(going.map(({ swept, decision }) => [swept.stored.uid, optionsOf(decision)]));
  const deletions = targets.map((node) => ({ node, options: options.get(node.uid) ?? { dryRun: false } }));
  const { removed, removedOnceUnblocked, causes } = simulateAll(world, deletions, { kinds, now });
  const named = new Set<Uid>(uids);
  const rootOf = (node: Node): Uid | undefined => {
    let uid: Uid | undefined = node.uid;
    for (let steps = 0; uid !== undefined && !named.has(uid) && steps <= world.nodes.size; steps++) {
      uid = causes.get(uid);
    }
    return uid;
  };
  const followers = [...removed, ...removedOnceUnblocked].filter(({ uid }) => !named.has(uid));
  for (const node of followers) {
    const root = rootOf(node);
    if (root !== undefined) counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  for (const { node, object } of await guardedAmong(followers, kinds.guards, db, cluster)) {
    const root = rootOf(node);
    const why = protectionOf(kinds.guards, object, now, `${titleOf(object)}, which would go with it,`);
    if (root !== undefined && why !== undefined) protections.set(root, why);
  }
  return { counts, protections };
}

const optionsOf = (decision: Verdict["decision"]) =>
  "deletion" in decision ? decision.deletion.options : { dryRun: false };
