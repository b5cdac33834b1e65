import { CHANGES_PER_CLUSTER } from "../../db/sql.ts";
import {
  MODEL_KINDS,
  type ModelObject,
  type ModelReference,
  type ModelRequest,
  type ModelState,
} from "../../test/model/collector.ts";
import { type Claim, claimedKind, type Place, type Step } from "../../test/model/history.ts";
import type { ModelChange, ModelRecord } from "../../test/model/invariants.ts";
import type { Kind } from "../objects/kind.ts";
import type { KubeObject, OwnerReference } from "../objects/object.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, DB, objectOf, patch, remove, type TestCluster } from "./graph.fixture.ts";
import { Superseded } from "./graph-store.ts";
import type { MutationReply, MutationRequest } from "./request.ts";

const STORES: Readonly<Record<string, string>> = {
  ConfigMap: "configmaps",
  ReplicationController: "replicationcontrollers",
  Node: "nodes",
};

export const storeOf = (kind: string): Kind => kindOf(STORES[kind] ?? "");
export const pathOf = ({ kind, namespace, name }: Place) => `${kind} ${namespace}/${name}`;

/** A cluster, and which uid each place has had last. */
export class History {
  readonly cluster: TestCluster;
  readonly #uids = new Map<string, string>();
  /** When clients wrote. */
  readonly #asked = new Set<number>();
  /** What clients were told that it was written, as `uid version`. */
  readonly acknowledged: string[] = [];
  #lastAsked = 0;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  async state(): Promise<ModelState> {
    const { results } = await DB.prepare(
      `SELECT resource, body FROM objects WHERE cluster = ?1 AND resource IN ('configmaps', 'replicationcontrollers', 'nodes')`,
    )
      .bind(this.cluster.id)
      .all<{ resource: string; body: string }>();
    return new Map(
      results.map(({ resource, body }) => {
        const object = modelObject(JSON.parse(body) as KubeObject, resource);
        return [object.uid, object];
      }),
    );
  }

  /** Everything that happened, in order, with why. */
  async changes(): Promise<ModelChange[]> {
    const { results } = await DB.prepare(
      `SELECT c.type, c.at, c.resource, c.body, d.rule FROM changes c
       LEFT JOIN deletions d ON d.cluster = ?1 AND d.uid = c.uid
       WHERE c.id BETWEEN ?1 * ?2 AND (?1 + 1) * ?2 AND c.resource IN ('configmaps', 'replicationcontrollers', 'nodes') ORDER BY c.id`,
    )
      .bind(this.cluster.id, CHANGES_PER_CLUSTER)
      .all<{ type: ModelChange["type"]; at: number; resource: string; body: string; rule: string | null }>();
    return results.map(({ type, at, resource, body, rule }) => ({
      type,
      at,
      object: modelObject(JSON.parse(body) as KubeObject, resource),
      rule: rule ?? undefined,
      asked: this.#asked.has(at),
    }));
  }

  /** Which of the changes that clients were told of are not there. */
  async missing(): Promise<string[]> {
    const { results } = await DB.prepare(
      "SELECT uid || ' ' || (id - ?1 * ?2) AS version FROM changes WHERE id BETWEEN ?1 * ?2 AND (?1 + 1) * ?2",
    )
      .bind(this.cluster.id, CHANGES_PER_CLUSTER)
      .all<{ version: string }>();
    const there = new Set(results.map(({ version }) => version.replace(/\.0$/, "")));
    return this.acknowledged.filter((version) => !there.has(version));
  }

  /** Why each object went. */
  async records(): Promise<ModelRecord[]> {
    const { results } = await DB.prepare(
      "SELECT uid, rule, cause, removed_at IS NOT NULL AS removed FROM deletions WHERE cluster = ?1",
    )
      .bind(this.cluster.id)
      .all<ModelRecord>();
    return results;
  }

  /** The index of owner references, as `indexOf` tells it. */
  async index(): Promise<string[]> {
    const { results } = await DB.prepare(
      "SELECT owner_uid, dependent_uid, blocking FROM owner_refs WHERE cluster = ?1",
    )
      .bind(this.cluster.id)
      .all<{ owner_uid: string; dependent_uid: string; blocking: number }>();
    return results
      .map((row) => `${row.owner_uid} ← ${row.dependent_uid}${row.blocking === 1 ? "!" : ""}`)
      .sort();
  }

  /** What the step asks for, in the model's words; undefined when it asks nothing, or is refused by both. */
  request(step: Step, state: ModelState): ModelRequest | undefined {
    const found = [...state.values()].find((object) => pathOf(object) === pathOf(step.place));
    switch (step.do) {
      case "create":
        return found
          ? undefined
          : {
              do: "create",
              object: {
                ...step.place,
                uid: "new",
                finalizers: step.finalizers,
                owners: this.#references(step.owners),
                deleting: false,
              },
            };
      case "delete":
        return found && { do: "delete", uid: found.uid, policy: step.policy };
      case "finalizers": {
        if (!found) return undefined;
        // Those of the collector stay, and one that is going gets no new ones.
        const foreign = step.finalizers.filter((name) => !found.deleting || found.finalizers.includes(name));
        const collectors = found.finalizers.filter((name) => !name.includes("/"));
        return { do: "finalizers", uid: found.uid, finalizers: [...foreign, ...collectors] };
      }
      case "owners":
        return found && { do: "owners", uid: found.uid, owners: this.#references(step.owners) };
    }
  }

  /** Sends it, and says what it was with the uid that was given. */
  async send(request: ModelRequest, { place }: Step): Promise<ModelRequest> {
    const kind = storeOf(place.kind);
    switch (request.do) {
      case "create": {
        const { finalizers, owners } = request.object;
        const sketch = {
          name: place.name,
          finalizers: [...finalizers],
          owners: owners.map(ownerReference),
          fields: place.kind === "ReplicationController" ? { spec: { replicas: 0 } } : {},
        };
        const made = objectOf(await this.#ask(place.namespace, create(kind, sketch)));
        this.#uids.set(pathOf(place), made.metadata.uid);
        this.#written(made);
        return { ...request, object: { ...request.object, uid: made.metadata.uid } };
      }
      case "delete": {
        const { policy } = request;
        const options = policy === undefined ? {} : { propagationPolicy: policy };
        const reply = await this.#ask(place.namespace, remove(kind, place.name, options));
        if (!reply?.ok) throw new Error(JSON.stringify(reply));
        return request;
      }
      case "finalizers":
        return this.#patch(request, place, { finalizers: request.finalizers });
      case "owners":
        return this.#patch(request, place, { ownerReferences: request.owners.map(ownerReference) });
    }
  }

  /**
   * Sends it though the answer may be lost. `nothing`: it was refused for now, and nothing was to happen; `unknown`: it
   * may have happened or not. A create that nobody was told of has the uid that it got after all, if it did.
   */
  async attempt(
    request: ModelRequest,
    step: Step,
  ): Promise<{ request: ModelRequest | undefined; told: "done" | "nothing" | "unknown" }> {
    try {
      return { request: await this.send(request, step), told: "done" };
    } catch (fault) {
      if (fault instanceof Superseded) this.cluster.replaceGraph(step.place.namespace);
      else if (String(fault).includes('"TooManyRequests"')) return { request, told: "nothing" };
      else if (String(fault).includes('"ok":false')) throw fault;
    }
    return { request, told: "unknown" };
  }

  /** The request with the uid of what it created; undefined when it created nothing. */
  async found(request: ModelRequest, { place }: Step): Promise<ModelRequest | undefined> {
    if (request.do !== "create") return request;
    const row = await DB.prepare(
      `SELECT uid FROM changes WHERE id BETWEEN ?1 * ?2 AND (?1 + 1) * ?2 AND type = 'ADDED' AND at = ?3 AND name = ?4`,
    )
      .bind(this.cluster.id, CHANGES_PER_CLUSTER, this.#lastAsked, place.name)
      .first<{ uid: string }>();
    if (row === null) return undefined;
    this.#uids.set(pathOf(place), row.uid);
    return { ...request, object: { ...request.object, uid: row.uid } };
  }

  #written({ metadata }: KubeObject): void {
    this.acknowledged.push(`${metadata.uid} ${metadata.resourceVersion}`);
  }

  /** One request, alone in its group, at a moment of its own. */
  async #ask(namespace: string, request: MutationRequest): Promise<MutationReply | undefined> {
    this.#lastAsked = this.cluster.now + 1000;
    this.#asked.add(this.#lastAsked);
    const [reply] = await this.cluster.ask(namespace, request);
    return reply;
  }

  async #patch(request: ModelRequest, place: Place, metadata: object): Promise<ModelRequest> {
    const reply = await this.#ask(place.namespace, patch(storeOf(place.kind), place.name, { metadata }));
    this.#written(objectOf(reply));
    return request;
  }

  #references(claims: readonly Claim[]): ModelReference[] {
    const references = claims.map((claim) => {
      const known = claim.as === "never was" ? undefined : this.#uids.get(pathOf(claim.owner));
      return {
        kind: claimedKind(claim),
        name: claim.as === "wrong name" ? `not-${claim.owner.name}` : claim.owner.name,
        uid: known ?? `never ${pathOf(claim.owner)}`,
        blocking: claim.blocking,
      };
    });
    // Of two that are the same, which a claim of what never was can be, the server keeps one.
    return [...new Map(references.map((reference) => [JSON.stringify(reference), reference])).values()];
  }
}

/** An object as it is stored, in the model's words. */
function modelObject({ metadata }: KubeObject, resource: string): ModelObject {
  return {
    uid: metadata.uid,
    kind: Object.keys(STORES).find((kind) => STORES[kind] === resource) ?? "",
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    finalizers: metadata.finalizers ?? [],
    owners: (metadata.ownerReferences ?? []).map((reference) => ({
      kind: reference.kind,
      name: reference.name,
      uid: reference.uid,
      blocking: reference.blockOwnerDeletion === true,
    })),
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

function ownerReference({ kind, name, uid, blocking }: ModelReference): OwnerReference {
  const apiVersion = MODEL_KINDS[kind] === undefined ? "nowhere.io/v1" : "v1";
  return { apiVersion, kind, name, uid, blockOwnerDeletion: blocking };
}
