import type { Kind } from "../objects/kind.ts";
import type { KubeObject, Millis } from "../objects/object.ts";
import type { SweepRule } from "../sweeps/decision.ts";
import type { StoredObject } from "./stored-object.ts";

/** What was decided about one object. How it is stored, and what follows from it, is worked out in `plan.ts`. */
export type Write =
  | { op: "create"; kind: Kind; object: KubeObject }
  /** `sweepAt`: where a sweep that wrote it said when to look again; else it follows from the object. */
  | { op: "update"; kind: Kind; stored: StoredObject; next: KubeObject; sweepAt?: Millis | null }
  /** `first` is a state to be written, and seen by watchers, before the removal. */
  | { op: "remove"; kind: Kind; stored: StoredObject; first: KubeObject | undefined };

/** The object whose body a write stores; undefined for a removal that stores nothing first. */
export function writtenObject(write: Write): KubeObject | undefined {
  switch (write.op) {
    case "create":
      return write.object;
    case "update":
      return write.next;
    case "remove":
      return write.first;
  }
}

/** Who or what made a deletion happen: the record of every loss. */
export interface CauseOfDeletion {
  rule: "request" | "namespace" | "kind-removed" | SweepRule;
  actor: string;
  policy: "Background" | "Foreground" | "Orphan";
  /** The uid whose deletion caused it; null when a request did. */
  cause: string | null;
}
