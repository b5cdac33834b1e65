import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1OwnerReference,
  type V1ReplicaSet,
} from "@kubernetes/client-node";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BreakableLine, breakableLine } from "./breakable-line.ts";
import { eventually, startServer, type TestServer } from "./server.ts";

let server: TestServer;
let config: KubeConfig;
let core: CoreV1Api;
let namespace: string;
let namespaces = 0;

beforeAll(async () => {
  server = await startServer();
  config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  return () => server.stop();
});

beforeEach(async () => {
  namespace = `client-${namespaces++}`;
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});

const ownedBy = ({ apiVersion, kind, metadata }: V1ConfigMap | V1ReplicaSet): V1OwnerReference => ({
  apiVersion: apiVersion ?? "v1",
  kind: kind ?? "ConfigMap",
  name: metadata?.name ?? "",
  uid: metadata?.uid ?? "",
  blockOwnerDeletion: true,
});

const makeConfigMap = (name: string, ownerReferences: V1OwnerReference[] = [], finalizers: string[] = []) =>
  core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name, ownerReferences, finalizers } },
  });

const names = async (): Promise<(string | undefined)[]> =>
  (await core.listNamespacedConfigMap({ namespace })).items.map(({ metadata }) => metadata?.name);
const namesAre = (wanted: string[]) =>
  eventually(names, (left) => JSON.stringify(left) === JSON.stringify(wanted));

/** The code and the Status that a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<{ code: number; reason: string; message: string }> {
  const fault = await call.then(
    () => undefined,
    (rejection: unknown) => rejection,
  );
  if (!(fault instanceof ApiException)) throw new Error(`not refused: ${fault}`);
  const { reason, message } = typeof fault.body === "string" ? JSON.parse(fault.body) : fault.body;
  return { code: fault.code, reason, message };
}

describe("the typed APIs", () => {
  it("create, read, list, replace and delete", async () => {
    const made = await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: "one", labels: { app: "a" } }, data: { k: "v" } },
    });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect(await core.readNamespacedConfigMap({ namespace, name: "one" })).toEqual(made);
    await makeConfigMap("two");
    const selected = await core.listNamespacedConfigMap({ namespace, labelSelector: "app=a" });
    expect(selected.items.map(({ metadata }) => metadata?.name)).toEqual(["one"]);

    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: "one",
      body: { ...made, data: { k: "w" } },
    });
    expect(replaced.data).toEqual({ k: "w" });
    expect(replaced.metadata?.resourceVersion).not.toBe(made.metadata?.resourceVersion);
    const stale = core.replaceNamespacedConfigMap({ namespace, name: "one", body: made });
    expect(await refusal(stale)).toEqual({
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
    });

    const deleted = await core.deleteNamespacedConfigMap({ namespace, name: "one" });
    expect(deleted).toMatchObject({ status: "Success", details: { name: "one", uid: made.metadata?.uid } });
    expect(await names()).toEqual(["two"]);
    expect(await refusal(core.readNamespacedConfigMap({ namespace, name: "one" }))).toEqual({
      code: 404,
      reason: "NotFound",
      message: 'configmaps "one" not found',
    });
  });

  it.each([
    ["a merge patch", PatchStrategy.MergePatch, { data: { a: null, b: "2" } }],
    ["a strategic merge patch", PatchStrategy.StrategicMergePatch, { data: { a: null, b: "2" } }],
    [
      "a JSON patch",
      PatchStrategy.JsonPatch,
      [
        { op: "remove", path: "/data/a" },
        { op: "add", path: "/data/b", value: "2" },
      ],
    ],
  ])("patch with %s", async (_, strategy, body) => {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "p" }, data: { a: "1" } } });
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: "p", body },
      setHeaderOptions("Content-Type", strategy),
    );
    expect(patched.data).toEqual({ b: "2" });
    expect(await core.readNamespacedConfigMap({ namespace, name: "p" })).toEqual(patched);
  });

  it("patch owner references by their uid when the patch is strategic", async () => {
    const [first, second] = [await makeConfigMap("first"), await makeConfigMap("second")];
    await makeConfigMap("dependent", [ownedBy(first), ownedBy(second)]);
    const patched = await core.patchNamespacedConfigMap(
      {
        namespace,
        name: "dependent",
        body: { metadata: { ownerReferences: [{ $patch: "delete", uid: first.metadata?.uid }] } },
      },
      setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
    );
    expect(patched.metadata?.ownerReferences).toEqual([ownedBy(second)]);
  });

  it.each(["in the query", "in the body"])("delete with a policy %s", async (where) => {
    const remove = (name: string, propagationPolicy: string) =>
      core.deleteNamespacedConfigMap({
        namespace,
        name,
        ...(where === "in the query" ? { propagationPolicy } : { body: { propagationPolicy } }),
      });
    for (const name of ["background", "foreground", "orphan"]) {
      const owner = await makeConfigMap(name);
      await makeConfigMap(`${name}-dependent`, [ownedBy(owner)], ["example.com/hold"]);
    }
    expect(await remove("background", "Background")).toMatchObject({ status: "Success" });
    // What is kept is answered with the object, which this client takes for a Status without a result.
    expect((await remove("foreground", "Foreground")).status).toBeUndefined();
    expect((await remove("orphan", "Orphan")).status).toBeUndefined();

    await namesAre(["background-dependent", "foreground", "foreground-dependent", "orphan-dependent"]);
    const dependent = async (name: string) =>
      (await core.readNamespacedConfigMap({ namespace, name: `${name}-dependent` })).metadata;
    for (const name of ["background", "foreground"]) {
      const marked = await eventually(
        () => dependent(name),
        (metadata) => metadata?.deletionTimestamp !== undefined,
      );
      expect(marked?.deletionTimestamp).toBeInstanceOf(Date);
    }
    const owner = await core.readNamespacedConfigMap({ namespace, name: "foreground" });
    expect(owner.metadata?.finalizers).toEqual(["foregroundDeletion"]);
    const orphan = await dependent("orphan");
    expect(orphan?.deletionTimestamp).toBeUndefined();
    expect(orphan?.ownerReferences).toBeUndefined();
  });

  it("delete a collection by label", async () => {
    for (const [name, app] of [
      ["one", "a"],
      ["two", "a"],
      ["three", "b"],
    ]) {
      const body = { metadata: { name: name ?? "", labels: { app: app ?? "" } } };
      await core.createNamespacedConfigMap({ namespace, body });
    }
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "app=a" });
    expect(await names()).toEqual(["three"]);
  });

  it("read a list page by page", async () => {
    for (let i = 0; i < 25; i++) await makeConfigMap(`page-${String(i).padStart(2, "0")}`);
    const read: (string | undefined)[] = [];
    let next: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({
        namespace,
        limit: 10,
        ...(next && { _continue: next }),
      });
      read.push(...page.items.map(({ metadata }) => metadata?.name));
      next = page.metadata?._continue;
    } while (next);
    expect(read).toEqual(await names());
    expect(read).toHaveLength(25);
  });

  it("delete a ReplicaSet, and its Pods go with it", async () => {
    const labels = { app: "a" };
    const spec = { containers: [{ name: "c", image: "nginx" }] };
    const apps = config.makeApiClient(AppsV1Api);
    const owner = await apps.createNamespacedReplicaSet({
      namespace,
      body: {
        metadata: { name: "rs" },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      },
    });
    for (const name of ["rs-0", "rs-1"]) {
      const body = { metadata: { name, labels, ownerReferences: [ownedBy(owner)] }, spec };
      await core.createNamespacedPod({ namespace, body });
    }
    await apps.deleteNamespacedReplicaSet({ namespace, name: "rs", propagationPolicy: "Foreground" });
    await eventually(
      async () => (await core.listNamespacedPod({ namespace })).items.length,
      (left) => left === 0,
    );
    await eventually(
      async () => (await apps.listNamespacedReplicaSet({ namespace })).items.length,
      (left) => left === 0,
    );
  });
});

describe("KubernetesObjectApi", () => {
  it("creates, reads, lists, patches, replaces and deletes whatever is served", async () => {
    const api = KubernetesObjectApi.makeApiClient(config);
    const header = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "any", namespace } };
    const made = await api.create<V1ConfigMap>({ ...header, data: { a: "1" } });
    expect(await api.read<V1ConfigMap>(header)).toEqual(made);
    const list = await api.list<V1ConfigMap>("v1", "ConfigMap", namespace);
    expect(list.items.map(({ metadata }) => metadata?.uid)).toEqual([made.metadata?.uid]);

    const change = { ...header, data: { b: "2" } };
    const patched = await api.patch<V1ConfigMap>(
      change,
      undefined,
      undefined,
      undefined,
      undefined,
      PatchStrategy.MergePatch,
    );
    expect(patched.data).toEqual({ a: "1", b: "2" });
    const replaced = await api.replace<V1ConfigMap>({ ...patched, data: { c: "3" } });
    expect(replaced.data).toEqual({ c: "3" });

    const owner = await api.create({ ...header, metadata: { name: "owner", namespace } });
    const references = [ownedBy(owner as V1ConfigMap)];
    await api.create({
      ...header,
      metadata: { name: "dependent", namespace, ownerReferences: references },
    });
    await api.delete(owner, undefined, undefined, undefined, undefined, "Foreground");
    await namesAre(["any"]);
    await api.delete(header);
    expect(await names()).toEqual([]);
  });
});

describe("an informer over 300 ConfigMaps", () => {
  const DEPENDENTS = 100;
  let line: BreakableLine;

  beforeEach(async () => {
    const { server: endpoint } = config.getCurrentCluster() ?? {};
    line = await breakableLine(Number(new URL(endpoint ?? "").port));
    return () => line.close();
  });

  const breaks = {
    "nothing happens": () => undefined,
    "the line is cut": () => line.cut(300),
    "workerd is killed": () => {
      process.kill(Number.parseInt(readFileSync(join(server.dataDir, "workerd.pid"), "utf8"), 10), "SIGKILL");
    },
  };

  it.each(Object.entries(breaks))("ends with the server's state when %s in a cascade", async (_, happen) => {
    const owners = await Promise.all(["a", "b", "c"].map((name) => makeConfigMap(name)));
    await Promise.all(
      owners.flatMap((owner) =>
        Array.from({ length: DEPENDENTS }, (__, i) =>
          makeConfigMap(`${owner.metadata?.name}-${i}`, [ownedBy(owner)]),
        ),
      ),
    );

    const watched = new KubeConfig();
    watched.loadFromString(
      readFileSync(server.kubeconfig, "utf8").replace(/(https:\/\/127\.0\.0\.1:)\d+/, `$1${line.port}`),
    );
    const through = watched.makeApiClient(CoreV1Api);
    const informer = makeInformer(watched, `/api/v1/namespaces/${namespace}/configmaps`, () =>
      through.listNamespacedConfigMap({ namespace }),
    );
    /** What somebody knows who only listens. */
    const told = new Map<string, string>();
    const keep = ({ metadata }: V1ConfigMap) =>
      told.set(metadata?.name ?? "", metadata?.resourceVersion ?? "");
    let broken = false;
    informer.on("add", keep);
    informer.on("update", keep);
    informer.on("delete", ({ metadata }) => {
      told.delete(metadata?.name ?? "");
      if (!broken && metadata?.name?.startsWith("a-")) {
        broken = true;
        happen();
      }
    });
    informer.on("error", () => setTimeout(() => informer.start(), 100));
    await informer.start();
    expect(informer.list()).toHaveLength(3 * DEPENDENTS + 3);

    await core.deleteNamespacedConfigMap({ namespace, name: "a", propagationPolicy: "Background" });
    await eventually(
      async () => broken,
      (happened) => happened,
    );
    // What happens while nobody listens is told later.
    await insist(() => makeConfigMap("new"));
    await insist(() => core.deleteNamespacedConfigMap({ namespace, name: "b", propagationPolicy: "Orphan" }));

    const expected = await eventually(stateOfServer, (state) => state.size === 2 * DEPENDENTS + 2, 30_000);
    await eventually(
      async () => ({ cached: stateOf(informer.list()), told: inOrder(told) }),
      ({ cached, told: heard }) => [cached, heard].every((state) => same(state, expected)),
      30_000,
    );
    await informer.stop();
  });

  /** Name → resourceVersion. The orphans lose their owner one after another: only what stays the same is a state. */
  async function stateOfServer(): Promise<Map<string, string>> {
    const { items } = await core.listNamespacedConfigMap({ namespace }).catch(() => ({ items: [] }));
    const owned = items.filter(({ metadata }) =>
      metadata?.ownerReferences?.some(({ name }) => name === "a" || name === "b"),
    );
    return owned.length > 0 ? new Map() : stateOf(items);
  }

  const stateOf = (items: readonly V1ConfigMap[]): Map<string, string> =>
    inOrder(new Map(items.map(({ metadata }) => [metadata?.name ?? "", metadata?.resourceVersion ?? ""])));

  const inOrder = (state: ReadonlyMap<string, string>): Map<string, string> =>
    new Map([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));

  const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
    JSON.stringify([...a]) === JSON.stringify([...b]);

  /** A server that has died is not there for a moment, and may have done before what it is asked for again. */
  const insist = (call: () => Promise<unknown>): Promise<boolean> => {
    const done = (fault: unknown) => fault instanceof ApiException && [404, 409].includes(fault.code);
    return eventually(() => call().then(() => true, done), Boolean, 30_000);
  };
});
