import type { KubeObject, Millis } from "../../../objects/object.ts";
import { type Column, column, nameColumn, wideColumn } from "../column.ts";
import { timeSince } from "../human-duration.ts";
import { countAt, hasAt, textAt } from "../reading.ts";

/** An Event is kept in the words of the API group it was written in: `involvedObject` there is `regarding` here. */
const involved = (event: KubeObject, field: string): string =>
  textAt(event, "involvedObject", field) || textAt(event, "regarding", field);

/** The first of these texts that holds something. */
const first = (event: KubeObject, ...paths: readonly (readonly string[])[]): string => {
  for (const path of paths) {
    const text = textAt(event, ...path);
    if (text !== "") return text;
  }
  return "";
};

const firstTime = (event: KubeObject): string =>
  first(event, ["firstTimestamp"], ["deprecatedFirstTimestamp"], ["eventTime"]);

const lastTime = (event: KubeObject): string =>
  hasAt(event, "series")
    ? textAt(event, "series", "lastObservedTime")
    : first(event, ["lastTimestamp"], ["deprecatedLastTimestamp"]) || firstTime(event);

const since = (time: (event: KubeObject) => string) => (event: KubeObject, now: Millis) =>
  timeSince(time(event), now);

function target(event: KubeObject): string {
  const kind = involved(event, "kind").toLowerCase();
  const name = involved(event, "name");
  return name === "" ? kind : `${kind}/${name}`;
}

function source(event: KubeObject): string {
  const component = first(
    event,
    ["source", "component"],
    ["deprecatedSource", "component"],
    ["reportingComponent"],
    ["reportingController"],
  );
  const host = first(event, ["source", "host"], ["deprecatedSource", "host"], ["reportingInstance"]);
  return host === "" ? component : `${component}, ${host}`;
}

/** Events without a count are single ones. */
const occurrences = (event: KubeObject): number =>
  hasAt(event, "series")
    ? countAt(event, "series", "count")
    : countAt(event, "count") || countAt(event, "deprecatedCount") || 1;

/** As upstream's `printEvent`; both API groups print alike. */
export const eventColumns: Record<string, readonly Column[]> = {
  events: [
    column("Last Seen", "Time since the event was last seen.", since(lastTime)),
    column("Type", "Normal or Warning.", (event) => textAt(event, "type")),
    column("Reason", "Why the event was sent, in one word.", (event) => textAt(event, "reason")),
    column("Object", "The object that the event is about.", target),
    wideColumn("Subobject", "The part of the object.", (event) => involved(event, "fieldPath")),
    wideColumn("Source", "Who reports the event.", source),
    column("Message", "What happened.", (event) => first(event, ["message"], ["note"]).trim()),
    wideColumn("First Seen", "Time since the event was first seen.", since(firstTime)),
    wideColumn("Count", "How often the event was seen.", occurrences),
    { ...nameColumn, priority: 1 },
  ],
};
