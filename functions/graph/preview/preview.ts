import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import type { Millis, Uid } from "../../objects/object.ts";
import type { Blocked } from "./blocked.ts";
import type { Node } from "./node.ts";
import { MOST_PREVIEWED, readWorld, type Target } from "./read-world.ts";
import { type Simulated, simulate } from "./simulate.ts";
import type { World } from "./world.ts";

/** What a DELETE would do. Every object that it reaches is in one of the lists, or is not touched. */
export interface Preview {
  target: Node;
  /** In the order in which they go. */
  deletes: readonly Node[];
  /** Terminating, and held by somebody outside. */
  blockers: readonly Blocked[];
  /** What goes when the blockers let go, in that order. */
  deletesOnceUnblocked: readonly Node[];
  /** Lose their last owner, and live on. */
  orphans: readonly Node[];
  /** Lose an owner, and live on through another one, or because nobody can tell. */
  keeps: readonly Node[];
  causes: ReadonlyMap<Uid, Uid>;
  /** The same for the same objects with the same fate; hexadecimal SHA-256. */
  hash: string;
}

/** What is to be deleted, as a request would name it. */
export interface PreviewedDelete {
  kind: Kind;
  version: string;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
  options: DeleteOptions;
}

/**
 * Foretells a DELETE by the rules that would carry it out, on what is stored now. Nothing is written. Errors: NotFound;
 * Conflict, as the DELETE would have it; RequestEntityTooLarge when it reaches more than can be looked at.
 */
export async function previewDelete(
  db: D1Database,
  cluster: number,
  { kind, version, namespace, name, options }: PreviewedDelete,
  { kinds, now }: { kinds: KindRegistry; now: Millis },
): Promise<Outcome<Preview>> {
  const place: Target = { resource: kind.storedAs, namespace, name };
  const reading = await readWorld(db, cluster, place, kinds);
  switch (reading.found) {
    case "nothing":
      return refuse({ reason: "NotFound", resource: resourceOf(kind), name });
    case "too-much":
      return refuse({
        reason: "RequestEntityTooLarge",
        message: `the deletion of ${kind.kind} ${JSON.stringify(name)} reaches more than ${MOST_PREVIEWED} objects, or deeper, than a preview shows`,
      });
    case "world": {
      const { world, target } = reading;
      const simulated = simulate(world, target, options, { version, kinds, now });
      return simulated.ok ? ok(await previewOf(world, target, simulated.value)) : simulated;
    }
  }
}

async function previewOf(
  world: World,
  target: Node,
  { removed, blocked, removedOnceUnblocked, causes }: Simulated,
): Promise<Preview> {
  const orphans: Node[] = [];
  const keeps: Node[] = [];
  for (const node of world.nodes.values()) {
    if (node.gone || node.deletion !== null) continue;
    const left = node.owners;
    const lost = node.namedOwners > left.length;
    const loses = left.some(({ uid }) => world.nodes.get(uid as Uid)?.gone === true);
    if (lost && left.length === 0) orphans.push(node);
    else if (lost || loses) keeps.push(node);
  }
  const fates = [
    ...removed.map((node) => `delete ${node.uid}`),
    ...removedOnceUnblocked.map((node) => `later ${node.uid}`),
    ...blocked.map(({ node, finalizers }) => `block ${node.uid} ${[...finalizers].sort().join(" ")}`),
    ...orphans.map((node) => `orphan ${node.uid}`),
    ...keeps.map((node) => `keep ${node.uid}`),
  ];
  return {
    target,
    deletes: removed,
    blockers: blocked,
    deletesOnceUnblocked: removedOnceUnblocked,
    orphans,
    keeps,
    causes,
    hash: await hashOf(fates),
  };
}

async function hashOf(lines: readonly string[]): Promise<string> {
  const text = [...lines].sort().join("\n");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
