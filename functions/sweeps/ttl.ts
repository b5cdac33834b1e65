import type { GroupResource, KubeObject, Millis } from "../objects/object.ts";
import { type Decision, type EventNote, keep, referenceTo, remove, skip } from "./decision.ts";
import { dueNow, earlier, isTerminating } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";
import {
  hasTtlMarks,
  JANITOR_EXPIRES,
  JANITOR_TTL,
  KYVERNO_TTL,
  type TtlMark,
  TWIN_TTL,
  ttlMarks,
  type UnreadableMark,
} from "./ttl-marks.ts";

type TtlSettings = SettingsOf<"ttl">;

const isUnreadable = (mark: TtlMark | UnreadableMark): mark is UnreadableMark => "fault" in mark;

/** @param resource where the object is stored: `configmaps`, `controllerrevisions.apps` */
export function ttlDueAt(object: KubeObject, resource: GroupResource, settings: TtlSettings): Millis | null {
  if (!hasTtlMarks(object) || !settings.enabled) return null;
  if (isTerminating(object) || isExcluded(object, resource, settings)) return null;
  const marks = ttlMarks(object);
  if (marks.some(isUnreadable)) return dueNow(object);
  return marks.reduce<Millis | null>((due, mark) => earlier(due, isUnreadable(mark) ? null : mark.at), null);
}

/** A Namespace is in itself, as far as this goes. Resources are named with or without their group. */
function isExcluded(
  { kind, metadata }: KubeObject,
  resource: GroupResource,
  { excludeNamespaces, excludeResources }: TtlSettings,
): boolean {
  const namespace = kind === "Namespace" ? metadata.name : (metadata.namespace ?? "");
  const [plural = ""] = resource.split(".");
  return (
    excludeNamespaces.includes(namespace) ||
    excludeResources.includes(resource) ||
    excludeResources.includes(plural)
  );
}

/**
 * Deletes an object of any kind at the earliest moment that one of its marks names, the way the tool would that reads the
 * mark. A mark that cannot be read protects the object, whatever the others say: somebody wanted something of it that is
 * not known.
 *
 * Sources: kube-janitor, k8s-ttl-controller, kyverno's cleanup controller; see `ttl-marks.ts`.
 */
export function decideTtl(
  object: KubeObject,
  resource: GroupResource,
  settings: TtlSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (isTerminating(object)) return keep("is being deleted");
  if (isExcluded(object, resource, settings)) return keep("is excluded");
  const marks = ttlMarks(object);
  const problems = marks.filter(isUnreadable);
  if (problems.length > 0) {
    return skip(
      problems.map(({ key, value, fault }) => `${key}=${JSON.stringify(value)}: ${fault}`).join("; "),
    );
  }
  const timed = marks.flatMap((mark) =>
    isUnreadable(mark) || mark.at === null ? [] : [{ ...mark, at: mark.at }],
  );
  const [first] = timed.sort((a, b) => a.at - b.at);
  if (first === undefined) return keep("no mark ends it");
  if (now < first.at) return keep("its time is not over", first.at);
  const { key, value } = first;
  return remove(object, "ttl", `${key} is ${value}`, {
    options: propagation(object, key),
    events: ttlEvents(object, first),
  });
}

const KYVERNO_POLICY = "cleanup.kyverno.io/propagation-policy";
const POLICIES = ["Background", "Foreground", "Orphan"] as const;

/** kube-janitor deletes dependents first; kyverno is told by an annotation; the others leave it to the kind. */
function propagation({ metadata }: KubeObject, key: string) {
  if (key === JANITOR_TTL || key === JANITOR_EXPIRES) return { propagationPolicy: POLICIES[1] };
  const named = key === KYVERNO_TTL ? metadata.annotations?.[KYVERNO_POLICY] : undefined;
  const policy = POLICIES.find((name) => name === named);
  return policy === undefined ? {} : { propagationPolicy: policy };
}

/** Reasons are those of the tool; kyverno emits none. */
function ttlEvents(object: KubeObject, { key, value }: TtlMark): EventNote[] {
  const { kind, metadata } = object;
  const event = { component: "kubegc", about: referenceTo(object) };
  if (key === KYVERNO_TTL) return [];
  if (key === TWIN_TTL) {
    return [
      {
        ...event,
        when: "done",
        type: "Normal",
        reason: "DeletedExpiredTTL",
        message: `Deleted resource because ${value} or more has elapsed`,
      },
      {
        ...event,
        when: "failed",
        type: "Warning",
        reason: "FailedToDeleteExpiredTTL",
        message: "Unable to delete expired resource:",
      },
    ];
  }
  const isDate = key.endsWith("/expires");
  const what = isDate ? `expired on ${value}` : `with ${value} TTL has outlived it`;
  return [
    {
      ...event,
      when: "before",
      type: "Normal",
      reason: isDate ? "ExpiryTimeReached" : "TimeToLiveExpired",
      message: `${kind} ${metadata.name} ${what} and will be deleted (annotation ${key} is set)`,
    },
  ];
}
