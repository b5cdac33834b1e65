import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeCluster, type TestCluster } from "../cluster.ts";
import { type Answer, eventually, startServer, type TestServer } from "../server.ts";
import { collectionPath, defineCustomKinds, kindNamed } from "./kinds.ts";

let server: TestServer;
let cluster: TestCluster;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  return () => server.stop();
});

beforeEach(async () => {
  cluster = await makeCluster(server, `scenario-${clusters++}`);
});

interface Reference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  blockOwnerDeletion?: boolean;
}

interface Metadata {
  name: string;
  uid: string;
  resourceVersion: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: Reference[];
}

const at = (kind: string, name?: string): string =>
  collectionPath(kindNamed(kind), "default") + (name === undefined ? "" : `/${name}`);

/** Makes an object, and returns a reference to it. */
async function create(kind: string, name: string, metadata: object = {}, more: object = {}) {
  const { apiVersion, content } = kindNamed(kind);
  const body = { apiVersion, kind, metadata: { name, ...metadata }, ...content, ...more };
  const made = await cluster.call("POST", at(kind), body);
  expect(made.code, made.text).toBe(201);
  return { apiVersion, kind, name, uid: made.body.metadata.uid, blockOwnerDeletion: true };
}

const remove = (kind: string, name: string, options?: object): Promise<Answer> =>
  cluster.call("DELETE", at(kind, name), options);
const exists = async (kind: string, name: string) => (await cluster.call("GET", at(kind, name))).code === 200;
const gone = (kind: string, name: string) =>
  eventually(
    () => exists(kind, name),
    (found) => !found,
  );
const listed = async (kind: string): Promise<Metadata[]> =>
  (await cluster.call("GET", at(kind))).body.items.map(({ metadata }: { metadata: Metadata }) => metadata);
const finalizersOf = async (kind: string, name: string): Promise<string[] | undefined> =>
  (await cluster.call("GET", at(kind, name))).body.metadata.finalizers;

describe("DELETE", () => {
  it("#44 looks at the query only when there is no body", async () => {
    await create("ConfigMap", "c");
    const path = `${at("ConfigMap", "c")}?propagationPolicy=Foreground&dryRun=All`;
    const answer = await cluster.call("DELETE", path, { kind: "DeleteOptions", apiVersion: "v1" });
    expect(answer.body).toMatchObject({ kind: "Status", status: "Success" });
    expect(await exists("ConfigMap", "c")).toBe(false);
  });

  it("#47 of a Pod at a resourceVersion is not in the way of its own first write", async () => {
    await create("Pod", "p", {}, { spec: { nodeName: "n", containers: [{ name: "c", image: "nginx" }] } });
    const { resourceVersion } = (await listed("Pod"))[0] as Metadata;
    const stale = { preconditions: { resourceVersion: "1" }, gracePeriodSeconds: 0 };
    expect((await remove("Pod", "p", stale)).code).toBe(409);
    expect(
      (await remove("Pod", "p", { preconditions: { resourceVersion }, gracePeriodSeconds: 0 })).code,
    ).toBe(200);
    expect(await exists("Pod", "p")).toBe(false);
  });

  it.each([
    ["#57", [], undefined, 200, "Status"],
    ["#58", ["kube.io/dummy-finalizer"], undefined, 200, "ReplicaSet"],
    ["#59", [], false, 200, "Status"],
    ["#60", ["kube.io/dummy-finalizer"], false, 202, "ReplicaSet"],
  ])("%s finalizers %j, orphanDependents %s: %i %s", async (_, finalizers, orphanDependents, code, kind) => {
    await create("ReplicaSet", "rs", { finalizers });
    const answer = await remove("ReplicaSet", "rs", { orphanDependents });
    expect([answer.code, answer.body.kind]).toEqual([code, kind]);
  });

  it("#70 of a collection lists what was, and keeps what a finalizer holds", async () => {
    await create("ConfigMap", "free");
    await create("ConfigMap", "held", { finalizers: ["example.com/hold"] });
    const { code, body } = await cluster.call("DELETE", at("ConfigMap"));
    expect(code).toBe(200);
    expect(body.kind).toBe("ConfigMapList");
    expect(body.items.map(({ metadata }: { metadata: Metadata }) => metadata)).toEqual([
      expect.not.objectContaining({ deletionTimestamp: expect.anything() }),
      expect.not.objectContaining({ deletionTimestamp: expect.anything() }),
    ]);
    expect(await listed("ConfigMap")).toEqual([
      expect.objectContaining({ name: "held", deletionTimestamp: expect.any(String) }),
    ]);
  });

  it("#71 of a collection in which nothing is selected answers with an empty list", async () => {
    await create("ConfigMap", "c");
    const { code, body } = await cluster.call("DELETE", `${at("ConfigMap")}?labelSelector=a%3Db`);
    expect([code, body.items]).toEqual([200, []]);
    expect(await exists("ConfigMap", "c")).toBe(true);
  });
});

describe("the collector", () => {
  it("#105 brings fifty owners, deleted in five ways at a time, to the right ends", async () => {
    const groups = [
      { name: "default", finalizers: [], options: undefined, orphans: true },
      { name: "stored", finalizers: ["orphan"], options: undefined, orphans: true },
      { name: "cascade", finalizers: ["orphan"], options: { orphanDependents: false }, orphans: false },
      { name: "asked", finalizers: [], options: { orphanDependents: true }, orphans: true },
      { name: "policy", finalizers: [], options: { propagationPolicy: "Orphan" }, orphans: true },
    ];
    const lives = groups.flatMap((group) =>
      Array.from({ length: 10 }, async (_, i) => {
        const name = `${group.name}-${i}`;
        const owner = await create("ReplicationController", name, { finalizers: group.finalizers });
        for (const pod of ["a", "b", "c"]) {
          await create("Pod", `${name}-${pod}`, { ownerReferences: [owner] });
        }
        await remove("ReplicationController", name, group.options);
      }),
    );
    await Promise.all(lives);
    await eventually(
      async () => [(await listed("ReplicationController")).length, (await listed("Pod")).length],
      ([owners, pods]) => owners === 0 && pods === 120,
    );
    for (const { name, ownerReferences, deletionTimestamp } of await listed("Pod")) {
      expect({ name, ownerReferences, deletionTimestamp }).toEqual({
        name: expect.not.stringMatching(/^cascade/),
        ownerReferences: undefined,
        deletionTimestamp: undefined,
      });
    }
  });

  it("#111 leaves alone what was made again under the name of an owner that went", async () => {
    const first = await create("ConfigMap", "owner");
    await create("Secret", "of-the-first", { ownerReferences: [first] });
    await remove("ConfigMap", "owner");
    const second = await create("ConfigMap", "owner");
    await create("Secret", "of-the-second", { ownerReferences: [second] });
    await gone("Secret", "of-the-first");
    expect(await exists("ConfigMap", "owner")).toBe(true);
    expect(await exists("Secret", "of-the-second")).toBe(true);
  });

  it("#141 deletes for a missing cluster-scoped owner, not for one that is there or of no known kind", async () => {
    const owner = await create("StorageClass", "there");
    const missing = { ...owner, name: "missing", uid: crypto.randomUUID() };
    const unknown = { ...missing, apiVersion: "nope.example.com/v1", kind: "Nope" };
    await create("ConfigMap", "owned", { ownerReferences: [owner] });
    await create("ConfigMap", "unknown", { ownerReferences: [unknown] });
    await create("ConfigMap", "dangling", { ownerReferences: [missing] });
    await gone("ConfigMap", "dangling");
    expect((await listed("ConfigMap")).map(({ name }) => name)).toEqual(["owned", "unknown"]);
  });

  it("#144 crosses between custom and built-in kinds, both ways", async () => {
    await defineCustomKinds(cluster);
    const widget = await create("Widget", "owner");
    await create("ConfigMap", "of-widget", { ownerReferences: [widget] });
    const configMap = await create("ConfigMap", "owner");
    await create("Widget", "of-configmap", { ownerReferences: [configMap] });
    await remove("Widget", "owner");
    await remove("ConfigMap", "owner");
    await gone("ConfigMap", "of-widget");
    await gone("Widget", "of-configmap");
  });

  it("#145 holds a custom owner in the foreground until its dependent has gone", async () => {
    await defineCustomKinds(cluster);
    const owner = await create("Widget", "owner");
    await create("Widget", "dependent", { ownerReferences: [owner], finalizers: ["example.com/hold"] });
    await remove("Widget", "owner", { propagationPolicy: "Foreground" });
    await eventually(
      async () => (await listed("Widget")).find(({ name }) => name === "dependent"),
      (dependent) => dependent?.deletionTimestamp !== undefined,
    );
    expect(await finalizersOf("Widget", "owner")).toEqual(["foregroundDeletion"]);
    const patch = { metadata: { finalizers: null } };
    const headers = { "content-type": "application/merge-patch+json" };
    await cluster.call("PATCH", at("Widget", "dependent"), patch, headers);
    await gone("Widget", "owner");
    expect(await listed("Widget")).toEqual([]);
  });
});
