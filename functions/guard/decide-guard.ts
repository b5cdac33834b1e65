import type { Kind } from "../objects/kind.ts";
import type { Millis } from "../objects/object.ts";
import { protectionByMarks } from "./marks.ts";
import type { Guard, Limit } from "./settings.ts";

/** Something that would go. */
export interface GuardedObject {
  kind: Kind;
  namespace: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/** A deletion that is about to happen. */
export interface GuardedDeletion {
  target: GuardedObject;
  /** How much goes, the target included. */
  count: number;
  /** Of what goes, everything that some guard could protect; see `mayProtect`. */
  concerned: readonly GuardedObject[];
  /** How many objects the cluster has. */
  total: number;
  /** How many went within the last hour. */
  lastHour: number;
  /** Whether the request carries the hash of a preview that holds. */
  previewed: boolean;
}

/**
 * Why a deletion must not happen, in words, one for each guard and object that minds; empty when it may.
 *
 * Invariant: guards only ever refuse. Every one of them has to agree.
 */
export function guardRefusals(guards: readonly Guard[], deletion: GuardedDeletion, now: Millis): string[] {
  const refusals: string[] = [];
  for (const guard of guards) {
    const refuse = (why: string) => refusals.push(`DeletionGuard ${JSON.stringify(guard.name)}: ${why}`);
    if (guard.freeze) {
      refuse("nothing may be deleted while it freezes the cluster");
      continue;
    }
    const { count, total, lastHour } = deletion;
    const cascade = exceeded(guard.cascade, count, total);
    if (cascade) refuse(`${count} objects would go, and ${cascade} may`);
    const hour = exceeded(guard.hour, lastHour + count, total);
    if (hour) refuse(`${lastHour + count} objects would have gone within an hour, and ${hour} may`);
    const why = needsPreview(guard, deletion);
    if (why && !deletion.previewed) refuse(`the hash of a preview is required for ${why}`);
    for (const object of deletion.concerned) {
      const protection = protectedBy(guard, object);
      if (protection) refuse(`${titleOf(object)} ${protection}`);
    }
  }
  if (guards.length > 0) {
    for (const object of deletion.concerned) {
      const protection = protectionByMarks(object.annotations, now);
      if (protection) refusals.push(`${titleOf(object)} ${protection}`);
    }
  }
  return refusals;
}

/**
 * Why one object must not go in a sweep, whatever the limits say; undefined when it may.
 *
 * @param subject what it is called
 */
export function protectionOf(
  guards: readonly Guard[],
  object: GuardedObject,
  now: Millis,
  subject = "it",
): string | undefined {
  for (const guard of guards) {
    const protection = protectedBy(guard, object);
    if (protection) return `DeletionGuard ${JSON.stringify(guard.name)}: ${subject} ${protection}`;
  }
  const protection = guards.length > 0 ? protectionByMarks(object.annotations, now) : undefined;
  return protection && `${subject} ${protection}`;
}

/** What a sweep is about to do. */
export interface GuardedSweep {
  /** How much it is about to delete. */
  going: number;
  /** How much it has deleted in this run. */
  before: number;
  total: number;
  lastHour: number;
}

/** Which guard stops a sweep, and why; undefined when it may go on. */
export function sweepRefusal(
  guards: readonly Guard[],
  { going, before, total, lastHour }: GuardedSweep,
): { guard: Guard; message: string } | undefined {
  for (const guard of guards) {
    const refusal = (why: string) => ({
      guard,
      message: `DeletionGuard ${JSON.stringify(guard.name)}: ${why}`,
    });
    if (guard.freeze) return refusal("nothing may be deleted while it freezes the cluster");
    const sweep = exceeded(guard.sweep, before + going, total);
    if (sweep) return refusal(`${before + going} objects would go in one run, and ${sweep} may`);
    const hour = exceeded(guard.hour, lastHour + going, total);
    if (hour) return refusal(`${lastHour + going} objects would have gone within an hour, and ${hour} may`);
  }
  return undefined;
}

/** What the limit allows, in words, when so many are more than that. */
function exceeded(limit: Limit | undefined, count: number, total: number): string | undefined {
  if (limit === undefined) return undefined;
  if (limit.count !== undefined && count > limit.count) return String(limit.count);
  if (limit.percent === undefined || count * 100 <= limit.percent * total) return undefined;
  return `${limit.percent} % of ${total}`;
}

function needsPreview({ requirePreview }: Guard, { target, count }: GuardedDeletion): string | undefined {
  const { above, kinds } = requirePreview;
  if (above !== undefined && count > above) return `more than ${above} objects`;
  return kinds.some((name) => isNamed(target.kind, name)) ? `a ${target.kind.kind}` : undefined;
}

function protectedBy({ protect }: Guard, { kind, namespace, name, labels, annotations }: GuardedObject) {
  const label = protect.labels.find((mark) => bears(labels, mark));
  if (label !== undefined) return `bears the label ${label}`;
  const annotation = protect.annotations.find((mark) => bears(annotations, mark));
  if (annotation !== undefined) return `bears the annotation ${annotation}`;
  if (protect.kinds.some((named) => isNamed(kind, named))) return `is a ${kind.kind}`;
  const place = kind.traits.deletion === "namespace" ? name : namespace;
  return protect.namespaces.includes(place) ? `is in the namespace ${place}` : undefined;
}

const bears = (marks: Readonly<Record<string, string>>, mark: string): boolean => {
  const at = mark.indexOf("=");
  if (at < 0) return Object.hasOwn(marks, mark);
  return marks[mark.slice(0, at)] === mark.slice(at + 1);
};

/** By kind, by plural, or by plural and group. */
export const isNamed = ({ kind, resource, group }: Kind, name: string): boolean =>
  name === kind || name === resource || (group !== "" && name === `${resource}.${group}`);

export const titleOf = ({ kind, namespace, name }: GuardedObject): string =>
  `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
