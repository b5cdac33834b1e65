import { describe, expect, test } from "vitest";
import { age, cells } from "./cells.fixture.ts";

describe("events", () => {
  test.each<[what: string, fields: object, cells: unknown[]]>([
    [
      "that repeats",
      {
        firstTimestamp: "2026-11-20T15:00:00Z",
        lastTimestamp: "2026-11-20T15:59:00Z",
        count: 7,
        type: "Warning",
        reason: "BackOff",
        involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.containers{web}" },
        source: { component: "kubelet", host: "n1" },
        message: " Back-off restarting \n",
      },
      [
        "60s",
        "Warning",
        "BackOff",
        "pod/p",
        "spec.containers{web}",
        "kubelet, n1",
        "Back-off restarting",
        age,
        7,
        "x",
      ],
    ],
    [
      "of the newer group, once",
      {
        eventTime: "2026-11-20T15:58:00.000000Z",
        type: "Normal",
        reason: "Swept",
        regarding: { kind: "Node" },
        reportingController: "gc",
        note: "Swept",
      },
      ["2m", "Normal", "Swept", "node", "", "gc", "Swept", "2m", 1, "x"],
    ],
    [
      "of the newer group, in a series",
      {
        eventTime: "2026-11-20T15:00:00.000000Z",
        series: { count: 4, lastObservedTime: "2026-11-20T15:59:30.000000Z" },
        regarding: { kind: "Node", name: "n1" },
      },
      ["30s", "", "", "node/n1", "", "", "", age, 4, "x"],
    ],
    ["without times", {}, ["<unknown>", "", "", "", "", "", "", "<unknown>", 1, "x"]],
  ])("%s", (_, fields, expected) => {
    expect(cells("/v1/events", fields)).toEqual(expected);
    expect(cells("events.k8s.io/v1/events", fields)).toEqual(expected);
  });
});
