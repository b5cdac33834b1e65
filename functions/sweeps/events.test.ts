import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { decideEvent, eventDueAt } from "./events.ts";
import { ago, gist, HOUR, MINUTE, OFF, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("events");
const event = (created: number, fields: object = {}): KubeObject =>
  stored("events", "e", { metadata: { creationTimestamp: ago(created) }, ...fields });

describe("an Event", () => {
  test.each<[string, KubeObject, string]>([
    ["goes after an hour", event(HOUR), "delete:event-ttl"],
    ["stays until then", event(HOUR - 1000), "keep until 1000"],
    [
      "lives on when it repeats",
      event(2 * HOUR, { lastTimestamp: ago(MINUTE) }),
      `keep until ${59 * MINUTE}`,
    ],
    [
      "lives on when it repeats in the newer group",
      event(2 * HOUR, { series: { lastObservedTime: "2026-11-20T16:19:03.000000Z" } }),
      `keep until ${59 * MINUTE}`,
    ],
    [
      "goes when it stopped repeating",
      event(9 * HOUR, { deprecatedLastTimestamp: ago(HOUR), eventTime: null }),
      "delete:event-ttl",
    ],
    [
      "with times that cannot be read counts from its creation",
      event(HOUR, { lastTimestamp: "soon" }),
      "delete:event-ttl",
    ],
  ])("%s", (_, object, decision) => {
    expect(gist(decideEvent(object, settings, T0))).toBe(decision);
  });

  test("goes after the time that is set, never before, and not when the sweep is off", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.nat(9 * HOUR), (ttl, created) => {
        const own = settingsOf("events", { eventTTL: `${ttl}ms` });
        const object = event(created);
        const due = eventDueAt(object, own) ?? Number.NaN;
        expect(decideEvent(object, own, due - 1)).toMatchObject({ act: "keep", next: due });
        expect(decideEvent(object, own, due).act).toBe("delete");
        expect(eventDueAt(object, settingsOf("events", OFF))).toBeNull();
        expect(decideEvent(object, settingsOf("events", OFF), due).act).toBe("keep");
      }),
    );
  });
});
