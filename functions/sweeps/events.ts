import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep, remove, skip } from "./decision.ts";
import { createdAt, fieldsOf, isTerminating, momentOf } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

/**
 * When it was last seen, in the names of both API groups. Upstream counts from the last write, which an Event's own times
 * follow; so an Event that repeats lives on.
 */
function lastSeen(event: KubeObject): Millis | null {
  const times = [
    createdAt(event),
    momentOf(event.eventTime),
    momentOf(event.firstTimestamp),
    momentOf(event.lastTimestamp),
    momentOf(event.deprecatedFirstTimestamp),
    momentOf(event.deprecatedLastTimestamp),
    momentOf(fieldsOf(event.series).lastObservedTime),
  ].filter((time) => time !== null);
  return times.length > 0 ? Math.max(...times) : null;
}

export function eventDueAt(event: KubeObject, settings: SettingsOf<"events">): Millis | null {
  const seen = lastSeen(event);
  return !settings.enabled || isTerminating(event) || seen === null ? null : seen + settings.eventTTL;
}

/** Source: kube-apiserver's `--event-ttl`: a lease in etcd, renewed by each write of the Event. */
export function decideEvent(event: KubeObject, settings: SettingsOf<"events">, now: Millis): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (isTerminating(event)) return keep("is being deleted");
  const seen = lastSeen(event);
  if (seen === null) return skip("none of its times can be read");
  const expiry = seen + settings.eventTTL;
  return now < expiry
    ? keep("was seen lately", expiry)
    : remove(event, "event-ttl", "was not seen for the time Events are kept");
}
