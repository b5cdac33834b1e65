import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { decideRevisions, revisionDueAt } from "./revisions.ts";
import { ago, controlledBy, MINUTE, OFF, settingsOf, stored } from "./sweeps.fixture.ts";

const settings = settingsOf("revisions");
const names = (decided: ReturnType<typeof decideRevisions>) =>
  decided.map(({ revision: { metadata } }) => metadata.name);
const gone = (owner: KubeObject, revisions: KubeObject[], live: string[] = []) =>
  names(decideRevisions(owner, { revisions, liveHashes: new Set(live) }, settings));

const template = (image: string, labels = {}) => ({
  metadata: { labels: { app: "web", ...labels } },
  spec: { containers: [{ name: "web", image }] },
});

describe("of a Deployment", () => {
  const complete = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  function deployment(limit: unknown, status: object = complete, spec = {}): KubeObject {
    return stored("deployments.apps", "web", {
      metadata: { generation: 3 },
      spec: { replicas: 2, revisionHistoryLimit: limit, template: template("v9"), ...spec },
      status,
    });
  }
  function set(
    revision: number,
    image: string,
    more: { replicas?: number; status?: object; metadata?: object } = {},
  ) {
    const { replicas = 0, status = { replicas: 0, observedGeneration: 1 }, metadata = {} } = more;
    return stored("replicasets.apps", `web-${revision}`, {
      metadata: {
        generation: 1,
        creationTimestamp: ago((100 - revision) * MINUTE),
        annotations: { "deployment.kubernetes.io/revision": `${revision}` },
        ...controlledBy(deployment(0)),
        ...metadata,
      },
      spec: { replicas, template: template(image, { "pod-template-hash": `h${revision}` }) },
      status,
    });
  }
  const current = set(9, "v9", { replicas: 2 });
  const old = [set(4, "v4"), set(12, "v5"), set(3, "v3")];

  test.each<[string, KubeObject, KubeObject[], string[]]>([
    ["the lowest revisions go", deployment(1), [current, ...old], ["web-3", "web-4"]],
    ["all old ones go with a limit of 0", deployment(0), [current, ...old], ["web-3", "web-4", "web-12"]],
    ["none goes within the limit", deployment(3), [current, ...old], []],
    ["none goes without a limit", deployment(undefined), [current, ...old], []],
    ["none goes with the largest number as a limit", deployment(2 ** 31 - 1), [current, ...old], []],
    ["none goes with a negative limit", deployment(-1), [current, ...old], []],
    ["none goes during a rollout", deployment(0, { ...complete, updatedReplicas: 1 }), [current, ...old], []],
    [
      "none goes before a change was seen",
      deployment(0, { ...complete, observedGeneration: 2 }),
      [current, ...old],
      [],
    ],
    [
      "they go while it is paused",
      deployment(1, {}, { paused: true }),
      [current, ...old],
      ["web-3", "web-4"],
    ],
    ["none goes when no ReplicaSet has its template", deployment(0), old, []],
    [
      "one with replicas stays, and no other goes for it",
      deployment(2),
      [current, set(3, "v3", { replicas: 1 }), ...old.slice(0, 2)],
      [],
    ],
    [
      "one that still ends Pods stays",
      deployment(0),
      [current, set(3, "v3", { status: { replicas: 1, observedGeneration: 1 } })],
      [],
    ],
    [
      "one whose change was not seen stays",
      deployment(0),
      [current, set(3, "v3", { metadata: { generation: 2 } })],
      [],
    ],
    [
      "one that is being deleted does not count",
      deployment(2),
      [current, set(3, "v3", { metadata: { deletionTimestamp: ago(0) } }), ...old.slice(0, 2)],
      [],
    ],
    [
      "one of another Deployment stays",
      deployment(0),
      [current, set(3, "v3", { metadata: { ownerReferences: [] } })],
      [],
    ],
    [
      "one without a number is the oldest",
      deployment(2),
      [current, set(50, "v0", { metadata: { annotations: {} } }), ...old.slice(0, 2)],
      ["web-50"],
    ],
  ])("%s", (_, owner, sets, expected) => {
    expect(gone(owner, sets)).toEqual(expected);
  });

  test("the current ReplicaSet never goes, nor more than are beyond the limit", () => {
    const sets = fc
      .uniqueArray(fc.nat(50), { maxLength: 12 })
      .map((all) => all.map((n) => set(n + 100, `i${n}`)));
    fc.assert(
      fc.property(sets, fc.nat(5), (olds, limit) => {
        const went = gone(deployment(limit), [...olds, current]);
        expect(went).not.toContain("web-9");
        expect(went).toHaveLength(Math.max(0, olds.length - limit));
      }),
    );
  });

  test("each is deleted by its uid, with a reason", () => {
    const [first] = decideRevisions(
      deployment(2),
      { revisions: [current, ...old], liveHashes: new Set() },
      settings,
    );
    expect(first?.decision.deletion).toMatchObject({
      rule: "replicaset-history",
      reason: "beyond the revisionHistoryLimit of Deployment web, which is 2",
      options: { dryRun: false, uid: "uid-web-3" },
    });
  });

  test("none goes when the sweep is off, or the Deployment itself is going", () => {
    const facts = { revisions: [current, ...old], liveHashes: new Set<string>() };
    expect(decideRevisions(deployment(0), facts, settingsOf("revisions", OFF))).toEqual([]);
    const going = { ...deployment(0), metadata: { ...deployment(0).metadata, deletionTimestamp: ago(0) } };
    expect(decideRevisions(going, facts, settings)).toEqual([]);
  });

  test("history is looked at when a ReplicaSet or the Deployment was written", () => {
    expect(revisionDueAt(current, settings)).not.toBeNull();
    expect(revisionDueAt(deployment(1), settings)).not.toBeNull();
    expect(revisionDueAt(deployment(undefined), settings)).toBeNull();
    expect(revisionDueAt(set(1, "v", { metadata: { ownerReferences: [] } }), settings)).toBeNull();
    expect(revisionDueAt(current, settingsOf("revisions", OFF))).toBeNull();
  });
});

describe("of a StatefulSet or DaemonSet", () => {
  function owner(kind: "statefulsets" | "daemonsets", limit: number, status = {}): KubeObject {
    return stored(`${kind}.apps`, "db", {
      spec: { revisionHistoryLimit: limit, template: template("v5") },
      status: { currentRevision: "db-4", updateRevision: "db-5", ...status },
    });
  }
  const revision = (of: KubeObject, n: number) =>
    stored("controllerrevisions.apps", `db-${n}`, {
      metadata: { ...controlledBy(of), labels: { "controller-revision-hash": `h${n}` } },
      data: { spec: { template: { ...template(`v${n}`), $patch: "replace" } } },
      revision: n,
    });
  const all = (of: KubeObject) => [5, 2, 10, 1, 3, 4].map((n) => revision(of, n));

  const stateful = (limit: number, status = {}) => owner("statefulsets", limit, status);
  const daemon = (limit: number) => owner("daemonsets", limit);

  test.each<[string, KubeObject, live: string[], string[]]>([
    ["a StatefulSet's lowest go, but those in use", stateful(1), ["db-2"], ["db-1", "db-3"]],
    ["those in use do not count", stateful(3), ["db-2"], []],
    ["none goes while its update revision is not known", stateful(0, { updateRevision: "" }), [], []],
    ["a DaemonSet's lowest go, but the current one", daemon(3), [], ["db-1", "db-2"]],
    ["another goes for one in use", daemon(3), ["h1"], ["db-2", "db-3"]],
    ["none goes within the limit", daemon(5), [], []],
  ])("%s", (_, of, live, expected) => {
    expect(gone(of, all(of), live)).toEqual(expected);
  });

  test("none goes of a DaemonSet whose current one is not known", () => {
    const changed = { ...daemon(0), spec: { revisionHistoryLimit: 0, template: template("v6") } };
    expect(gone(changed, all(changed))).toEqual([]);
  });
});
