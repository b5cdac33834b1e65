import { classify, type ModelObject, type ModelReference, type ModelState, waits } from "./collector.ts";

/** One change as the store keeps it, in order. */
export interface ModelChange {
  type: "ADDED" | "MODIFIED" | "DELETED";
  /** Changes of one batch have the same time, and were decided from the state that it found. */
  at: number;
  object: ModelObject;
  /** Why the object is going, by its record; undefined when it has none. */
  rule: string | undefined;
  /** Whether a client asked for it. */
  asked: boolean;
}

/** Why an object goes, as the store keeps it. */
export interface ModelRecord {
  uid: string;
  rule: string;
  /** The uid whose going caused it; null when a request did. */
  cause: string | null;
  removed: number;
}

const named = ({ kind, namespace, name }: ModelObject) => `${kind} ${namespace}/${name}`;

/** What should not be so when all work is done. */
export function unsettled(state: ModelState): string[] {
  const faults: string[] = [];
  for (const object of state.values()) {
    const fault = object.deleting ? heldByNothing(object, state) : leftBehind(object, state);
    if (fault !== undefined) faults.push(`${named(object)}: ${fault}`);
  }
  return faults;
}

function heldByNothing(object: ModelObject, state: ModelState): string | undefined {
  if (object.finalizers.length === 0) return "goes, and nothing holds it";
  if (object.finalizers.includes("orphan")) return "still has to release its dependents";
  const blocks = [...state.values()].some((other) =>
    other.owners.some((owner) => owner.uid === object.uid && owner.blocking),
  );
  return waits(object) && !blocks ? "waits for nobody" : undefined;
}

function leftBehind(object: ModelObject, state: ModelState): string | undefined {
  const classes = object.owners.map((owner) => classify(owner, object, state));
  if (classes.includes("unresolvable") || !classes.includes("dangling")) return undefined;
  return classes.includes("solid") ? "names an owner that is gone" : "has lost all its owners";
}

/** Deletions and lost references that no rule explains. */
export function unjustified(changes: readonly ModelChange[]): string[] {
  const faults: string[] = [];
  const state = new Map<string, ModelObject>();
  for (const batch of Map.groupBy(changes, ({ at }) => at).values()) {
    for (const change of batch) {
      const before = state.get(change.object.uid);
      const fault = before && faultOf(change, before, state);
      if (fault !== undefined) faults.push(`${named(change.object)}: ${fault}`);
    }
    for (const { type, object } of batch) {
      if (type === "DELETED") state.delete(object.uid);
      else state.set(object.uid, object);
    }
  }
  return faults;
}

function faultOf(change: ModelChange, before: ModelObject, state: ModelState): string | undefined {
  const { type, object, rule, asked } = change;
  const begins = !before.deleting && (type === "DELETED" || object.deleting);
  if ((type === "DELETED" || object.deleting) && rule === undefined) return "goes without a record";
  if (begins && rule !== "request") return whyNotDeleted(before, state);
  if (type === "DELETED") return before.deleting || asked || rule === "request" ? undefined : "goes unasked";
  if (asked) return undefined;
  const lost = before.owners.filter(({ uid }) => !object.owners.some((owner) => owner.uid === uid));
  return lost.map((owner) => whyNotReleased(owner, before, state)).find((fault) => fault !== undefined);
}

/** The collector deletes only what has no owner that lives, and none that cannot be resolved. */
function whyNotDeleted(object: ModelObject, state: ModelState): string | undefined {
  const classes = object.owners.map((owner) => classify(owner, object, state));
  if (classes.length === 0) return "is collected though it names no owner";
  return classes.includes("solid") || classes.includes("unresolvable")
    ? `is collected though its owners are ${classes.join(", ")}`
    : undefined;
}

/** A reference goes when the owner releases it, or when another owner lives and this one does not. */
function whyNotReleased(
  reference: ModelReference,
  object: ModelObject,
  state: ModelState,
): string | undefined {
  const owner = state.get(reference.uid);
  if (owner?.deleting && owner.finalizers.includes("orphan")) return undefined;
  const others = object.owners.map((other) => classify(other, object, state));
  const same = object.owners.filter(({ uid }) => uid === reference.uid);
  const gone = same.some((claim) => ["dangling", "waiting"].includes(classify(claim, object, state)));
  return gone && others.includes("solid") ? undefined : `loses its reference to ${reference.name}`;
}

/**
 * Objects that went and whose chain of causes does not lead to a request: one to delete its head, or the one that named an
 * owner that was not there.
 */
export function uncaused(changes: readonly ModelChange[], records: readonly ModelRecord[]): string[] {
  const faults: string[] = [];
  const known = new Map(records.map((record) => [record.uid, record]));
  const claimed = new Set(changes.flatMap(({ object }) => object.owners.map(({ uid }) => uid)));
  for (const { object } of changes.filter(({ type }) => type === "DELETED")) {
    const record = known.get(object.uid);
    if (!record?.removed) {
      faults.push(`${named(object)}: is gone, and its record does not say so`);
      continue;
    }
    let head = record;
    for (let length = 0; head.cause !== null; length++) {
      const cause = known.get(head.cause);
      if (cause === undefined) break;
      if (length > records.length) {
        faults.push(`${named(object)}: its causes go round in a circle`);
        break;
      }
      head = cause;
    }
    if (head.cause === null ? head.rule !== "request" : !claimed.has(head.cause)) {
      faults.push(`${named(object)}: its causes end at ${head.rule} ${head.cause}`);
    }
  }
  return faults;
}

/** What the index of owner references should hold, as `owner ← dependent!`. */
export const indexOf = (state: ModelState): string[] =>
  [...state.values()]
    .flatMap(({ uid, owners }) => owners.map((owner) => `${owner.uid} ← ${uid}${owner.blocking ? "!" : ""}`))
    .sort();
