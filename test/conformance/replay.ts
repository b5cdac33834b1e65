import { isDeepStrictEqual } from "node:util";
import type { Answer, TestServer } from "../server.ts";
import { type CaseKind, collectionPath, kindNamed } from "./kinds.ts";
import type {
  CaseObject,
  CaseOwner,
  Condition,
  RecordedCase,
  Reply,
  Seen,
  State,
  Step,
} from "./recorded-case.ts";

/** A state counts as settled when it has stayed as recorded for so long, in milliseconds, … */
const SETTLED = 300;
/** … or as anything else for so long: then it is not going to become what was recorded. */
const STUCK = 5_000;
const LOOK_EVERY = 100;

const MERGE_PATCH = "application/merge-patch+json";
const NO_SUCH_UID = "00000000-0000-4000-8000-000000000000";

/**
 * One case on a server. Its namespaces and objects get names of their own, so that many cases share a server;
 * nothing is cleaned up after it.
 */
export class Replay {
  readonly #server: TestServer;
  readonly #suffix = Math.random().toString(36).slice(2, 10);
  readonly #namespaces: string[];
  readonly #objects = new Map<string, CaseObject>();
  /** By id. */
  readonly #uids = new Map<string, string>();

  private constructor(server: TestServer, namespaces: readonly string[]) {
    this.#server = server;
    this.#namespaces = namespaces.map((name) => this.#named(name));
  }

  static async begin(server: TestServer, { namespaces }: RecordedCase): Promise<Replay> {
    const replay = new Replay(server, namespaces);
    for (const name of replay.#namespaces) {
      const made = await server.call("POST", "/api/v1/namespaces", { metadata: { name } });
      if (made.code !== 201) throw new Error(`no namespace ${name}: ${made.code} ${made.text}`);
    }
    return replay;
  }

  /** Does a step. `settle` waits for the state that was recorded, and returns another one when that does not come. */
  async step(step: Step, recorded: Seen | undefined): Promise<Seen> {
    if ("settle" in step) {
      const wanted = recorded && "state" in recorded ? recorded.state : {};
      return { state: await this.#settle(wanted) };
    }
    return seenIn(await this.#call(step));
  }

  #call(step: Exclude<Step, { settle: true }>): Promise<Answer> {
    if ("create" in step) return this.#create(step.create);
    if ("delete" in step) return this.#delete(step);
    if ("deleteCollection" in step) {
      const collection = collectionPath(kindNamed(step.deleteCollection), this.#named(step.ns));
      return this.#send("DELETE", `${collection}?labelSelector=case%3D${this.#suffix}`, {
        ...DELETE_OPTIONS,
        ...(step.policy && { propagationPolicy: step.policy }),
      });
    }
    if ("deleteNamespace" in step) {
      const path = `/api/v1/namespaces/${this.#named(step.deleteNamespace)}`;
      return this.#send("DELETE", path, DELETE_OPTIONS);
    }
    if ("setFinalizers" in step) {
      return this.#patchMetadata(step.setFinalizers, { finalizers: orNull(step.finalizers) });
    }
    if ("setOwners" in step) {
      const references = step.owners.map((owner) => this.#reference(owner));
      return this.#patchMetadata(step.setOwners, { ownerReferences: orNull(references) });
    }
    return this.#request(step);
  }

  async #create(object: CaseObject): Promise<Answer> {
    const { apiVersion, content, ...rest } = kindNamed(object.kind);
    const metadata = {
      name: this.#named(object.id),
      labels: { case: this.#suffix },
      ...(object.owners && { ownerReferences: object.owners.map((owner) => this.#reference(owner)) }),
      ...(object.finalizers && { finalizers: object.finalizers }),
    };
    const path = collectionPath({ apiVersion, ...rest }, this.#named(object.ns));
    const answer = await this.#send("POST", path, { apiVersion, kind: object.kind, metadata, ...content });
    this.#remember(object, answer);
    return answer;
  }

  #delete(step: Extract<Step, { delete: string }>): Promise<Answer> {
    const path = this.#path(this.#object(step.delete));
    if (step.query) return this.#send("DELETE", `${path}?${step.query}`);
    if (step.noBody) return this.#send("DELETE", path);
    const { uid, resourceVersion } = step.preconditions ?? {};
    return this.#send("DELETE", path, {
      ...DELETE_OPTIONS,
      ...(step.policy && { propagationPolicy: step.policy }),
      ...(step.orphanDependents !== undefined && { orphanDependents: step.orphanDependents }),
      ...(step.dryRun && { dryRun: ["All"] }),
      ...(step.preconditions && {
        preconditions: {
          ...(uid && { uid: uid === "self" ? this.#uids.get(step.delete) : uid }),
          ...(resourceVersion && { resourceVersion }),
        },
      }),
    });
  }

  async #request({ request, as }: Extract<Step, { request: object }>): Promise<Answer> {
    const { method, path, body, contentType } = request;
    const answer = await this.#send(method, this.#filledIn(path), this.#filledIn(body), contentType);
    if (as) this.#remember(as, answer);
    return answer;
  }

  #patchMetadata(id: string, metadata: object): Promise<Answer> {
    return this.#send("PATCH", this.#path(this.#object(id)), { metadata }, MERGE_PATCH);
  }

  /** A body is always sent as JSON, also one that is a text. */
  #send(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return this.#server.call(method, path, text, contentType ? { "content-type": contentType } : {});
  }

  #remember(object: CaseObject, { code, body }: Answer): void {
    this.#objects.set(object.id, object);
    if (code < 300) this.#uids.set(object.id, body.metadata.uid);
  }

  #reference(owner: CaseOwner): object {
    const to = owner.to === undefined ? undefined : this.#objects.get(owner.to);
    return {
      apiVersion: owner.apiVersion ?? (to ? kindNamed(to.kind).apiVersion : "v1"),
      kind: owner.kind ?? to?.kind ?? "ConfigMap",
      name: owner.name ?? (owner.to ? this.#named(owner.to) : "missing"),
      uid: owner.uid ?? this.#uids.get(owner.to ?? "") ?? NO_SUCH_UID,
      ...(owner.controller !== undefined && { controller: owner.controller }),
      ...(owner.block !== undefined && { blockOwnerDeletion: owner.block }),
    };
  }

  /** Puts this run's names and uids in the place of `${uid:o}`, `${name:o}` and `${ns:a}`. */
  #filledIn<T>(value: T): T {
    if (value === undefined) return value;
    const text = JSON.stringify(value).replace(/\$\{(uid|name|ns):(\w+)\}/g, (_, what, id) =>
      what === "uid" ? (this.#uids.get(id) ?? "") : this.#named(id),
    );
    return JSON.parse(text);
  }

  async #settle(wanted: State): Promise<State> {
    let state = await this.#look();
    let since = Date.now();
    for (;;) {
      const asRecorded = isDeepStrictEqual(state, wanted);
      const left = since + (asRecorded ? SETTLED : STUCK) - Date.now();
      if (left <= 0) return state;
      await new Promise((resolve) => setTimeout(resolve, asRecorded ? left : LOOK_EVERY));
      const now = await this.#look();
      if (isDeepStrictEqual(now, state)) continue;
      state = now;
      since = Date.now();
    }
  }

  async #look(): Promise<State> {
    const conditions = [...this.#objects.values()].map(async (object) => [
      object.id,
      await this.#condition(object),
    ]);
    const [events, ...found] = await Promise.all([this.#events(), ...conditions]);
    return { ...Object.fromEntries(found), ...(events.length > 0 && { events }) };
  }

  async #condition(object: CaseObject): Promise<Condition> {
    const { code, body } = await this.#send("GET", this.#path(object));
    const uid = this.#uids.get(object.id);
    if (code !== 200 || (uid !== undefined && body.metadata.uid !== uid)) return "gone";
    const { deletionTimestamp, finalizers, ownerReferences } = body.metadata as Metadata;
    return {
      ...(deletionTimestamp && { deleting: true }),
      ...(finalizers?.length && { finalizers: finalizers.toSorted() }),
      ...(ownerReferences?.length && {
        owners: ownerReferences.map((reference) => this.#printed(reference)).toSorted(),
      }),
    };
  }

  #printed({ kind, uid, controller, blockOwnerDeletion }: Reference): string {
    const owner = this.#idOf(uid) ?? (uid.startsWith("0000") ? "absent" : uid);
    return `${kind}/${owner}${controller ? " controller" : ""}${blockOwnerDeletion ? " block" : ""}`;
  }

  /** Of the events about owners in another namespace, those that are about an object of this case. */
  async #events(): Promise<string[]> {
    const lists = [...this.#namespaces, "default"].map(async (namespace) => {
      const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=reason%3DOwnerRefInvalidNamespace`;
      const { body } = await this.#send("GET", path);
      const where = namespace === "default" ? "default" : "own namespace";
      return (body.items as Event[]).flatMap(({ type, involvedObject: { kind, uid } }) => {
        const id = this.#idOf(uid);
        return id === undefined ? [] : [`${type} ${kind}/${id} in ${where}`];
      });
    });
    return [...new Set((await Promise.all(lists)).flat())].toSorted();
  }

  #object(id: string): CaseObject {
    const object = this.#objects.get(id);
    if (object === undefined) throw new Error(`the case has not created ${id} yet`);
    return object;
  }

  #path(object: CaseObject): string {
    const kind: CaseKind = kindNamed(object.kind);
    return `${collectionPath(kind, this.#named(object.ns))}/${this.#named(object.id)}`;
  }

  #named(id = ""): string {
    return `${id}-${this.#suffix}`;
  }

  #idOf(uid: string): string | undefined {
    return [...this.#uids].find(([, known]) => known === uid)?.[0];
  }
}

const DELETE_OPTIONS = { apiVersion: "v1", kind: "DeleteOptions" };

interface Reference {
  kind: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

interface Metadata {
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: Reference[];
}

interface Event {
  type: string;
  involvedObject: { kind: string; uid: string };
}

/** A merge patch removes a list that is to become empty. */
const orNull = <T>(list: T[]): T[] | null => (list.length > 0 ? list : null);

function seenIn({ code, body }: Answer): Reply {
  const { kind, status, reason, metadata } = body ?? {};
  return {
    code,
    ...(kind && { kind }),
    ...(kind === "Status" && { status, ...(reason && { reason }) }),
    ...(metadata?.deletionTimestamp && { deleting: true }),
    ...(metadata?.finalizers && { finalizers: metadata.finalizers.toSorted() }),
  };
}
