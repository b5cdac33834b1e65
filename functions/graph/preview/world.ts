import { deletionOf } from "../../objects/deletion.ts";
import type { Kind } from "../../objects/kind.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../objects/kinds/custom-resource.ts";
import type { GroupResource, KubeObject, OwnerReference, Uid } from "../../objects/object.ts";
import type { OwnerFacts } from "../decide/classify.ts";

const NAMESPACES = "namespaces" as GroupResource;

/** One object of the part of the graph that a deletion can reach. */
export interface Node {
  readonly uid: Uid;
  readonly kind: Kind;
  readonly resource: GroupResource;
  readonly resourceVersion: number;
  /** As much of it as the rules read; another one as soon as they have changed it. */
  object: KubeObject;
  gone: boolean;
}

/** An owner outside of it: there, and not touched; or there once, under a kind that is served no more. */
export interface Outsiders {
  readonly there: ReadonlyMap<Uid, OwnerFacts>;
  readonly removed: ReadonlyMap<Uid, { resource: GroupResource; name: string }>;
}

/** Everything that a deletion can reach, as it was read, and then as the rules change it. */
export class World {
  readonly nodes = new Map<Uid, Node>();
  readonly #dependents = new Map<Uid, Node[]>();
  /** Namespaces and definitions by name: what they hold goes with them. */
  readonly #holders = new Map<string, Node>();
  /** How many objects are left in each namespace, and of each resource. */
  readonly #within = new Map<string, Map<GroupResource, number>>();
  outsiders: Outsiders = { there: new Map(), removed: new Map() };

  /** False when it is there already. */
  add(node: Node): boolean {
    if (this.nodes.has(node.uid)) return false;
    this.nodes.set(node.uid, node);
    for (const uid of new Set(referencesOf(node).map((reference) => reference.uid as Uid))) {
      const known = this.#dependents.get(uid);
      if (known) known.push(node);
      else this.#dependents.set(uid, [node]);
    }
    if (node.resource === NAMESPACES || node.resource === CUSTOM_RESOURCE_DEFINITIONS) {
      this.#holders.set(`${node.resource} ${node.object.metadata.name}`, node);
    }
    this.#count(node, 1);
    return true;
  }

  /** Those that still name it. */
  dependentsOf(uid: Uid): Node[] {
    return (this.#dependents.get(uid) ?? []).filter((node) => !node.gone && names(node, uid));
  }

  hasDependents(uid: Uid): boolean {
    return (this.#dependents.get(uid) ?? []).some((node) => !node.gone && names(node, uid));
  }

  /** The Namespace of that name, and the definition of that resource, if they are here. */
  holders(namespace: string, resource: GroupResource): Node[] {
    return [`${NAMESPACES} ${namespace}`, `${CUSTOM_RESOURCE_DEFINITIONS} ${resource}`].flatMap((key) => {
      const holder = this.#holders.get(key);
      return holder ? [holder] : [];
    });
  }

  /** Where the owner is, as a decision sees it. */
  owner(uid: Uid): OwnerFacts | undefined {
    const node = this.nodes.get(uid);
    if (node === undefined) return this.outsiders.there.get(uid);
    if (node.gone) return undefined;
    const { name, namespace = "" } = node.object.metadata;
    return { resource: node.resource, namespace, name, deletion: deletionOf(node.object.metadata) };
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

  #count({ object, resource }: Node, by: 1 | -1): void {
    const { namespace = "" } = object.metadata;
    const counts = this.#within.get(namespace) ?? new Map<GroupResource, number>();
    counts.set(resource, (counts.get(resource) ?? 0) + by);
    this.#within.set(namespace, counts);
  }
}

export const referencesOf = (node: Node): readonly OwnerReference[] =>
  node.object.metadata.ownerReferences ?? [];

const names = (node: Node, owner: Uid): boolean =>
  referencesOf(node).some((reference) => reference.uid === owner);
