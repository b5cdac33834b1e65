import type { WorkRow } from "../../../db/commit.ts";
import { type Millis, timestamp } from "../../objects/object.ts";
import type { EventNote } from "../../sweeps/decision.ts";
import { TASKS } from "../tasks.ts";

/**
 * The task that writes an Event. One about a cluster-scoped object is in namespace `default`.
 *
 * Source: client-go's event recorder, `<object>.<nanoseconds in hex>`; the clock has milliseconds, so the place among the
 * Events of a batch stands in for the rest.
 *
 * @param place unlike that of any other of the batch
 */
export function eventTask(note: EventNote, place: number, now: Millis, error = ""): WorkRow {
  const { about, type, reason, message, component } = note;
  const namespace = about.namespace ?? "default";
  const time = timestamp(now);
  const nanoseconds = (BigInt(now) * 1_000_000n + BigInt(place % 1_000_000)).toString(16);
  return TASKS.event(namespace, `${about.uid} ${nanoseconds}`, {
    metadata: { name: `${about.name}.${nanoseconds}` },
    involvedObject: { ...about },
    reason,
    message: `${message}${error}`,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: "",
  });
}
