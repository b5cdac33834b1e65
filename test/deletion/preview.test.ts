import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { makeCluster, type TestCluster, writeKubeconfig } from "../cluster.ts";
import { kubectls, Shell } from "../kubectl/kubectl.ts";
import { eventually, startServer, type TestServer } from "../server.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const [program] = kubectls();

let server: TestServer;
let folder: string;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), "kubegc-deletion-"));
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});

let cluster: TestCluster;
let shell: Shell;

beforeEach(async () => {
  if (program === undefined) throw new Error("there is no kubectl");
  cluster = await makeCluster(server, `deletion-${clusters++}`);
  shell = new Shell(program, writeKubeconfig(server, cluster, folder), folder);
});

async function make(name: string, owners: readonly string[] = [], metadata: object = {}): Promise<string> {
  const ownerReferences = await Promise.all(
    owners.map(async (owner) => {
      const { body } = await cluster.call("GET", `${MAPS}/${owner}`);
      return {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: owner,
        uid: body.metadata.uid,
        blockOwnerDeletion: true,
      };
    }),
  );
  const made = await cluster.call("POST", MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ownerReferences, ...metadata },
  });
  expect(made.code).toBe(201);
  return made.body.metadata.uid;
}

const target = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "root" };

const question = (kind: string, spec: object) =>
  stringify({ apiVersion: "gc.kubegc.dev/v1alpha1", kind, spec });

async function ask(kind: string, spec: object) {
  return parse(await shell.kubectl("create -f - -o yaml", question(kind, spec)));
}

const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);
const left = async (): Promise<string[]> =>
  names((await cluster.call("GET", MAPS)).body.items.map(metadataOf));
const metadataOf = ({ metadata }: { metadata: { name: string } }) => metadata;

describe("kubectl delete --dry-run=server", () => {
  it("warns of all that would go, and of what would hold it up", async () => {
    await make("root");
    await make("middle", ["root"]);
    await make("leaf", ["middle"], { finalizers: ["example.com/wait"] });
    const { stdout, stderr } = await shell.run(["delete", "configmap", "root", "--dry-run=server"]);
    expect(stdout).toBe('configmap "root" deleted (server dry run)\n');
    expect(stderr).toContain("Warning: would delete 2 more: 2 ConfigMap\n");
    expect(stderr).toContain(
      "Warning: ConfigMap default/leaf would wait for the finalizer example.com/wait\n",
    );
    expect(await left()).toEqual(["leaf", "middle", "root"]);
  });

  it("tells what is left without an owner", async () => {
    await make("root");
    await make("leaf", ["root"]);
    const { stderr } = await shell.run(["delete", "cm", "root", "--dry-run=server", "--cascade=orphan"]);
    expect(stderr).toContain("Warning: would leave 1 without an owner: 1 ConfigMap\n");
  });

  it("has nothing to say about an object that goes alone", async () => {
    await make("root");
    expect((await shell.run(["delete", "cm", "root", "--dry-run=server"])).stderr).toBe("");
  });
});

describe("a DeletionPreview", () => {
  it("lists what goes in order, what lives on, and what holds it up", async () => {
    await make("root");
    await make("other");
    await make("leaf", ["root"]);
    await make("shared", ["root", "other"]);
    await make("held", ["root"], { finalizers: ["example.com/wait"] });
    const { status } = await ask("DeletionPreview", { target, propagationPolicy: "Foreground" });
    expect(status).toMatchObject({
      deletes: [{ kind: "ConfigMap", namespace: "default", name: "leaf" }],
      keeps: [{ name: "shared" }],
      blockers: [{ name: "held", finalizers: ["example.com/wait"] }],
      orphans: [],
    });
    expect(names(status.deletesOnceUnblocked)).toEqual(["held", "root"]);
  });

  it("is refused with the field that is wrong", async () => {
    const refused = async (spec: object) => {
      const { code, stderr } = await shell.run(["create", "-f", "-"], question("DeletionPreview", spec));
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused({})).toContain("spec.target: Required value");
    expect(await refused({ target: { ...target, kind: "Ghost" } })).toContain("spec.target.kind");
    expect(await refused({ target: { ...target, namespace: "" } })).toContain("spec.target.namespace");
    expect(await refused({ target, propagationPolicy: "Sideways" })).toContain("spec.propagationPolicy");
    expect(await refused({ target, odd: 1 })).toContain("spec.odd");
    expect(await refused({ target })).toContain('configmaps "root" not found');
  });

  it("has a hash that a DELETE can be held to", async () => {
    await make("root");
    await make("leaf", ["root"]);
    const { status } = await ask("DeletionPreview", { target });
    await make("late", ["root"]);
    const held = `${MAPS}/root?previewHash=${status.hash}`;
    const refused = await cluster.call("DELETE", held);
    expect(refused).toMatchObject({ code: 409, body: { reason: "Conflict" } });
    expect(refused.body.message).toContain("ConfigMap default/late now goes");
    expect(await left()).toEqual(["late", "leaf", "root"]);

    const again = await ask("DeletionPreview", { target });
    // Raw paths begin at the host.
    const path = `/clusters/${cluster.name}${MAPS}/root`;
    const line = `delete --raw ${path}?previewHash=${again.status.hash}`;
    await shell.kubectl(line);
    await eventually(left, (found) => found.length === 0);
  });
});

describe("a DeletionStatus", () => {
  it("says which finalizer waits, who set it, and how far the cascade is", async () => {
    await make("root");
    await make("free", ["root"]);
    await make("held", ["root"]);
    const patch = '{"metadata":{"finalizers":["example.com/wait"]}}';
    await shell.kubectl(`patch cm held --type=merge --field-manager=storage-operator -p ${patch}`);
    await shell.kubectl("delete cm root --cascade=foreground --wait=false");
    await eventually(left, (found) => found.length === 2);

    const list = await shell.kubectl("get deletionstatuses --no-headers");
    expect(list).toMatch(
      /ConfigMap +default +root +\S+ +1\/3 +ConfigMap default\/held waits for the finalizer/,
    );
    const { status } = await ask("DeletionStatus", { target: { ...target, name: "held" } });
    expect(status).toMatchObject({
      phase: "Terminating",
      rule: "owner-deleting",
      finalizers: [{ name: "example.com/wait", setBy: "storage-operator" }],
      owners: [{ name: "root", state: "waiting" }],
    });
  });

  it("of an object that lives says what it owns and what would be left", async () => {
    await make("root");
    await make("leaf", ["root"]);
    const { status } = await ask("DeletionStatus", { target });
    expect(status).toMatchObject({
      phase: "Active",
      owns: { total: 1, first: [{ name: "leaf", blocking: true }] },
      ifDeleted: { deletes: { ConfigMap: 2 } },
    });
  });
});

it("every deletion leaves a record that leads to its cause", async () => {
  const root = await make("root");
  const middle = await make("middle", ["root"]);
  await make("leaf", ["middle"]);
  await shell.kubectl("delete cm root");
  await eventually(left, (found) => found.length === 0);
  const records = await shell.kubectl(`get deletionrecords --field-selector root=${root} -o yaml`);
  const found = parse(records).items.map(
    ({ spec }: { spec: { target: { name: string }; cause?: string; rule: string } }) => [
      spec.target.name,
      spec.rule,
      spec.cause,
    ],
  );
  expect(found.sort()).toEqual([
    ["leaf", "owner-absent", middle],
    ["middle", "owner-absent", root],
    ["root", "request", undefined],
  ]);
});
