import { CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { GroupResource, Uid } from "../../objects/object.ts";
import type { OwnerFacts } from "../decide/classify.ts";
import type { Node } from "./node.ts";

const NAMESPACES = "namespaces" as GroupResource;

/** An owner outside of it: there, and not touched; or there once, under a kind that is served no more. */
export interface Outsiders {
  readonly there: ReadonlyMap<Uid, OwnerFacts>;
  readonly removed: ReadonlyMap<Uid, { resource: GroupResource; name: string }>;
}

/** Everything that a deletion can reach, as it was read, and then as the rules change it. */
export class World {
  readonly nodes = new Map<Uid, Node>();
  readonly #dependents = new Map<Uid, Node[]>();
  /** By name: what they hold goes with them. */
  readonly #namespaces = new Map<string, Node>();
  readonly #definitions = new Map<string, Node>();
  /** How many objects are left in each namespace, and of each resource. */
  readonly #within = new Map<string, Map<GroupResource, number>>();
  outsiders: Outsiders = { there: new Map(), removed: new Map() };

  /** False when it is there already. */
  add(node: Node): boolean {
    if (this.nodes.has(node.uid)) return false;
    this.nodes.set(node.uid, node);
    for (const { uid } of node.owners) this.#addDependent(uid as Uid, node);
    if (node.resource === NAMESPACES) this.#namespaces.set(node.name, node);
    if (node.resource === CUSTOM_RESOURCE_DEFINITIONS) this.#definitions.set(node.name, node);
    this.#count(node, 1);
    return true;
  }

  /** Whether anybody ever named it. */
  isNamed(uid: Uid): boolean {
    return this.#dependents.has(uid);
  }

  /** Those that still name it. */
  dependentsOf(uid: Uid): Node[] {
    return (this.#dependents.get(uid) ?? []).filter((node) => !node.gone && node.names(uid));
  }

  hasDependents(uid: Uid): boolean {
    return (this.#dependents.get(uid) ?? []).some((node) => !node.gone && node.names(uid));
  }

  /** The Namespace of that name, and the definition of that resource, if they are here. */
  holders(namespace: string, resource: GroupResource): Node[] {
    const holders = [this.#namespaces.get(namespace), this.#definitions.get(resource)];
    return holders.filter((holder) => holder !== undefined);
  }

  /** Where the owner is, as a decision sees it. */
  owner(uid: Uid): OwnerFacts | undefined {
    const node = this.nodes.get(uid);
    if (node === undefined) return this.outsiders.there.get(uid);
    if (node.gone) return undefined;
    const { resource, namespace, name, deletion } = node;
    return { resource, namespace, name, deletion };
  }

  remove(node: Node): void {
    node.gone = true;
    this.#count(node, -1);
  }

  /** How many are left in a namespace, by resource. */
  remaining(namespace: string): { resource: GroupResource; count: number }[] {
    return [...(this.#within.get(namespace) ?? [])]
      .filter(([, count]) => count > 0)
      .map(([resource, count]) => ({ resource, count }));
  }

  left(resource: GroupResource): boolean {
    return [...this.#within.values()].some((counts) => (counts.get(resource) ?? 0) > 0);
  }

  #addDependent(owner: Uid, node: Node): void {
    const known = this.#dependents.get(owner);
    if (known === undefined) this.#dependents.set(owner, [node]);
    // An owner may be named twice.
    else if (known.at(-1) !== node) known.push(node);
  }

  #count({ namespace, resource }: Node, by: 1 | -1): void {
    let counts = this.#within.get(namespace);
    if (counts === undefined) {
      counts = new Map();
      this.#within.set(namespace, counts);
    }
    counts.set(resource, (counts.get(resource) ?? 0) + by);
  }
}
