import { isJsonObject } from "../../objects/json.ts";
import { CRD_CLEANUP_FINALIZER } from "../../objects/kinds/custom-resource.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "../../objects/metadata/finalizers.ts";
import type { KubeObject } from "../../objects/object.ts";
import { specFinalizers } from "../decide/delete-namespace.ts";
import { withFinalizers, withMetadata } from "../decide/mark.ts";
import { FINALIZER_KUBERNETES } from "../decide/namespace-progress.ts";
import type { Node } from "./node.ts";
import type { World } from "./world.ts";

/** What a terminating object waits for, beyond its dependents. */
export interface Blocked {
  node: Node;
  finalizers: readonly string[];
  /** Of a Pod that runs on a node. */
  gracePeriodSeconds: number | undefined;
}

/** Those that are taken off by what is simulated here. */
const OWN_FINALIZERS: ReadonlySet<string> = new Set([
  FINALIZER_FOREGROUND,
  FINALIZER_ORPHAN,
  CRD_CLEANUP_FINALIZER,
  FINALIZER_KUBERNETES,
]);

/** What waits in a world for somebody outside of it. */
export function blockedIn(world: World): Blocked[] {
  const found: Blocked[] = [];
  for (const node of world.nodes.values()) {
    if (node.gone || node.deletion === null) continue;
    const finalizers = [
      ...(node.object.metadata.finalizers ?? []),
      ...(node.kind.traits.deletion === "namespace" ? specFinalizers(node.object).map(String) : []),
    ].filter((name) => !OWN_FINALIZERS.has(name));
    const grace = node.object.metadata.deletionGracePeriodSeconds ?? 0;
    if (finalizers.length === 0 && grace <= 0) continue;
    found.push({ node, finalizers, gracePeriodSeconds: grace > 0 ? grace : undefined });
  }
  return found;
}

/** Without what others hold it by; what the collector holds it by stays. */
export function unheld(node: Node): KubeObject {
  const { metadata, spec } = node.object;
  const kept = (metadata.finalizers ?? []).filter((name) => OWN_FINALIZERS.has(name));
  const held = isJsonObject(spec) && Array.isArray(spec.finalizers) ? spec.finalizers : undefined;
  const next = withMetadata(withFinalizers(node.object, kept), { deletionGracePeriodSeconds: 0 });
  // The stored state is what decides whether the grace period has ended.
  node.object = withMetadata(node.object, { deletionGracePeriodSeconds: 0 });
  if (held === undefined || !isJsonObject(spec)) return next;
  return { ...next, spec: { ...spec, finalizers: held.filter((name) => OWN_FINALIZERS.has(String(name))) } };
}
