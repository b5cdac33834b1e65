import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { SWEEP_NAMES, type SweepName } from "./decision.ts";
import { COUNTED } from "./pods.ts";
import { DEFAULT_SETTINGS, type SweepSettings } from "./settings.ts";
import { dueSweeps, sweepAt, sweepAtAfterLook } from "./sweep-at.ts";
import {
  ago,
  controlledBy,
  HOUR,
  kindOf,
  kinds,
  MINUTE,
  policy,
  SECOND,
  stored,
  T0,
} from "./sweeps.fixture.ts";

const finished = [{ type: "Complete", status: "True", lastTransitionTime: ago(0) }];
const cronJob = stored("cronjobs.batch", "cron");
const deployment = stored("deployments.apps", "web", { spec: { revisionHistoryLimit: 1 } });

/** One object for each sweep that stores a moment. */
const DUE: [SweepName, string, KubeObject][] = [
  [
    "certificatesigningrequests",
    "certificatesigningrequests.certificates.k8s.io",
    stored("certificatesigningrequests.certificates.k8s.io", "csr"),
  ],
  [
    "leases",
    "leases.coordination.k8s.io",
    stored("leases.coordination.k8s.io", "n1", { metadata: { namespace: "kube-node-lease" } }),
  ],
  [
    "jobs",
    "jobs.batch",
    stored("jobs.batch", "j", { spec: { ttlSecondsAfterFinished: 60 }, status: { conditions: finished } }),
  ],
  [
    "cronjobs",
    "jobs.batch",
    stored("jobs.batch", "j", { metadata: controlledBy(cronJob), status: { conditions: finished } }),
  ],
  ["pods", "pods", stored("pods", "p", { status: { phase: "Failed" } })],
  ["persistentvolumes", "persistentvolumes", stored("persistentvolumes", "pv")],
  ["persistentvolumes", "persistentvolumeclaims", stored("persistentvolumeclaims", "pvc")],
  ["nodes", "nodes", stored("nodes", "n1")],
  ["events", "events", stored("events", "e")],
  [
    "secrets",
    "secrets",
    stored("secrets", "s", {
      metadata: { namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      data: { expiration: btoa(ago(0)) },
    }),
  ],
  ["revisions", "replicasets.apps", stored("replicasets.apps", "rs", { metadata: controlledBy(deployment) })],
  ["revisions", "deployments.apps", deployment],
  ["ttl", "configmaps", stored("configmaps", "c", { metadata: { annotations: { "janitor/ttl": "1h" } } })],
];

const SETTINGS = policy({ nodes: { instanceProvider: { url: "http://x/" } } });

describe("an object is stored with a moment", () => {
  test.each(DUE)("for the sweep of %s: %s", (name, storedAs, object) => {
    expect(sweepAt(object, kindOf(storedAs), SETTINGS)).not.toBeNull();
    expect(dueSweeps(object, kindOf(storedAs), SETTINGS, Number.MAX_SAFE_INTEGER)).toEqual([name]);
    const off = policy({ nodes: { instanceProvider: { url: "http://x/" } }, [name]: { enabled: false } });
    expect(sweepAt(object, kindOf(storedAs), off)).toBeNull();
  });

  test("and without one when no sweep would ever act on it", () => {
    for (const storedAs of [
      "configmaps",
      "pods",
      "services",
      "secrets",
      "jobs.batch",
      "leases.coordination.k8s.io",
    ]) {
      const status = storedAs === "pods" ? { status: { phase: "Running" } } : {};
      expect(sweepAt(stored(storedAs, "x", status), kindOf(storedAs), DEFAULT_SETTINGS)).toBeNull();
    }
    expect(sweepAt(stored("nodes", "n1"), kindOf("nodes"), DEFAULT_SETTINGS)).toBeNull();
  });

  test("every sweep but the orphans', which a resync finds", () => {
    expect([...new Set(DUE.map(([name]) => name))].sort()).toEqual(
      SWEEP_NAMES.filter((name) => name !== "orphans").sort(),
    );
  });
});

describe("of several moments", () => {
  const job = stored("jobs.batch", "j", {
    metadata: { annotations: { "janitor/expires": ago(-MINUTE) } },
    spec: { ttlSecondsAfterFinished: 3600 },
    status: { conditions: finished },
  });
  const jobs = kindOf("jobs.batch");

  test("the earliest is stored, and only the sweeps whose moment came look", () => {
    expect(sweepAt(job, jobs, SETTINGS)).toBe(T0 + MINUTE + 1);
    expect(dueSweeps(job, jobs, SETTINGS, T0 + MINUTE)).toEqual([]);
    expect(dueSweeps(job, jobs, SETTINGS, T0 + MINUTE + 1)).toEqual(["ttl"]);
    expect(dueSweeps(job, jobs, SETTINGS, T0 + HOUR)).toEqual(["jobs", "ttl"]);
  });

  test("what a sweep asked for takes the place of its own", () => {
    const stores = (...looked: [SweepName, number | null][]) =>
      sweepAtAfterLook(job, jobs, SETTINGS, new Map(looked));
    expect(stores()).toBe(T0 + MINUTE + 1);
    expect(stores(["ttl", null])).toBe(T0 + HOUR);
    expect(stores(["ttl", T0 + 5 * SECOND])).toBe(T0 + 5 * SECOND);
    expect(stores(["ttl", null], ["jobs", null])).toBeNull();
  });

  test("a terminated Pod that was counted stays in the index, behind all moments", () => {
    const pod = stored("pods", "p", { status: { phase: "Succeeded" } });
    const after = sweepAtAfterLook(pod, kindOf("pods"), SETTINGS, new Map([["pods", COUNTED]]));
    expect(after).toBe(COUNTED);
    expect(new Date(COUNTED).getTime()).toBe(COUNTED);
  });
});

test("whatever an object holds, its moment is a safe number, or none", () => {
  const anything = fc.jsonValue();
  const fields = fc.record({
    spec: anything,
    status: anything,
    data: anything,
    type: anything,
    series: anything,
  });
  const settings: SweepSettings = SETTINGS;
  fc.assert(
    fc.property(fc.constantFrom(...kinds.all()), fields, (kind, body) => {
      const object = {
        ...stored("configmaps", "x"),
        apiVersion: kind.versions[0] ?? "",
        kind: kind.kind,
        ...body,
      };
      const due = sweepAt(object, kind, settings);
      expect(due === null || Number.isSafeInteger(due)).toBe(true);
    }),
  );
});
