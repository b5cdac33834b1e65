import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeCluster, type TestCluster } from "./cluster.ts";
import { eventually, startServer, type TestServer } from "./server.ts";

/*
 * What Kubernetes tests its own collector with, in test/integration/garbagecollector of its sources: each scenario checks the
 * same here. The comment above it names upstream's test.
 */

interface Reference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}
interface Metadata {
  name?: string;
  generateName?: string;
  uid?: string;
  labels?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: Reference[];
}
interface Made {
  apiVersion: string;
  kind: string;
  metadata: Metadata & { name: string; uid: string };
}

const CORE = "/api/v1/namespaces";
const RC = "replicationcontrollers";

let server: TestServer;
let cluster: TestCluster;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  return async () => {
    await server.stop();
  };
});
beforeEach(async () => {
  cluster = await makeCluster(server, `scenario-${clusters++}`);
});

const namespace = (name: string) =>
  made("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });

async function made(path: string, object: object): Promise<Made> {
  const answer = await cluster.call("POST", path, object);
  if (answer.code !== 201) throw new Error(`POST ${path}: ${answer.code} ${answer.text}`);
  return answer.body;
}

const pod = (metadata: Metadata, where = "default"): Promise<Made> =>
  made(`${CORE}/${where}/pods`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "fake-name", image: "fakeimage" }] },
  });

const labels = { name: "test" };
const controller = (name: string, more: Metadata = {}, where = "default"): Promise<Made> =>
  made(`${CORE}/${where}/${RC}`, {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name, ...more },
    spec: {
      selector: labels,
      template: { metadata: { labels }, spec: { containers: [{ name: "fake-name", image: "fakeimage" }] } },
    },
  });

const configMap = (metadata: Metadata, where = "default"): Promise<Made> =>
  made(`${CORE}/${where}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", metadata });

const secret = (metadata: Metadata, where = "default"): Promise<Made> =>
  made(`${CORE}/${where}/secrets`, { apiVersion: "v1", kind: "Secret", metadata });

const referTo = ({ apiVersion, kind, metadata }: Made, more: Partial<Reference> = {}): Reference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
});

async function remove(path: string, options: object = {}): Promise<void> {
  const answer = await cluster.call("DELETE", path, options);
  if (answer.code !== 200 && answer.code !== 202) throw new Error(`DELETE ${path}: ${answer.text}`);
}

const exists = async (path: string): Promise<boolean> => {
  const { code, text } = await cluster.call("GET", path);
  if (code !== 200 && code !== 404) throw new Error(`GET ${path}: ${code} ${text}`);
  return code === 200;
};
const isGone = (path: string) =>
  eventually(
    () => exists(path),
    (there) => !there,
    20_000,
  );

const listed = async (path: string): Promise<Made[]> => (await cluster.call("GET", path)).body.items;
const names = async (path: string): Promise<string[]> =>
  (await listed(path)).map(({ metadata }) => metadata.name);

/**
 * Waits until the collector has looked at everything that is due in a namespace by now: an object with an absent owner, made
 * last, is gone. So what is still there afterwards was spared, and not merely not reached yet.
 */
async function collected(where = "default"): Promise<void> {
  const nobody = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: randomUUID() };
  const probe = await configMap({ generateName: "probe-", ownerReferences: [nobody] }, where);
  await isGone(`${CORE}/${where}/configmaps/${probe.metadata.name}`);
}

describe("Pods and their controllers", () => {
  /** Source: TestCascadingDeletion. */
  it("takes the Pod whose only owner goes, and no other", async () => {
    const goes = await controller("test.rc.1");
    const stays = await controller("test.rc.2");
    await pod({ name: "test.pod.1", ownerReferences: [referTo(goes)] });
    await pod({ name: "test.pod.3", ownerReferences: [referTo(goes), referTo(stays)] });
    await pod({ name: "test.pod.2" });
    await remove(`${CORE}/default/${RC}/test.rc.1`, { orphanDependents: false });
    await isGone(`${CORE}/default/pods/test.pod.1`);
    await collected();
    expect(await names(`${CORE}/default/pods`)).toEqual(["test.pod.2", "test.pod.3"]);
  });

  /** Source: TestCreateWithNonExistentOwner. */
  it("takes a Pod that was made with an owner that never was", async () => {
    const owner = {
      apiVersion: "v1",
      kind: "ReplicationController",
      name: "test.rc.1",
      uid: "doesn't matter",
    };
    await pod({ name: "test.pod.1", ownerReferences: [owner] });
    await isGone(`${CORE}/default/pods/test.pod.1`);
  });

  /** Source: TestOrphaning. */
  it("leaves orphans, without a reference to what is gone", async () => {
    const owner = await controller("test.rc.1");
    for (const i of [0, 1, 2]) {
      await pod({ name: `test.pod.1${i}`, ownerReferences: [referTo(owner)] });
    }
    await remove(`${CORE}/default/${RC}/test.rc.1`, { orphanDependents: true });
    await isGone(`${CORE}/default/${RC}/test.rc.1`);
    const left = await listed(`${CORE}/default/pods`);
    expect(left).toHaveLength(3);
    for (const { metadata } of left) expect(metadata.ownerReferences ?? []).toEqual([]);
  });

  /** Source: TestStressingCascadingDeletion. */
  it("does as the options of each deletion say, or its finalizers, with many at a time", async () => {
    const orphan = { finalizers: ["orphan"] };
    const collections: [name: string, metadata: Metadata, options: object | undefined][] = [
      // Without a policy, the old API of a ReplicationController orphans.
      ["plain", {}, undefined],
      ["finalizer", orphan, undefined],
      ["overruled", orphan, { orphanDependents: false }],
      ["deprecated", {}, { orphanDependents: true }],
      ["policy", {}, { propagationPolicy: "Orphan" }],
    ];
    const run = async (name: string, metadata: Metadata, options: object | undefined) => {
      const owner = await controller(`rc-${name}`, metadata);
      for (const j of [0, 1, 2]) {
        await pod({ name: `pod-${name}-${j}`, ownerReferences: [referTo(owner)] });
      }
      await remove(`${CORE}/default/${RC}/rc-${name}`, options);
    };
    const runs = collections.flatMap(([name, metadata, options]) =>
      Array.from({ length: 10 }, (_, i) => run(`${name}-${i}`, metadata, options)),
    );
    await Promise.all(runs);
    await eventually(
      async () => [
        (await names(`${CORE}/default/${RC}`)).length,
        (await names(`${CORE}/default/pods`)).length,
      ],
      ([controllers, pods]) => controllers === 0 && pods === 120,
      30_000,
    );
    await collected();
    const left = await names(`${CORE}/default/pods`);
    expect(left).toHaveLength(120);
    expect(left.filter((name) => name.includes("overruled"))).toEqual([]);
  });
});

describe("a deletion in the foreground", () => {
  const foreground = { propagationPolicy: "Foreground" };

  /** Source: TestSolidOwnerDoesNotBlockWaitingOwner. */
  it("does not wait for a dependent that another owner keeps, and takes its own reference away", async () => {
    const goes = await controller("test.rc.1");
    const stays = await controller("test.rc.2");
    await pod({
      name: "pod",
      ownerReferences: [referTo(goes, { blockOwnerDeletion: true }), referTo(stays)],
    });
    await remove(`${CORE}/default/${RC}/test.rc.1`, foreground);
    await isGone(`${CORE}/default/${RC}/test.rc.1`);
    const { body } = await cluster.call("GET", `${CORE}/default/pods/pod`);
    expect(body.metadata.ownerReferences).toEqual([referTo(stays)]);
  });

  /** Source: TestNonBlockingOwnerRefDoesNotBlock. */
  it("does not wait for dependents that do not block it", async () => {
    const owner = await controller("test.rc.1");
    const held = { finalizers: ["x/y"] };
    await pod({ name: "pod1", ...held, ownerReferences: [referTo(owner)] });
    await pod({ name: "pod2", ...held, ownerReferences: [referTo(owner, { blockOwnerDeletion: false })] });
    await remove(`${CORE}/default/${RC}/test.rc.1`, foreground);
    await isGone(`${CORE}/default/${RC}/test.rc.1`);
    expect(await names(`${CORE}/default/pods`)).toEqual(["pod1", "pod2"]);
  });

  /** Source: TestBlockingOwnerRefDoesBlock. */
  it("waits for a dependent that blocks it", async () => {
    const owner = await controller("test.rc.1");
    await pod({
      name: "pod",
      finalizers: ["x/y"],
      ownerReferences: [referTo(owner, { blockOwnerDeletion: true })],
    });
    await remove(`${CORE}/default/${RC}/test.rc.1`, foreground);
    await collected();
    expect(await names(`${CORE}/default/${RC}`)).toEqual(["test.rc.1"]);
    expect(await names(`${CORE}/default/pods`)).toEqual(["pod"]);
    // Upstream's test ends here; let go, both are gone.
    await cluster.call("PATCH", `${CORE}/default/pods/pod`, '{"metadata":{"finalizers":null}}', {
      "content-type": "application/merge-patch+json",
    });
    await isGone(`${CORE}/default/${RC}/test.rc.1`);
  });

  /** Source: TestDoubleDeletionWithFinalizer. */
  it("can be asked for twice of an object that somebody else holds", async () => {
    await pod({ name: "lucy", finalizers: ["x/y"] });
    for (const _ of ["once", "again"]) {
      await remove(`${CORE}/default/pods/lucy`, foreground);
      await eventually(
        async (): Promise<string[]> =>
          (await cluster.call("GET", `${CORE}/default/pods/lucy`)).body.metadata.finalizers,
        (finalizers) => finalizers.length === 1 && finalizers[0] === "x/y",
      );
    }
    const patch = '[{"op":"remove","path":"/metadata/finalizers"}]';
    await cluster.call("PATCH", `${CORE}/default/pods/lucy`, patch, {
      "content-type": "application/json-patch+json",
    });
    await isGone(`${CORE}/default/pods/lucy`);
  });
});

describe("owners that cannot be looked up where the dependent is", () => {
  /** Source: TestClusterScopedOwners. */
  it("tells a cluster-scoped owner that is there from one that is not, and from a kind nobody knows", async () => {
    const volume = await made("/api/v1/persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv-valid" },
      spec: {
        hostPath: { path: "/foo" },
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany"],
      },
    });
    const missing = { ...referTo(volume), name: "missing-name", uid: "missing-uid" };
    const unknown = {
      apiVersion: "unknown.group/v1",
      kind: "UnknownType",
      name: "invalid-name",
      uid: "invalid-uid",
    };
    await configMap({ name: "cm-valid", ownerReferences: [referTo(volume)] });
    await configMap({ name: "cm-missing", labels: { missing: "true" }, ownerReferences: [missing] });
    await configMap({ name: "cm-invalid", ownerReferences: [unknown] });
    await isGone(`${CORE}/default/configmaps/cm-missing`);
    await collected();
    expect(await names(`${CORE}/default/configmaps`)).toEqual(["cm-invalid", "cm-valid"]);
  });

  /** Source: TestCrossNamespaceReferencesWithWatchCache and …WithoutWatchCache. */
  it("takes children that refer to another namespace, and never the rightful ones there", async () => {
    await namespace("a");
    await namespace("b");
    const parent = await configMap({ name: "parent" }, "b");
    for (const _ of Array.from({ length: 10 })) {
      await secret(
        { generateName: "child-", ownerReferences: [referTo(parent, { controller: false })] },
        "b",
      );
    }
    // With the parent's own uid, under a kind that it is not of.
    const stranger = {
      apiVersion: "v1",
      kind: "Pod",
      name: "invalid",
      uid: parent.metadata.uid,
      controller: false,
    };
    const unknown = Array.from({ length: 25 }, (_, i) => ({
      apiVersion: "test/v1",
      kind: `invalid${i}`,
      name: "invalid",
      uid: `invalid-${i}`,
    }));
    for (const _ of Array.from({ length: 5 })) {
      await configMap({ generateName: "invalid-child-", ownerReferences: [...unknown, stranger] }, "a");
      await secret({ generateName: "invalid-child-a-", ownerReferences: [...unknown, stranger] }, "a");
      await secret(
        {
          generateName: "invalid-child-b-",
          labels: { "single-bad-reference": "true" },
          ownerReferences: [stranger],
        },
        "a",
      );
    }
    await eventually(
      () => names(`${CORE}/a/secrets?labelSelector=single-bad-reference%3Dtrue`),
      (left) => left.length === 0,
      20_000,
    );
    await collected("a");
    await collected("b");
    expect(await names(`${CORE}/b/secrets`)).toHaveLength(10);
    expect(await exists(`${CORE}/b/configmaps/parent`)).toBe(true);
    // Owners of unknown kinds may exist: whoever names them besides is left.
    expect(await names(`${CORE}/a/secrets`)).toHaveLength(5);

    const late = await secret({ generateName: "invalid-child-c-", ownerReferences: [stranger] }, "a");
    await isGone(`${CORE}/a/secrets/${late.metadata.name}`);
    const told = `involvedObject.name=${late.metadata.name},reason=OwnerRefInvalidNamespace`;
    await eventually(
      () => listed(`${CORE}/a/events?fieldSelector=${encodeURIComponent(told)}`),
      (events) => events.length > 0,
    );
    expect(await names(`${CORE}/b/secrets`)).toHaveLength(10);
  });
});

describe("custom resources", () => {
  const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const FOOS = "/apis/mygroup.example.com/v1beta1/namespaces/default/foos";
  const foreground = { propagationPolicy: "Foreground" };

  const define = () =>
    made(DEFINITIONS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "foos.mygroup.example.com" },
      spec: {
        group: "mygroup.example.com",
        scope: "Namespaced",
        names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
        versions: [
          {
            name: "v1beta1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        ],
      },
    });
  const foo = (metadata: Metadata) =>
    made(FOOS, { apiVersion: "mygroup.example.com/v1beta1", kind: "Foo", metadata });

  /** Source: TestCustomResourceCascadingDeletion. */
  it("own each other", async () => {
    await define();
    const owner = await foo({ name: "owner" });
    await foo({ name: "dependent", ownerReferences: [referTo(owner, { blockOwnerDeletion: true })] });
    await remove(`${FOOS}/owner`, foreground);
    await isGone(`${FOOS}/owner`);
    expect(await exists(`${FOOS}/dependent`)).toBe(false);
  });

  /** Source: TestMixedRelationships. */
  it("own built-in objects, and are owned by them", async () => {
    await define();
    const customOwner = await foo({ name: "custom-owner" });
    const coreOwner = await configMap({ name: "core-owner" });
    const blocking = { blockOwnerDeletion: true };
    await configMap({ name: "core-dependent", ownerReferences: [referTo(customOwner, blocking)] });
    await foo({ name: "custom-dependent", ownerReferences: [referTo(coreOwner, blocking)] });
    await remove(`${FOOS}/custom-owner`, foreground);
    await isGone(`${FOOS}/custom-owner`);
    expect(await exists(`${CORE}/default/configmaps/core-dependent`)).toBe(false);
    await remove(`${CORE}/default/configmaps/core-owner`, foreground);
    await isGone(`${CORE}/default/configmaps/core-owner`);
    expect(await exists(`${FOOS}/custom-dependent`)).toBe(false);
  });

  /** Source: TestCRDDeletionCascading. */
  it("take what they own with them when their definition goes, and a second time too", async () => {
    for (const _ of ["first", "second"]) {
      await define();
      const owner = await foo({ name: "owner" });
      await configMap({ name: "dependent", ownerReferences: [referTo(owner)] });
      await remove(`${DEFINITIONS}/foos.mygroup.example.com`);
      await isGone(`${DEFINITIONS}/foos.mygroup.example.com`);
      await isGone(`${FOOS}/owner`);
      await isGone(`${CORE}/default/configmaps/dependent`);
    }
  });
});
