import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { parse, stringify } from "yaml";
import { makeCluster, type TestCluster, writeKubeconfig } from "../cluster.ts";
import { kubectls, Shell } from "../kubectl/kubectl.ts";
import { startServer, type TestServer } from "../server.ts";

export const MAPS = "/api/v1/namespaces/default/configmaps";
const [program] = kubectls();

/** A server, and for each test a cluster with kubectl at work on it. */
export class DeletionSession {
  readonly #server: TestServer;
  readonly #folder: string;
  #clusters = 0;

  private constructor(server: TestServer, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  static async start(): Promise<DeletionSession> {
    return new DeletionSession(await startServer(), mkdtempSync(join(tmpdir(), "kubegc-deletion-")));
  }

  async end(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async cluster(): Promise<DeletionCluster> {
    if (program === undefined) throw new Error("there is no kubectl");
    const cluster = await makeCluster(this.#server, `deletion-${this.#clusters++}`);
    const kubeconfig = writeKubeconfig(this.#server, cluster, this.#folder);
    return new DeletionCluster(cluster, new Shell(program, kubeconfig, this.#folder));
  }
}

const document = (kind: string, spec: object, metadata: object = {}) =>
  stringify({ apiVersion: "gc.kubegc.dev/v1alpha1", kind, metadata, spec });

export class DeletionCluster {
  readonly cluster: TestCluster;
  readonly shell: Shell;

  constructor(cluster: TestCluster, shell: Shell) {
    this.cluster = cluster;
    this.shell = shell;
  }

  /** Makes a ConfigMap that those others own; returns its uid. */
  async make(name: string, owners: readonly string[] = [], metadata: object = {}): Promise<string> {
    const ownerReferences = await Promise.all(
      owners.map(async (owner) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: owner,
        uid: (await this.metadata(owner)).uid,
        blockOwnerDeletion: true,
      })),
    );
    const made = await this.cluster.call("POST", MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ownerReferences, ...metadata },
    });
    expect(made.code).toBe(201);
    return made.body.metadata.uid;
  }

  async metadata(name: string) {
    return (await this.cluster.call("GET", `${MAPS}/${name}`)).body.metadata;
  }

  /** Creates an object of this project's group with kubectl, and reads the answer. */
  async ask(kind: string, spec: object, metadata: object = {}) {
    return parse(await this.shell.kubectl("create -f - -o yaml", document(kind, spec, metadata)));
  }

  /** The same for one that is to be refused; returns what kubectl printed. */
  async refused(kind: string, spec: object, metadata: object = {}): Promise<string> {
    const { code, stderr } = await this.shell.run(["create", "-f", "-"], document(kind, spec, metadata));
    expect(code).toBe(1);
    return stderr;
  }

  /** The names of the ConfigMaps that are left. */
  async left(): Promise<string[]> {
    const { body } = await this.cluster.call("GET", MAPS);
    return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  }
}

export const target = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "root" };
export const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);
