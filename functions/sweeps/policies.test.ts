import { describe, expect, it } from "vitest";
import { clusterSettings } from "./policies.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

const policy = (name: string, spec: unknown) => ({ metadata: { name }, spec });
const HOUR = 3_600_000;

describe("the settings of a cluster", () => {
  it("are the defaults without a policy, and with one that says nothing", () => {
    expect(clusterSettings([])).toEqual(DEFAULT_SETTINGS);
    expect(clusterSettings([policy("a", {})])).toEqual(DEFAULT_SETTINGS);
  });

  it("are put together from all policies, sweep by sweep", () => {
    const { sweeps } = clusterSettings([
      policy("a", { sweeps: { events: { eventTTL: "2h" } } }),
      policy("b", { sweeps: { jobs: { enabled: false } } }),
    ]);
    expect(sweeps.events.eventTTL).toBe(2 * HOUR);
    expect(sweeps.jobs.enabled).toBe(false);
    expect(sweeps.pods).toEqual(DEFAULT_SETTINGS.sweeps.pods);
  });

  it("are those of the first policy by name that mentions a sweep, as a whole", () => {
    const policies = [
      policy("b", { sweeps: { events: { eventTTL: "2h", enabled: false } } }),
      policy("a", { sweeps: { events: { eventTTL: "3h" } } }),
    ];
    for (const order of [policies, [...policies].reverse()]) {
      expect(clusterSettings(order).sweeps.events).toEqual({
        enabled: true,
        reportOnly: false,
        eventTTL: 3 * HOUR,
      });
    }
  });

  it("only report when any policy says so, or cannot be read", () => {
    const quiet = policy("z", { reportOnly: true });
    const broken = policy("z", { sweeps: { evnts: {} } });
    for (const other of [quiet, broken]) {
      expect(clusterSettings([policy("a", { sweeps: { jobs: {} } }), other]).reportOnly).toBe(true);
    }
  });

  it("never change the defaults", () => {
    clusterSettings([policy("a", { reportOnly: true, sweeps: { jobs: { enabled: false } } })]);
    expect(DEFAULT_SETTINGS.reportOnly).toBe(false);
    expect(DEFAULT_SETTINGS.sweeps.jobs.enabled).toBe(true);
  });
});
