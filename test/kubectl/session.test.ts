import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { makeCluster, type TestCluster, writeKubeconfig } from "../cluster.ts";
import { eventually, startServer, type TestServer } from "../server.ts";
import { kubectls, Shell } from "./kubectl.ts";

const REPLICA_SET = join(import.meta.dirname, "replicaset.yaml");
const LABEL = { "pod-is-for": "garbage-collection-example" };
const REPLICA_SET_PATH = "/apis/apps/v1/namespaces/default/replicasets/my-repset";
const PODS = "/api/v1/namespaces/default/pods";
const NAMES = ["my-repset-0", "my-repset-1", "my-repset-2"];
/** So long something that must not happen is waited for, in milliseconds. */
const A_WHILE = 500;

let server: TestServer;
let folder: string;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), "kubegc-kubectl-"));
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});

describe.each(kubectls())("kubectl $version", (program) => {
  let cluster: TestCluster;
  let shell: Shell;

  beforeEach(async () => {
    cluster = await makeCluster(server, `session-${clusters++}`);
    shell = new Shell(program, writeKubeconfig(server, cluster, folder), folder);
  });
  afterEach(() => shell.end());

  const exists = async (path: string) => (await cluster.call("GET", path)).code === 200;
  const gone = (path: string) =>
    eventually(
      () => exists(path),
      (found) => !found,
    );
  /** The names of the Pods that are left, in order. */
  const pods = async (): Promise<string[]> => {
    const { body } = await cluster.call("GET", PODS);
    return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  };
  const podsAre = (wanted: string[]) =>
    eventually(pods, (left) => JSON.stringify(left) === JSON.stringify(wanted));
  const metadataOf = async (path: string) => (await cluster.call("GET", path)).body.metadata;

  /** Takes a finalizer off, as whoever set it does when its work is done. */
  const letGo = async (what: string) => {
    const patch = '{"metadata":{"finalizers":null}}';
    expect(await shell.run(["patch", ...what.split(" "), "--type=merge", "-p", patch])).toMatchObject({
      code: 0,
    });
  };

  /** The ReplicaSet of the documentation, with the Pods that its controller makes. */
  async function applyReplicaSet(more: { finalizers?: string[] } = {}): Promise<string> {
    await shell.kubectl(`apply -f ${REPLICA_SET}`);
    const { uid } = await metadataOf(REPLICA_SET_PATH);
    const documents = NAMES.map((name, index) =>
      stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name,
          labels: LABEL,
          ownerReferences: [
            {
              apiVersion: "apps/v1",
              kind: "ReplicaSet",
              name: "my-repset",
              uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
          ...(index === 0 && more),
        },
        spec: { containers: [{ name: "nginx", image: "nginx" }] },
      }),
    );
    await shell.kubectl("create -f -", documents.join("---\n"));
    return uid;
  }

  it("apply makes the ReplicaSet, and get shows the owner of its Pods", async () => {
    const uid = await applyReplicaSet();
    const { items } = parse(await shell.kubectl("get pods --output=yaml"));
    expect(items.map((pod: { metadata: { name: string } }) => pod.metadata.name)).toEqual(NAMES);
    for (const pod of items) {
      expect(pod.metadata.ownerReferences).toEqual([
        {
          apiVersion: "apps/v1",
          controller: true,
          blockOwnerDeletion: true,
          kind: "ReplicaSet",
          name: "my-repset",
          uid,
        },
      ]);
    }
    expect(await shell.kubectl(`apply -f ${REPLICA_SET}`)).toBe("replicaset.apps/my-repset unchanged\n");
    expect(await shell.kubectl("get replicaset my-repset")).toMatch(
      /^NAME +DESIRED +CURRENT +READY +AGE\nmy-repset +3 +0 +0 /,
    );
  });

  /** The requests of the documentation, once with a token and once through `kubectl proxy`. */
  describe.each(["with a token", "through kubectl proxy"])("curl %s", (way) => {
    async function curlDelete(propagationPolicy: string) {
      let [base, headers] = [cluster.base, ["-H", `Authorization: Bearer ${cluster.token}`]];
      if (way === "through kubectl proxy") {
        const proxy = shell.start("proxy --port=0");
        const [, address] = await eventually(
          async () => /Starting to serve on (\S+)\n/.exec(proxy.printed()) ?? [],
          ([line]) => line !== undefined,
        );
        base = `http://${address}/clusters/${cluster.name}`;
        headers = [];
      }
      const { stdout } = await promisify(execFile)("curl", [
        "-sS",
        ...["-X", "DELETE", `${base}${REPLICA_SET_PATH}`],
        ...["-d", JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy })],
        ...["-H", "Content-Type: application/json"],
        ...headers,
      ]);
      return JSON.parse(stdout);
    }

    it("Background removes the owner at once and then its Pods", async () => {
      const uid = await applyReplicaSet();
      expect(await curlDelete("Background")).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "my-repset", group: "apps", kind: "replicasets", uid },
      });
      expect(await exists(REPLICA_SET_PATH)).toBe(false);
      await podsAre([]);
    });

    it("Foreground keeps the owner, terminating, until its last Pod has gone", async () => {
      await applyReplicaSet({ finalizers: ["example.com/hold"] });
      const { metadata } = await curlDelete("Foreground");
      expect(metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(metadata.finalizers).toEqual(["foregroundDeletion"]);

      await podsAre(["my-repset-0"]);
      await new Promise((resolve) => setTimeout(resolve, A_WHILE));
      expect(await metadataOf(REPLICA_SET_PATH)).toMatchObject({
        deletionTimestamp: metadata.deletionTimestamp,
        finalizers: ["foregroundDeletion"],
      });
      expect(await metadataOf(`${PODS}/my-repset-0`)).toMatchObject({
        deletionTimestamp: expect.any(String),
      });
      await letGo("pod my-repset-0");
      await gone(REPLICA_SET_PATH);
      expect(await pods()).toEqual([]);
    });

    it("Orphan removes the owner and leaves the Pods without a reference to it", async () => {
      await applyReplicaSet();
      const { metadata } = await curlDelete("Orphan");
      expect(metadata.finalizers).toEqual(["orphan"]);
      await gone(REPLICA_SET_PATH);
      await new Promise((resolve) => setTimeout(resolve, A_WHILE));
      const { body } = await cluster.call("GET", PODS);
      expect(body.items.map(orphaned)).toEqual(NAMES.map((name) => ({ name })));
    });
  });

  describe("delete", () => {
    it.each(["", "--cascade=background", "--cascade=true"])(
      "%s removes the Pods after their owner",
      async (cascade) => {
        await applyReplicaSet();
        const ran = await shell.run(`delete replicaset my-repset ${cascade}`.trim().split(" "));
        expect(ran).toMatchObject({ code: 0, stdout: 'replicaset.apps "my-repset" deleted\n' });
        expect(ran.stderr.includes("deprecated")).toBe(cascade === "--cascade=true");
        expect(await exists(REPLICA_SET_PATH)).toBe(false);
        await podsAre([]);
      },
    );

    it("--cascade=foreground returns when the owner has gone, after its Pods", async () => {
      await applyReplicaSet({ finalizers: ["example.com/hold"] });
      const deletion = shell.start("delete replicaset my-repset --cascade=foreground");
      await podsAre(["my-repset-0"]);
      expect(await metadataOf(REPLICA_SET_PATH)).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: ["foregroundDeletion"],
      });
      await letGo("pod my-repset-0");
      expect(await deletion.exit).toBe(0);
      expect(await exists(REPLICA_SET_PATH)).toBe(false);
      expect(await pods()).toEqual([]);
    });

    it.each(["--cascade=orphan", "--cascade=false"])(
      "%s leaves the Pods, without an owner",
      async (cascade) => {
        await applyReplicaSet();
        await shell.kubectl(`delete replicaset my-repset ${cascade}`);
        expect(await exists(REPLICA_SET_PATH)).toBe(false);
        await new Promise((resolve) => setTimeout(resolve, A_WHILE));
        const { body } = await cluster.call("GET", PODS);
        expect(body.items.map(orphaned)).toEqual(NAMES.map((name) => ({ name })));
      },
    );

    it("waits for what a finalizer holds, and gives up in time", async () => {
      await shell.kubectl("create configmap held");
      await cluster.call(
        "PATCH",
        "/api/v1/namespaces/default/configmaps/held",
        ...merge(["example.com/hold"]),
      );

      const hasty = await shell.run(["delete", "configmap", "held", "--timeout=1s"]);
      expect(hasty.code).toBe(1);
      expect(hasty.stderr).toContain("error: timed out waiting for the condition on configmaps/held");
      expect(await exists("/api/v1/namespaces/default/configmaps/held")).toBe(true);

      const patient = shell.start("delete configmap held --wait");
      await eventually(
        async () => patient.printed(),
        (printed) => printed.includes('configmap "held" deleted'),
      );
      await letGo("configmap held");
      expect(await patient.exit).toBe(0);
      expect(await exists("/api/v1/namespaces/default/configmaps/held")).toBe(false);
    });

    it("returns when the object was made again under the same name", async () => {
      await shell.kubectl("create configmap again");
      await cluster.call(
        "PATCH",
        "/api/v1/namespaces/default/configmaps/again",
        ...merge(["example.com/hold"]),
      );
      const deletion = shell.start("delete configmap again");
      await eventually(
        async () => deletion.printed(),
        (printed) => printed.includes("deleted"),
      );
      await letGo("configmap again");
      await cluster.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "again" } });
      expect(await deletion.exit).toBe(0);
      expect(await exists("/api/v1/namespaces/default/configmaps/again")).toBe(true);
    });

    it("by label deletes what the label selects, and says when that is nothing", async () => {
      await applyReplicaSet();
      await shell.kubectl("create configmap other");
      expect(await shell.kubectl("delete pods -l pod-is-for=garbage-collection-example")).toBe(
        NAMES.map((name) => `pod "${name}" deleted\n`).join(""),
      );
      const none = await shell.run(["delete", "configmaps", "-l", "a=b"]);
      expect(none).toMatchObject({ code: 0, stdout: "No resources found\n" });
      expect(await exists("/api/v1/namespaces/default/configmaps/other")).toBe(true);
    });

    it("--grace-period=0 gives a running Pod one second, and none with --force", async () => {
      const spec = { nodeName: "somewhere", containers: [{ name: "nginx", image: "nginx" }] };
      await cluster.call("POST", PODS, { metadata: { name: "running" }, spec });
      await shell.kubectl("delete pod running --grace-period=0 --wait=false");
      expect(await metadataOf(`${PODS}/running`)).toMatchObject({ deletionGracePeriodSeconds: 1 });
      const ran = await shell.run("delete pod running --grace-period=0 --force".split(" "));
      expect(ran).toMatchObject({ code: 0, stdout: 'pod "running" force deleted\n' });
      expect(await pods()).toEqual([]);
    });

    it("--dry-run=server deletes nothing", async () => {
      await applyReplicaSet();
      expect(await shell.kubectl("delete replicaset my-repset --dry-run=server")).toBe(
        'replicaset.apps "my-repset" deleted (server dry run)\n',
      );
      await new Promise((resolve) => setTimeout(resolve, A_WHILE));
      expect(await exists(REPLICA_SET_PATH)).toBe(true);
      expect(await pods()).toEqual(NAMES);
    });

    it("of what is not there says so", async () => {
      const ran = await shell.run(["delete", "configmap", "nope"]);
      expect(ran).toMatchObject({
        code: 1,
        stderr: 'Error from server (NotFound): configmaps "nope" not found\n',
      });
      expect((await shell.run(["delete", "configmap", "nope", "--ignore-not-found"])).code).toBe(0);
    });

    it("of a namespace waits until all in it has gone", async () => {
      await shell.kubectl("create namespace team");
      await shell.kubectl("create configmap one -n team");
      await shell.kubectl("create secret generic two -n team");
      expect(await shell.kubectl("delete namespace team")).toBe('namespace "team" deleted\n');
      expect(await exists("/api/v1/namespaces/team")).toBe(false);
      await shell.kubectl("create namespace team");
      expect((await shell.run(["get", "configmaps,secrets", "-n", "team"])).stderr).toContain(
        "No resources found in team namespace.",
      );
    });
  });

  it("get -w shows each change as it happens", async () => {
    await shell.kubectl("create configmap watched --from-literal=a=1");
    const watch = shell.start("get configmaps -w --no-headers --output-watch-events");
    /** Lines that have been printed to their end. */
    const lines = (count: number) =>
      eventually(
        async () => watch.printed().split("\n").slice(0, -1),
        (printed) => printed.length >= count,
      );
    expect(await lines(1)).toEqual([expect.stringMatching(/^ADDED +watched +1 /)]);
    await shell.run(["patch", "configmap", "watched", "--type=merge", "-p", '{"data":{"b":"2"}}']);
    await lines(2);
    await shell.kubectl("delete configmap watched");
    expect(await lines(3)).toEqual([
      expect.stringMatching(/^ADDED +watched +1 /),
      expect.stringMatching(/^MODIFIED +watched +2 /),
      expect.stringMatching(/^DELETED +watched +2 /),
    ]);
  });

  it("wait --for=delete ends when the object goes, not before", async () => {
    await applyReplicaSet({ finalizers: ["example.com/hold"] });
    await shell.kubectl("delete replicaset my-repset --wait=false --cascade=foreground");
    const hasty = await shell.run("wait --for=delete replicaset/my-repset --timeout=1s".split(" "));
    expect(hasty).toMatchObject({ code: 1, stderr: expect.stringContaining("timed out waiting") });

    // It has to see the object before that goes; what it asks the server is printed.
    const waiting = shell.start("wait --for=delete replicaset/my-repset --timeout=20s -v=6");
    await eventually(
      async () => waiting.printed(),
      (printed) => /replicasets.*200 OK/.test(printed),
    );
    await letGo("pod my-repset-0");
    expect(await waiting.exit).toBe(0);
    expect(waiting.printed()).toContain("replicaset.apps/my-repset condition met\n");
    expect(await exists(REPLICA_SET_PATH)).toBe(false);
  });

  it("get events shows a dependent whose owner is in another namespace", async () => {
    await shell.kubectl("create namespace elsewhere");
    await shell.kubectl("create configmap owner -n elsewhere");
    const { uid } = await metadataOf("/api/v1/namespaces/elsewhere/configmaps/owner");
    await shell.kubectl(
      "create -f -",
      stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: "dependent",
          ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }],
        },
      }),
    );
    await gone("/api/v1/namespaces/default/configmaps/dependent");
    const line = "get events -A --field-selector=reason=OwnerRefInvalidNamespace --no-headers";
    const printed = await eventually(
      () => shell.kubectl(line),
      (text) => text !== "",
    );
    expect(printed.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^default +\S+ +Warning +OwnerRefInvalidNamespace +configmap\/dependent +ownerRef \[v1\/ConfigMap, namespace: default, name: owner, uid: \S+\] does not exist in namespace "default"$/,
      ),
    ]);
    expect(printed).toContain(uid);
    expect(await exists("/api/v1/namespaces/elsewhere/configmaps/owner")).toBe(true);
  });
});

interface PodMetadata {
  name: string;
  ownerReferences?: unknown[];
  finalizers?: string[];
  deletionTimestamp?: string;
}

/** What deletion leaves on a Pod: of one that was orphaned, nothing but its name. */
function orphaned({ metadata }: { metadata: PodMetadata }): Partial<PodMetadata> {
  const { name, ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    name,
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(deletionTimestamp && { deletionTimestamp }),
  };
}

const merge = (finalizers: string[]): [object, Record<string, string>] => [
  { metadata: { finalizers } },
  { "content-type": "application/merge-patch+json" },
];
