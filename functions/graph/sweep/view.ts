import type { GroupResource, KubeObject, Millis, Uid } from "../../objects/object.ts";
import type { Decision, SweepName } from "../../sweeps/decision.ts";
import type { SweepSettings } from "../../sweeps/settings.ts";
import { storedKind } from "../drain/stored-kind.ts";
import type { GraphStore } from "../graph-store.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import { storedObject } from "../stored-object.ts";
import type { Asks } from "./asks.ts";
import type { SweptObject } from "./swept-objects.ts";

/** What sweeps look at objects with. */
export interface SweepView {
  store: GraphStore;
  kinds: ClusterKinds;
  /** Those of the cluster; in a dry run everything is only reported. */
  settings: SweepSettings;
  now: Millis;
  asks: Asks;
  /** Terminated Pods that were counted to be beyond a threshold. */
  surplus: ReadonlySet<Uid>;
  /** Names of Nodes whose quarantine is over. */
  quarantined: ReadonlySet<string>;
}

/** What one sweep decides about one object. */
export interface Verdict {
  sweep: SweepName;
  swept: SweptObject;
  decision: Decision;
}

/** After a fault, so long until the next look. */
export const LOOK_AFTER_FAULT = 10 * 60_000;

/** A verdict, also about an object that makes the rule fail: that one is skipped, and the others are not held up. */
export function verdict(
  sweep: SweepName,
  swept: SweptObject,
  { now }: SweepView,
  decide: () => Decision,
): Verdict {
  try {
    return { sweep, swept, decision: decide() };
  } catch (fault) {
    const problem = `cannot be judged: ${fault instanceof Error ? fault.message : String(fault)}`;
    return { sweep, swept, decision: { act: "skip", problem, next: now + LOOK_AFTER_FAULT } };
  }
}

/** A row with its body as an object. */
export function objectOfRow(
  row: { resource: string; uid: string; resource_version: number; deletion: string | null; body: string },
  kinds: ClusterKinds,
): KubeObject {
  const kind = storedKind(row.resource as GroupResource, kinds);
  const whole = { ...row, namespace: "", name: "", plain: 0 };
  return storedObject(whole, kind, kind.versions[0] ?? "v1").object;
}
