import type { MessageTable } from "../message-table.ts";

/** The messages of `events.k8s.io`, as Kubernetes 1.33.1 has them. */
export const eventsMessages: MessageTable = {
  "events.k8s.io/v1": {
    Event: {
      1: "metadata meta.k8s.io/v1.ObjectMeta!",
      2: "eventTime MicroTime!",
      3: "series EventSeries!",
      4: "reportingController string",
      5: "reportingInstance string",
      6: "action string",
      7: "reason string",
      8: "regarding v1.ObjectReference",
      9: "related v1.ObjectReference!",
      10: "note string",
      11: "type string",
      12: "deprecatedSource v1.EventSource",
      13: "deprecatedFirstTimestamp Time",
      14: "deprecatedLastTimestamp Time",
      15: "deprecatedCount int32",
    },
    EventSeries: { 1: "count int32!", 2: "lastObservedTime MicroTime!" },
  },
};
