import type { TestCluster } from "../cluster.ts";
import type { Answer } from "../server.ts";

/** What a sweep is shown at: objects some of which have to go, in a cluster of their own. */
export interface Scene {
  sweep: string;
  /** Settings of the sweep that bring what goes within a test's reach; upstream's defaults otherwise. */
  settings?: object;
  /** Puts the objects there. */
  lay(stage: Stage): Promise<Laid>;
}

export interface Laid {
  /** Paths of what goes, and by which rule. */
  going: Record<string, string>;
  /** Paths of what stays. */
  staying: string[];
  /** Reasons of Events that tell of it, by what they are about. */
  events?: string[];
}

const MERGE = { "content-type": "application/merge-patch+json" };

/** Objects of a cluster, by the paths of the API. */
export class Stage {
  readonly cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  /** Creates an object, with its status, in the order that upstream's controllers would. Returns its path. */
  async put(collection: string, name: string, { status, ...object }: Fields = {}): Promise<string> {
    const { metadata = {}, ...fields } = object;
    const made = await this.cluster.call("POST", collection, { metadata: { ...metadata, name }, ...fields });
    if (made.code !== 201) throw new Error(`${collection}/${name}: ${made.text}`);
    const path = `${collection}/${name}`;
    if (status !== undefined) await this.patch(`${path}/status`, { status });
    return path;
  }

  async patch(path: string, change: object): Promise<Answer> {
    const patched = await this.cluster.call("PATCH", path, change, MERGE);
    if (patched.code !== 200) throw new Error(`${path}: ${patched.text}`);
    return patched;
  }

  /** Deletes an object, which may still be there afterwards. */
  async delete(path: string): Promise<void> {
    const deleted = await this.cluster.call("DELETE", path);
    if (deleted.code !== 200 && deleted.code !== 202)
      throw new Error(`${path}: ${deleted.code} ${deleted.text}`);
  }

  async get(path: string): Promise<Answer> {
    return this.cluster.call("GET", path);
  }

  /** How another object names this one as its owner. */
  async reference(path: string): Promise<object> {
    const { apiVersion, kind, metadata } = (await this.get(path)).body;
    const { name, uid } = metadata;
    return { apiVersion, kind, name, uid };
  }

  /** Metadata of an object that has this one as its owner, and controller. */
  async controlledBy(path: string): Promise<object> {
    return { ownerReferences: [{ ...(await this.reference(path)), controller: true }] };
  }

  /** Puts settings of sweeps into effect, instead of those there were. */
  async settings(sweeps: object, more: object = {}): Promise<void> {
    const path = "/apis/gc.kubegc.dev/v1alpha1/sweeppolicies";
    const { code, text } = await this.cluster.call("GET", `${path}/all`);
    if (code === 404) await this.put(path, "all", { spec: { ...more, sweeps } });
    else {
      const { metadata } = JSON.parse(text);
      const body = { metadata, spec: { ...more, sweeps } };
      const replaced = await this.cluster.call("PUT", `${path}/all`, body);
      if (replaced.code !== 200) throw new Error(replaced.text);
    }
  }

  /** Runs a sweep now; the run when it is over. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into freely by tests
  async run(sweep: string, dryRun = false): Promise<any> {
    const made = await this.cluster.call("POST", RUNS, { spec: { sweep, dryRun } });
    if (made.code !== 201) throw new Error(made.text);
    return made.body;
  }

  /** Which of the paths lead to an object. */
  async present(paths: readonly string[]): Promise<string[]> {
    const answers = await Promise.all(paths.map((path) => this.get(path)));
    return paths.filter((_, i) => answers[i]?.code === 200);
  }
}

export const RUNS = "/apis/gc.kubegc.dev/v1alpha1/sweepruns";

export interface Fields {
  metadata?: object;
  status?: object;
  [field: string]: unknown;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** A time as the API prints it, so many milliseconds from now. */
export const fromNow = (millis: number): string =>
  new Date(Date.now() + millis).toISOString().replace(/\.\d+/, "");
export const ago = (millis: number): string => fromNow(-millis);
/** The same with microseconds, as Leases have it. */
export const microsAgo = (millis: number): string =>
  new Date(Date.now() - millis).toISOString().replace("Z", "000Z");

export const CORE = "/api/v1";
export const DEFAULT = `${CORE}/namespaces/default`;
export const SYSTEM = `${CORE}/namespaces/kube-system`;
