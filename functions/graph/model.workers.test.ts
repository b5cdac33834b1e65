import fc from "fast-check";
import { expect, test } from "vitest";
import {
  MODEL_KINDS,
  type ModelObject,
  type ModelReference,
  type ModelRequest,
  type ModelState,
  settled,
} from "../../test/model/collector.ts";
import {
  type Claim,
  claimedKind,
  histories,
  NAMESPACES,
  type Place,
  type Step,
} from "../../test/model/history.ts";
import type { Kind } from "../objects/kind.ts";
import type { KubeObject, OwnerReference } from "../objects/object.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { DB, objectOf, patch, remove, TestCluster } from "./graph.fixture.ts";

const STORES: Record<string, string> = {
  ConfigMap: "configmaps",
  ReplicationController: "replicationcontrollers",
  Node: "nodes",
};

const storeOf = (kind: string): Kind => kindOf(STORES[kind] ?? "");
const pathOf = ({ kind, namespace, name }: Place) => `${kind} ${namespace}/${name}`;

/** A cluster, and which uid each place has had last. */
class History {
  readonly cluster: TestCluster;
  readonly #uids = new Map<string, string>();

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  async state(): Promise<ModelState> {
    const { results } = await DB.prepare(
      `SELECT resource, body FROM objects WHERE cluster = ?1 AND resource IN ('configmaps', 'replicationcontrollers', 'nodes')`,
    )
      .bind(this.cluster.id)
      .all<{ resource: string; body: string }>();
    const kinds = new Map(Object.entries(STORES).map(([kind, store]) => [store, kind]));
    return new Map(
      results.map(({ resource, body }) => {
        const object = modelObject(JSON.parse(body) as KubeObject, kinds.get(resource) ?? "");
        return [object.uid, object];
      }),
    );
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
        return { ...request, object: { ...request.object, uid: made.metadata.uid } };
      }
      case "delete": {
        const { policy } = request;
        const options = policy === undefined ? {} : { propagationPolicy: policy };
        const [reply] = await this.cluster.ask(place.namespace, remove(kind, place.name, options));
        expect(reply?.ok).toBe(true);
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
    objectOf(reply);
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

function modelObject({ metadata }: KubeObject, kind: string): ModelObject {
  return {
    uid: metadata.uid,
    kind,
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

/** As text that compares, and reads well when it does not. */
function told(state: ModelState): string {
  const lines = [...state.values()].map((object) => {
    const owners = object.owners.map(
      ({ kind, name, uid, blocking }) => `${kind}/${name}#${uid.slice(-4)}${blocking ? "!" : ""}`,
    );
    const going = object.deleting ? " going" : "";
    return `${pathOf(object)}#${object.uid.slice(-4)}${going} [${object.finalizers}] ← ${owners.sort().join(", ")}`;
  });
  return lines.sort().join("\n");
}

/** As many orders of work are tried in the model: some outcomes depend on it, and any of them will do. */
const ORDERS = 60;

function outcomes(state: ModelState, request: ModelRequest): Set<string> {
  const found = new Set<string>();
  for (let order = 0; order < ORDERS; order++) {
    let seed = order * 7919 + 1;
    const pick = (of: number) => {
      if (order === 0) return 0;
      if (order === 1) return of - 1;
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % of;
    };
    found.add(told(settled(state, request, pick)));
  }
  return found;
}

/** `VITE_MODEL_HISTORIES=5000 VITE_MODEL_SEED=1`: more of them, or those of a run before. */
const { VITE_MODEL_HISTORIES = "200", VITE_MODEL_SEED: seed } = (
  import.meta as unknown as { env: Record<string, string | undefined> }
).env;
const RUNS = Number(VITE_MODEL_HISTORIES);

test(`${RUNS} histories end as the model says, step by step`, { timeout: 60_000 + RUNS * 1000 }, async () => {
  const property = fc.asyncProperty(histories(12), async (steps) => {
    const history = new History(await TestCluster.create(NAMESPACES));
    let before = await history.state();
    for (const step of steps) {
      const asked = history.request(step, before);
      if (asked === undefined) continue;
      const request = await history.send(asked, step);
      await history.cluster.settle();
      const after = await history.state();
      const possible = outcomes(before, request);
      if (!possible.has(told(after))) {
        expect(`after ${JSON.stringify(step)}\n${told(before)}\n⇒\n${told(after)}`).toBe(
          `after ${JSON.stringify(step)}\n${told(before)}\n⇒\n${[...possible].join("\nor\n")}`,
        );
      }
      before = after;
    }
  });
  await fc.assert(property, { numRuns: RUNS, ...(seed === undefined ? {} : { seed: Number(seed) }) });
});
