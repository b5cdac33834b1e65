import {
  MODEL_KINDS,
  type ModelObject,
  type ModelReference,
  type ModelRequest,
  type ModelState,
} from "../../test/model/collector.ts";
import { type Claim, claimedKind, type Place, type Step } from "../../test/model/history.ts";
import type { ModelChange } from "../../test/model/invariants.ts";
import type { Kind } from "../objects/kind.ts";
import type { KubeObject, OwnerReference } from "../objects/object.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { DB, objectOf, patch, remove, type TestCluster } from "./graph.fixture.ts";

const STORES: Readonly<Record<string, string>> = {
  ConfigMap: "configmaps",
  ReplicationController: "replicationcontrollers",
  Node: "nodes",
};

const storeOf = (kind: string): Kind => kindOf(STORES[kind] ?? "");
export const pathOf = ({ kind, namespace, name }: Place) => `${kind} ${namespace}/${name}`;

/** A cluster, and which uid each place has had last. */
export class History {
  readonly cluster: TestCluster;
  readonly #uids = new Map<string, string>();
  /** Of what clients wrote. */
  readonly #asked = new Set<string>();

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
      `SELECT c.type, c.at, c.resource, c.body, c.id & ?2 AS version, d.rule FROM changes c
       LEFT JOIN deletions d ON d.cluster = ?1 AND d.uid = c.uid
       WHERE c.id >> 40 = ?1 AND c.resource IN ('configmaps', 'replicationcontrollers', 'nodes') ORDER BY c.id`,
    )
      .bind(this.cluster.id, 2 ** 40 - 1)
      .all<{
        type: ModelChange["type"];
        at: number;
        resource: string;
        body: string;
        version: number;
        rule: string | null;
      }>();
    return results.map(({ type, at, resource, body, version, rule }) => ({
      type,
      at,
      object: modelObject(JSON.parse(body) as KubeObject, resource),
      rule: rule ?? undefined,
      asked: this.#asked.has(String(version)),
    }));
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
        const made = await this.cluster.make(
          kind,
          {
            name: place.name,
            finalizers: [...finalizers],
            owners: owners.map(ownerReference),
            fields: place.kind === "ReplicationController" ? { spec: { replicas: 0 } } : {},
          },
          place.namespace,
        );
        this.#uids.set(pathOf(place), made.metadata.uid);
        this.#asked.add(made.metadata.resourceVersion ?? "");
        return { ...request, object: { ...request.object, uid: made.metadata.uid } };
      }
      case "delete": {
        const { policy } = request;
        const options = policy === undefined ? {} : { propagationPolicy: policy };
        const [reply] = await this.cluster.ask(place.namespace, remove(kind, place.name, options));
        if (!reply?.ok) throw new Error(JSON.stringify(reply));
        return request;
      }
      case "finalizers":
        return this.#patch(request, place, { finalizers: request.finalizers });
      case "owners":
        return this.#patch(request, place, { ownerReferences: request.owners.map(ownerReference) });
    }
  }

  async #patch(request: ModelRequest, place: Place, metadata: object): Promise<ModelRequest> {
    const [reply] = await this.cluster.ask(
      place.namespace,
      patch(storeOf(place.kind), place.name, { metadata }),
    );
    this.#asked.add(objectOf(reply).metadata.resourceVersion ?? "");
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
