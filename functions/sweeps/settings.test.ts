import { describe, expect, test } from "vitest";
import { SWEEP_NAMES } from "./decision.ts";
import { DEFAULT_SETTINGS, readSettings } from "./settings.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./sweeps.fixture.ts";

test("a cluster that says nothing has upstream's settings", () => {
  for (const spec of [undefined, null, {}, { sweeps: {} }]) {
    expect(readSettings(spec)).toEqual({ settings: DEFAULT_SETTINGS });
  }
  expect(Object.keys(DEFAULT_SETTINGS.sweeps)).toEqual([...SWEEP_NAMES]);
  expect(DEFAULT_SETTINGS.sweeps).toMatchObject({
    certificatesigningrequests: {
      approvedExpiration: HOUR,
      deniedExpiration: HOUR,
      pendingExpiration: DAY,
      unissuedExpiration: null,
    },
    leases: { leaseCandidateValidDuration: 30 * MINUTE },
    pods: { terminatedPodGCThreshold: 12500, orphanQuarantine: 40 * SECOND },
    nodes: { nodeMonitorPeriod: 5 * SECOND, instanceProvider: null },
    events: { eventTTL: HOUR },
    secrets: { legacyServiceAccountTokenCleanUpPeriod: 365 * DAY },
    ttl: { excludeNamespaces: ["kube-system"] },
  });
});

test("all sweeps are on, and delete, unless a policy says otherwise", () => {
  for (const name of SWEEP_NAMES) {
    expect(DEFAULT_SETTINGS.sweeps[name]).toMatchObject({ enabled: true, reportOnly: false });
    const reading = readSettings({ sweeps: { [name]: { enabled: false, reportOnly: true } } });
    expect(reading).toHaveProperty(`settings.sweeps.${name}.enabled`, false);
    expect(reading).toHaveProperty(`settings.sweeps.${name}.reportOnly`, true);
  }
});

describe("what is set is read", () => {
  test.each<[string, object, string, unknown]>([
    ["a Go duration", { events: { eventTTL: "2h30m" } }, "events.eventTTL", 150 * MINUTE],
    [
      "no grace at all",
      { leases: { ownerlessNodeLeaseGracePeriod: "0s" } },
      "leases.ownerlessNodeLeaseGracePeriod",
      0,
    ],
    [
      "a threshold that is off",
      { pods: { terminatedPodGCThreshold: -1 } },
      "pods.terminatedPodGCThreshold",
      -1,
    ],
    [
      "a provider",
      { nodes: { instanceProvider: { url: "http://10.0.0.1:8080/x" } } },
      "nodes.instanceProvider.url",
      "http://10.0.0.1:8080/x",
    ],
  ])("%s", (_, sweeps, path, value) => {
    expect(readSettings({ sweeps })).toHaveProperty(`settings.sweeps.${path}`, value);
  });
});

describe("what makes no sense is refused, with the field and the reason", () => {
  test.each<[string, unknown, field: string, message: string]>([
    ["a spec that is no object", "on", "spec", 'Invalid value: "on": must be of type object'],
    [
      "a sweep that does not exist",
      { sweeps: { pod: {} } },
      "spec.sweeps.pod",
      `Forbidden: is not a sweep; the sweeps are ${SWEEP_NAMES.join(", ")}`,
    ],
    [
      "a setting that does not exist",
      { sweeps: { pods: { threshold: 1 } } },
      "spec.sweeps.pods.threshold",
      "Forbidden: is not a setting",
    ],
    ["one beside the sweeps", { pods: {} }, "spec.pods", "Forbidden: is not a setting"],
    [
      "a switch that is a text",
      { sweeps: { jobs: { enabled: "no" } } },
      "spec.sweeps.jobs.enabled",
      'Invalid value: "no": must be of type boolean',
    ],
    [
      "a threshold with a fraction",
      { sweeps: { pods: { terminatedPodGCThreshold: 1.5 } } },
      "spec.sweeps.pods.terminatedPodGCThreshold",
      "Invalid value: 1.5: must be of type integer",
    ],
    [
      "a threshold beyond 32 bits",
      { sweeps: { pods: { terminatedPodGCThreshold: 2 ** 31 } } },
      "spec.sweeps.pods.terminatedPodGCThreshold",
      "Invalid value: 2147483648: must be less than or equal to 2147483647",
    ],
    [
      "a negative duration",
      { sweeps: { events: { eventTTL: "-1h" } } },
      "spec.sweeps.events.eventTTL",
      'Invalid value: "-1h": must be at least a millisecond',
    ],
    [
      "no duration where one is needed",
      { sweeps: { secrets: { legacyServiceAccountTokenCleanUpPeriod: "0s" } } },
      "spec.sweeps.secrets.legacyServiceAccountTokenCleanUpPeriod",
      'Invalid value: "0s": must be at least a millisecond',
    ],
    [
      "a negative grace",
      { sweeps: { leases: { ownedNodeLeaseGracePeriod: "-1s" } } },
      "spec.sweeps.leases.ownedNodeLeaseGracePeriod",
      'Invalid value: "-1s": must be zero or more',
    ],
    [
      "days in a duration",
      { sweeps: { events: { eventTTL: "1d" } } },
      "spec.sweeps.events.eventTTL",
      'Invalid value: "1d": time: unknown unit "d" in duration "1d"',
    ],
    [
      "a duration that is a number",
      { sweeps: { events: { eventTTL: 3600 } } },
      "spec.sweeps.events.eventTTL",
      "Invalid value: 3600: must be of type string",
    ],
    [
      "a provider without an address",
      { sweeps: { nodes: { instanceProvider: {} } } },
      "spec.sweeps.nodes.instanceProvider.url",
      "Required value",
    ],
    [
      "an address that is none",
      { sweeps: { nodes: { instanceProvider: { url: "/x" } } } },
      "spec.sweeps.nodes.instanceProvider.url",
      'Invalid value: "/x": must be an absolute URL',
    ],
    [
      "an address of another protocol",
      { sweeps: { persistentvolumes: { deleter: { url: "file:///x" } } } },
      "spec.sweeps.persistentvolumes.deleter.url",
      'Invalid value: "file:///x": must be an http or https URL',
    ],
    [
      "an address with a password",
      { sweeps: { persistentvolumes: { deleter: { url: "http://a:b@c/" } } } },
      "spec.sweeps.persistentvolumes.deleter.url",
      'Invalid value: "http://a:b@c/": must not hold credentials',
    ],
    [
      "a namespace that cannot be",
      { sweeps: { ttl: { excludeNamespaces: ["ok", "Not_OK"] } } },
      "spec.sweeps.ttl.excludeNamespaces[1]",
      'Invalid value: "Not_OK": a lowercase RFC 1123 label must consist of lower case alphanumeric characters',
    ],
    [
      "an empty resource",
      { sweeps: { ttl: { excludeResources: [""] } } },
      "spec.sweeps.ttl.excludeResources[0]",
      'Invalid value: "": must not be empty',
    ],
  ])("%s", (_, spec, field, message) => {
    const reading = readSettings(spec);
    const errors = "errors" in reading ? reading.errors : [];
    expect(errors).toHaveLength(1);
    expect(errors[0]?.field).toBe(field);
    expect(errors[0]?.message).toContain(message);
  });

  test("all of it at once", () => {
    const reading = readSettings({
      reportOnly: 1,
      sweeps: { pods: { enabled: 1 }, events: { eventTTL: "x" } },
    });
    expect("errors" in reading && reading.errors.map(({ field }) => field).sort()).toEqual([
      "spec.reportOnly",
      "spec.sweeps.events.eventTTL",
      "spec.sweeps.pods.enabled",
    ]);
  });
});
