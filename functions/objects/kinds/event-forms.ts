import type { JsonObject } from "../json.ts";

/**
 * Events are served by two groups from one store, and the newer group gave most fields other names. They are kept
 * in the form of the core group.
 *
 * Source: kubernetes pkg/apis/core/v1 and pkg/apis/events/v1 (conversion of Event).
 */
const CORE_TO_EVENTS: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
  reportingComponent: "reportingController",
};

const EVENTS_TO_CORE = Object.fromEntries(
  Object.entries(CORE_TO_EVENTS).map(([core, events]) => [events, core]),
);

export const isEventsGroup = (apiVersion: string): boolean => apiVersion.startsWith("events.k8s.io/");

export const toEventsForm = (event: JsonObject): JsonObject => renamed(event, CORE_TO_EVENTS);
export const toCoreForm = (event: JsonObject): JsonObject => renamed(event, EVENTS_TO_CORE);

/** The order of the fields stays. */
function renamed(event: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([field, value]) => [
      Object.hasOwn(names, field) ? (names[field] ?? field) : field,
      value,
    ]),
  );
}
