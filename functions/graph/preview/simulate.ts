import { type Deletion, deletionOf } from "../../objects/deletion.ts";
import { type Outcome, ok } from "../../objects/failure.ts";
import { CRD_CLEANUP_FINALIZER, CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import type { GroupResource, KubeObject, Millis, Uid } from "../../objects/object.ts";
import { decideCollect } from "../decide/collect.ts";
import { decideDelete } from "../decide/delete.ts";
import { isFinished } from "../decide/finished.ts";
import { withFinalizers } from "../decide/mark.ts";
import { namespaceProgress } from "../decide/namespace-progress.ts";
import { ownPolicy } from "../decide/own-policy.ts";
import { unblocked, withoutOwners } from "../decide/owners.ts";
import { isCollected } from "../plan.ts";
import { type Blocked, blockedIn, unheld } from "./blocked.ts";
import { deletableContent } from "./content.ts";
import type { Node } from "./node.ts";
import { type PreviewTask, Tasks } from "./tasks.ts";
import type { World } from "./world.ts";

export interface Simulated {
  /** In the order in which they go, with nobody's help. */
  removed: readonly Node[];
  /** Those that wait for somebody outside: for a finalizer to be taken off, or for a node to stop a Pod. */
  blocked: readonly Blocked[];
  /** What goes, in that order, once nothing of that is in the way any more. */
  removedOnceUnblocked: readonly Node[];
  /** Why each went: the one whose going made it go; none for the target. */
  causes: ReadonlyMap<Uid, Uid>;
}

/**
 * Deletes one object of a world, and everything that follows from it, by the rules that the graph object deletes by:
 * `decide/`, and the tasks of the outbox in their order. Nothing but the world changes.
 *
 * Errors: those of a DELETE with these options.
 */
export function simulate(
  world: World,
  target: Node,
  options: DeleteOptions,
  { version, kinds, now }: { version: string; kinds: KindRegistry; now: Millis },
): Outcome<Simulated> {
  const simulation = new Simulation(world, kinds, now);
  const refused = simulation.delete(target, options, version, undefined);
  if (refused) return { ok: false, failure: refused };
  simulation.run();
  return ok(outcomeOf(simulation));
}

/** The same for several at once. One whose deletion is refused stays. */
export function simulateAll(
  world: World,
  deletions: readonly { node: Node; options: DeleteOptions }[],
  { kinds, now }: { kinds: KindRegistry; now: Millis },
): Simulated {
  const simulation = new Simulation(world, kinds, now);
  for (const { node, options } of deletions) simulation.delete(node, options, versionOf(node), undefined);
  simulation.run();
  return outcomeOf(simulation);
}

/** The same for what is going already: how it will end, with nobody's help and with it. */
export function simulateOn(world: World, { kinds, now }: { kinds: KindRegistry; now: Millis }): Simulated {
  const simulation = new Simulation(world, kinds, now);
  simulation.goOn();
  return outcomeOf(simulation);
}

function outcomeOf(simulation: Simulation): Simulated {
  const { causes } = simulation;
  const removed = [...simulation.removed];
  const blocked = simulation.blocked();
  simulation.unblock(blocked);
  return { removed, blocked, removedOnceUnblocked: simulation.removed.slice(removed.length), causes };
}

class Simulation {
  readonly removed: Node[] = [];
  readonly causes = new Map<Uid, Uid>();
  readonly #tasks = new Tasks();
  readonly #world: World;
  readonly #kinds: KindRegistry;
  readonly #now: Millis;

  constructor(world: World, kinds: KindRegistry, now: Millis) {
    this.#world = world;
    this.#kinds = kinds;
    this.#now = now;
  }

  run(): void {
    for (let task = this.#tasks.next(); task; task = this.#tasks.next()) this.#do(task);
  }

  /** Looks at everything that is terminating as if that had just begun. */
  goOn(): void {
    for (const node of this.#world.nodes.values()) {
      const deletion = node.deletion;
      if (deletion === null) continue;
      this.#begins(node, deletion);
    }
    this.run();
  }

  blocked(): Blocked[] {
    return blockedIn(this.#world);
  }

  /** Does what the others are waited for to do, until nobody waits. */
  unblock(first: readonly Blocked[]): void {
    for (let blocked = first; blocked.length > 0; blocked = this.blocked()) {
      const before = this.removed.length;
      for (const { node } of blocked) if (!node.gone) this.#settle(node, unheld(node));
      this.run();
      if (this.removed.length === before) return;
    }
  }

  delete(node: Node, options: DeleteOptions, version: string, cause: Uid | undefined) {
    const decided = decideDelete(node.object, options, { kind: node.kind, version, now: this.#now });
    if (!decided.ok) return decided.failure;
    if (cause !== undefined && !this.causes.has(node.uid)) this.causes.set(node.uid, cause);
    switch (decided.value.outcome) {
      case "pending":
        break;
      case "keep":
        if (decided.value.changed) this.#update(node, decided.value.next);
        break;
      case "remove":
        this.#remove(node);
        break;
    }
    return undefined;
  }

  #do({ uid, ...task }: PreviewTask): void {
    const node = this.#world.nodes.get(uid);
    switch (task.task) {
      case "dependents":
        for (const dependent of this.#world.dependentsOf(uid)) {
          if (!task.blocking || blocks(dependent, uid)) this.#examine(dependent);
        }
        return;
      case "examine":
        if (node) this.#examine(node);
        return;
      case "release":
        if (node && !node.gone && node.deletion === "orphan") this.#release(uid);
        return;
      case "content":
        if (node && !node.gone) this.#deleteContent(node);
        return;
      case "owner":
        if (node && !node.gone) this.#reviewOwner(node);
        return;
      case "finalize":
        if (node && !node.gone) this.#finalize(node);
        return;
    }
  }

  #examine(node: Node): void {
    if (node.gone || !isCollected(node.kind)) return;
    const world = this.#world;
    const decision = decideCollect(
      {
        uid: node.uid,
        namespace: node.namespace,
        deletion: node.deletion,
        references: node.owners.map((reference) => ({
          reference,
          owner: world.owner(reference.uid as Uid),
          removed: this.#removedWithItsKind(reference.uid as Uid),
        })),
        hasDependents: world.hasDependents(node.uid),
      },
      this.#kinds,
    );
    switch (decision.act) {
      case "keep":
        return;
      case "release":
        this.#update(node, withoutOwners(node.object, decision.owners));
        return;
      case "delete": {
        const { policy, cause } = decision;
        // A cycle of owners that wait for each other is broken where it closes.
        if (policy === "Foreground" && world.dependentsOf(node.uid).some(isInForeground)) {
          this.#update(node, unblocked(node.object));
        }
        const propagationPolicy = policy === "own" ? ownPolicy(node.object) : policy;
        this.delete(node, { propagationPolicy, uid: node.uid, dryRun: false }, versionOf(node), cause);
        return;
      }
    }
  }

  #removedWithItsKind(uid: Uid): { resource: GroupResource; name: string } | undefined {
    const node = this.#world.nodes.get(uid);
    if (node?.gone) return { resource: node.resource, name: node.name };
    return this.#world.outsiders.removed.get(uid);
  }

  #release(owner: Uid): void {
    for (const dependent of this.#world.dependentsOf(owner)) {
      this.#update(dependent, withoutOwners(dependent.object, [owner]));
    }
    this.#tasks.push({ task: "owner", uid: owner });
  }

  #reviewOwner(node: Node): void {
    const dependents = this.#world.dependentsOf(node.uid);
    switch (node.deletion) {
      case "foreground":
        if (dependents.some((dependent) => blocks(dependent, node.uid))) {
          if (dependents.some((dependent) => dependent.deletion === null)) {
            this.#tasks.push({ task: "dependents", uid: node.uid, blocking: true });
          }
        } else this.#dropFinalizer(node, FINALIZER_FOREGROUND);
        return;
      case "orphan":
        if (dependents.length === 0) this.#dropFinalizer(node, FINALIZER_ORPHAN);
        else this.#tasks.push({ task: "release", uid: node.uid });
        return;
      case "terminating":
      case null:
        return;
    }
  }

  #dropFinalizer(node: Node, finalizer: string): void {
    const kept = (node.object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    this.#settle(node, withFinalizers(node.object, kept));
  }

  /** Writes the next state of a terminating object, or removes it when nothing holds it. */
  #settle(node: Node, next: KubeObject): void {
    if (isFinished(next, node.object, node.kind)) this.#remove(node);
    else this.#update(node, next);
  }

  #deleteContent(holder: Node): void {
    for (const node of deletableContent(this.#world, holder, this.#kinds)) {
      const options: DeleteOptions = { propagationPolicy: "Background", uid: node.uid, dryRun: false };
      this.delete(node, options, versionOf(node), holder.uid);
    }
    this.#tasks.push({ task: "finalize", uid: holder.uid });
  }

  #finalize(node: Node): void {
    const { name } = node;
    if (node.deletion === null) return;
    if (node.kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS) {
      if (this.#world.left(name as GroupResource)) this.#lookAgain(node);
      else this.#dropFinalizer(node, CRD_CLEANUP_FINALIZER);
      return;
    }
    const resources = this.#world.remaining(name);
    const next = namespaceProgress(node.object, { resources, finalizers: [] }, this.#now);
    if (resources.length > 0) this.#lookAgain(node);
    else if (next !== undefined) this.#settle(node, next);
  }

  /** Sends for what is left of a holder's content, if a DELETE would still do something to it. */
  #lookAgain(holder: Node): void {
    if (deletableContent(this.#world, holder, this.#kinds).length === 0) return;
    this.#tasks.push({ task: "content", uid: holder.uid });
  }

  #update(node: Node, next: KubeObject): void {
    const before = node.deletion;
    const ownersBefore = node.owners;
    node.object = next;
    const deletion = deletionOf(next.metadata);
    for (const { uid, blockOwnerDeletion } of ownersBefore) {
      if (blockOwnerDeletion && !blocks(node, uid)) this.#ownerIsDue(uid as Uid);
    }
    if (deletion === null || deletion === before) return;
    this.#begins(node, deletion, before);
  }

  /** What follows from a deletion that begins, or waits for something else than before. */
  #begins(node: Node, deletion: Deletion, before: Deletion | null = null): void {
    const { uid } = node;
    if (before === null && node.kind.traits.deletion === "namespace")
      this.#tasks.push({ task: "content", uid });
    if (before === null && isDefinition(node)) this.#tasks.push({ task: "finalize", uid });
    if (deletion === "foreground") this.#tasks.push({ task: "dependents", uid, blocking: false });
    if (deletion === "orphan") this.#tasks.push({ task: "release", uid });
    if (deletion !== "terminating") this.#tasks.push({ task: "owner", uid });
  }

  #remove(node: Node): void {
    this.#world.remove(node);
    this.removed.push(node);
    if (this.#world.isNamed(node.uid)) {
      this.#tasks.push({ task: "dependents", uid: node.uid, blocking: false });
    }
    for (const { uid } of node.owners) this.#ownerIsDue(uid as Uid);
    for (const holder of this.#holdersOf(node)) this.#tasks.push({ task: "finalize", uid: holder.uid });
  }

  #ownerIsDue(uid: Uid): void {
    const owner = this.#world.nodes.get(uid);
    if (owner && !owner.gone && isInForeground(owner)) this.#tasks.push({ task: "owner", uid });
  }

  /** The terminating Namespace it was in, and the terminating definition of its kind. */
  #holdersOf(node: Node): Node[] {
    return this.#world
      .holders(node.namespace, node.resource)
      .filter((holder) => !holder.gone && holder.deletion !== null);
  }
}

const isInForeground = (node: Node): boolean => node.deletion === "foreground";

const isDefinition = (node: Node): boolean => node.kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS;

const blocks = (node: Node, owner: string): boolean =>
  node.owners.some((reference) => reference.uid === owner && reference.blockOwnerDeletion === true);

const versionOf = (node: Node): string => node.kind.versions[0] ?? "v1";
