import { apiVersion, type Kind } from "../kind.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from "./finalizers.ts";

export type PolicyOptions = Pick<DeleteOptions, "orphanDependents" | "propagationPolicy">;

/**
 * The finalizers an object has after a DELETE: all that are not the collector's, in order, and then the one of the two
 * that the policy asks for. When that is the same set, the answer is `current` itself, so that a caller sees by
 * identity that nothing changes.
 *
 * `requestVersion` is the API version of the request, `v1beta2` or `apps/v1beta2`: some old versions orphan when
 * nothing is said. A Namespace that is marked for the first time has a rule of its own, which is not this one.
 *
 * Source: kubernetes `registry/generic/registry/store.go` (deletionFinalizersForGarbageCollection).
 */
export function gcFinalizersAfterDelete(
  current: readonly string[],
  options: PolicyOptions,
  kind: Kind,
  requestVersion: string,
): string[] {
  const chosen = gcFinalizer(current, options, kind, requestVersion);
  const next = current.filter((name) => !isGcFinalizer(name));
  if (chosen !== undefined) next.push(chosen);
  return sameSet(current, next) ? (current as string[]) : next;
}

type GcFinalizer = typeof FINALIZER_ORPHAN | typeof FINALIZER_FOREGROUND;

const isGcFinalizer = (name: string): name is GcFinalizer =>
  name === FINALIZER_ORPHAN || name === FINALIZER_FOREGROUND;

/** The first rule that applies: what the request says, what the object says, what the version says. */
function gcFinalizer(
  current: readonly string[],
  { orphanDependents, propagationPolicy }: PolicyOptions,
  { group, traits }: Kind,
  requestVersion: string,
): GcFinalizer | undefined {
  if (traits.deletion === "unsupported") return undefined;
  if (orphanDependents !== undefined) return orphanDependents ? FINALIZER_ORPHAN : undefined;
  switch (propagationPolicy) {
    case "Orphan":
      return FINALIZER_ORPHAN;
    case "Foreground":
      return FINALIZER_FOREGROUND;
    case "Background":
      return undefined;
    case undefined: {
      const present = current.find(isGcFinalizer);
      if (present !== undefined) return present;
      const version = requestVersion.includes("/") ? requestVersion : apiVersion(group, requestVersion);
      return traits.orphansByDefaultIn.includes(version) ? FINALIZER_ORPHAN : undefined;
    }
  }
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const inA = new Set(a);
  const inB = new Set(b);
  return inA.size === inB.size && [...inA].every((name) => inB.has(name));
}
