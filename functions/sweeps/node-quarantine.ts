import type { Millis } from "../objects/object.ts";
import type { SettingsOf } from "./settings.ts";

/** Names of Nodes that Pods are bound to and that were not found, each with the end of its quarantine. */
export type Quarantine = ReadonlyMap<string, Millis>;

export interface QuarantineLook {
  /** Kept until the next look. */
  quarantine: Quarantine;
  /** Gone for the whole time: each is looked for once more before its Pods are deleted. */
  due: string[];
}

/**
 * One look at which Nodes are missing. A name that waits already keeps its time, so that frequent looks do not put it
 * off; one that is due starts again at once, so that a deletion that fails is tried after another quarantine and not
 * earlier. A Node that is back, by name, is forgotten when its time comes.
 *
 * Source: kubernetes `controller/podgc` (gcOrphaned, discoverDeletedNodes), a delaying queue of 40 s.
 *
 * @param bound names of the Nodes that Pods are bound to
 * @param present those of them that exist
 */
export function lookForNodes(
  before: Quarantine,
  bound: Iterable<string>,
  present: ReadonlySet<string>,
  settings: SettingsOf<"pods">,
  now: Millis,
): QuarantineLook {
  const waiting = new Map([...before].filter(([, until]) => until > now));
  for (const name of bound) {
    if (name !== "" && !present.has(name) && !waiting.has(name)) {
      waiting.set(name, now + settings.orphanQuarantine);
    }
  }
  const due = [...before].filter(([name, until]) => until <= now && !present.has(name)).map(([name]) => name);
  return { quarantine: waiting, due };
}
