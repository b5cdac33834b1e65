import { deletionOf } from "../../objects/deletion.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import type { KubeObject, Uid } from "../../objects/object.ts";
import { type Decision, keep, remove } from "../../sweeps/decision.ts";
import type { SweepSwitch } from "../../sweeps/settings.ts";
import type { ReferenceFacts } from "../decide/classify.ts";
import { decideCollect } from "../decide/collect.ts";
import { withoutOwners } from "../decide/owners.ts";

export interface OrphanFacts {
  /** One for each owner reference, in order, with where the owner is. */
  references: readonly ReferenceFacts[];
  hasDependents: boolean;
}

/**
 * The collector's decision about one object, for those it was never told of: restored, written to the database by other
 * means, or whose owner went while nobody looked. No moment is stored for it: a resync goes through the whole of
 * `owner_refs` in slices.
 */
export function decideOrphan(
  object: KubeObject,
  facts: OrphanFacts,
  kinds: KindRegistry,
  settings: SweepSwitch,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  const { uid, namespace = "" } = object.metadata;
  const collect = decideCollect(
    { uid: uid as Uid, namespace, deletion: deletionOf(object.metadata), ...facts },
    kinds,
  );
  switch (collect.act) {
    case "keep":
      return keep("it has no owner, an owner that lives, or one that cannot be looked for");
    case "release":
      return {
        act: "patch",
        patch: { next: withoutOwners(object, collect.owners), subresource: undefined },
        reason: "some of its owners are gone",
        next: null,
        events: [],
      };
    case "delete":
      return remove(
        object,
        collect.rule,
        collect.rule === "owner-absent" ? "all its owners are gone" : "its owners wait for it to go",
        {
          options: collect.policy === "own" ? {} : { propagationPolicy: collect.policy },
          cause: collect.cause,
        },
      );
  }
}
