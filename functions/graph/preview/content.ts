import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { GroupResource } from "../../objects/object.ts";
import { contentOrder } from "../drain/content.ts";
import type { Node } from "./node.ts";
import type { World } from "./world.ts";

const PODS = "pods" as GroupResource;

/**
 * What a terminating Namespace, or a terminating CustomResourceDefinition, deletes next of what it holds, in order: nothing but
 * Pods while a Namespace has any. Not what a DELETE would do nothing to.
 */
export function deletableContent(world: World, holder: Node, kinds: KindRegistry): Node[] {
  const { name } = holder;
  const isNamespace = holder.kind.traits.deletion === "namespace";
  const podsFirst = isNamespace && world.remaining(name).some(({ resource }) => resource === PODS);
  const isHeld = (node: Node) =>
    isNamespace ? node.namespace === name && (!podsFirst || node.resource === PODS) : node.resource === name;
  const order = new Map(contentOrder(kinds).map((resource, i) => [resource, i]));
  const place = (node: Node) => order.get(node.resource) ?? order.size;
  return [...world.nodes.values()]
    .filter((node) => !node.gone && isHeld(node) && isDeletable(node))
    .sort((a, b) => place(a) - place(b));
}

/** Whether a DELETE in the background would do anything to it. */
function isDeletable(node: Node): boolean {
  const { deletion } = node;
  if (deletion === null) return true;
  return deletion !== "terminating" && (node.object.metadata.deletionGracePeriodSeconds ?? 0) <= 0;
}
