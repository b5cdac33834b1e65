/**
 * What Kubernetes' API server and garbage collector do to owners and dependents, written plainly from its documented
 * behaviour and sharing nothing with the implementation. Slow and small: one object at a time, in any order.
 */

export interface ModelReference {
  kind: string;
  name: string;
  uid: string;
  blocking: boolean;
}

export interface ModelObject {
  uid: string;
  kind: string;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
  finalizers: readonly string[];
  owners: readonly ModelReference[];
  deleting: boolean;
}

/** By uid. */
export type ModelState = ReadonlyMap<string, ModelObject>;

export type Policy = "Background" | "Foreground" | "Orphan";

export type ModelRequest =
  | { do: "create"; object: ModelObject }
  | { do: "delete"; uid: string; policy: Policy | undefined }
  | { do: "finalizers"; uid: string; finalizers: readonly string[] }
  | { do: "owners"; uid: string; owners: readonly ModelReference[] };

/** The kinds that are served; a reference to any other cannot be resolved. */
export const MODEL_KINDS: Readonly<Record<string, { namespaced: boolean; orphansByDefault: boolean }>> = {
  ConfigMap: { namespaced: true, orphansByDefault: false },
  ReplicationController: { namespaced: true, orphansByDefault: true },
  Node: { namespaced: false, orphansByDefault: false },
};

export type Class = "solid" | "dangling" | "waiting" | "unresolvable";

/** What a reference means: the claim is what counts, and an owner is looked for in the dependent's namespace. */
export function classify(
  reference: ModelReference,
  dependent: Pick<ModelObject, "namespace">,
  state: ModelState,
): Class {
  const kind = MODEL_KINDS[reference.kind];
  if (kind === undefined || (kind.namespaced && dependent.namespace === "")) return "unresolvable";
  const owner = state.get(reference.uid);
  const there =
    owner?.kind === reference.kind &&
    owner.name === reference.name &&
    owner.namespace === (kind.namespaced ? dependent.namespace : "");
  if (!there) return "dangling";
  return waits(owner) ? "waiting" : "solid";
}

export const waits = ({ deleting, finalizers }: ModelObject): boolean =>
  deleting && finalizers.includes("foregroundDeletion");

const releases = ({ deleting, finalizers }: ModelObject): boolean =>
  deleting && finalizers.includes("orphan");

const isCollectors = (finalizer: string): boolean =>
  finalizer === "orphan" || finalizer === "foregroundDeletion";

/** The state after a request, when the collector has come to rest. `pick` chooses who is next of so many. */
export function settled(state: ModelState, request: ModelRequest, pick: (of: number) => number): ModelState {
  const model = new Model(state);
  model.request(request);
  model.collect(pick);
  return model.state;
}

class Model {
  readonly state: Map<string, ModelObject>;
  readonly #due = new Set<string>();

  constructor(state: ModelState) {
    this.state = new Map(state);
  }

  request(request: ModelRequest): void {
    switch (request.do) {
      case "create":
        this.#write(undefined, request.object);
        return;
      case "delete":
        this.#delete(request.uid, request.policy);
        return;
      case "finalizers":
        this.#update(request.uid, { finalizers: request.finalizers });
        return;
      case "owners":
        this.#update(request.uid, { owners: request.owners });
        return;
    }
  }

  collect(pick: (of: number) => number): void {
    for (let steps = 0; this.#due.size > 0; steps++) {
      if (steps > 10_000) throw new Error("the model never comes to rest");
      const uid = [...this.#due][pick(this.#due.size)] ?? "";
      this.#due.delete(uid);
      const object = this.state.get(uid);
      if (object) this.#attempt(object);
    }
  }

  // What the API server does: it never looks at another object.

  #delete(uid: string, policy: Policy | undefined): void {
    const object = this.state.get(uid);
    if (!object) return;
    const kept = object.finalizers.filter((finalizer) => !isCollectors(finalizer));
    const byHand = object.finalizers.find(isCollectors);
    const byDefault = MODEL_KINDS[object.kind]?.orphansByDefault ? "orphan" : undefined;
    const chosen =
      policy === undefined
        ? (byHand ?? byDefault)
        : { Background: undefined, Foreground: "foregroundDeletion", Orphan: "orphan" }[policy];
    const finalizers = chosen === undefined ? kept : [...kept, chosen];
    if (finalizers.length === 0) this.#remove(object);
    else this.#write(object, { ...object, finalizers, deleting: true });
  }

  #update(uid: string, change: Partial<ModelObject>): void {
    const object = this.state.get(uid);
    if (!object) return;
    const next = { ...object, ...change };
    if (object.deleting && next.finalizers.length === 0) this.#remove(object);
    else this.#write(object, next);
  }

  // What the collector sees of it.

  #write(before: ModelObject | undefined, after: ModelObject): void {
    this.state.set(after.uid, after);
    const blocksStill = (uid: string) => after.owners.some((owner) => owner.uid === uid && owner.blocking);
    for (const owner of before?.owners ?? []) {
      if (owner.blocking && !blocksStill(owner.uid)) this.#due.add(owner.uid);
    }
    const isNew = (owner: ModelReference) =>
      !before?.owners.some(
        (old) => old.uid === owner.uid && old.kind === owner.kind && old.name === owner.name,
      );
    for (const owner of after.owners.filter(isNew)) {
      const found = classify(owner, after, this.state);
      if (found !== "solid" && found !== "waiting") this.#due.add(after.uid);
    }
    // What could not be decided is tried again and again, so it is decided as soon as it can be.
    const isGone = (owner: ModelReference) =>
      !after.owners.some(
        (kept) => kept.uid === owner.uid && kept.kind === owner.kind && kept.name === owner.name,
      );
    for (const owner of before?.owners.filter(isGone) ?? []) {
      if (classify(owner, after, this.state) === "unresolvable") this.#due.add(after.uid);
    }
    if (releases(after) && !(before && releases(before))) this.#due.add(after.uid);
    else if (waits(after) && !(before && waits(before))) {
      this.#due.add(after.uid);
      for (const dependent of this.#dependents(after.uid)) this.#due.add(dependent.uid);
    }
  }

  #remove(object: ModelObject): void {
    this.state.delete(object.uid);
    for (const dependent of this.#dependents(object.uid)) this.#due.add(dependent.uid);
    for (const owner of object.owners) this.#due.add(owner.uid);
  }

  #dependents(uid: string): ModelObject[] {
    return [...this.state.values()].filter((object) => object.owners.some((owner) => owner.uid === uid));
  }

  // What it does about it.

  #attempt(object: ModelObject): void {
    if (releases(object)) this.#release(object);
    else if (waits(object)) this.#review(object);
    else if (!object.deleting && object.owners.length > 0) this.#collect(object);
  }

  #collect(object: ModelObject): void {
    const classes = object.owners.map((owner) => classify(owner, object, this.state));
    if (classes.includes("unresolvable")) return;
    if (classes.includes("solid")) {
      const others = object.owners.filter((_, i) => classes[i] !== "solid").map((owner) => owner.uid);
      if (others.length > 0) this.#forget(object.uid, others);
      return;
    }
    const dependents = this.#dependents(object.uid);
    if (classes.includes("waiting") && dependents.length > 0) {
      if (dependents.some(waits)) {
        const owners = object.owners.map((owner) => ({ ...owner, blocking: false }));
        this.#update(object.uid, { owners });
      }
      this.#delete(object.uid, "Foreground");
      return;
    }
    const own = object.finalizers.find(isCollectors);
    this.#delete(object.uid, own === undefined ? "Background" : own === "orphan" ? "Orphan" : "Foreground");
  }

  #release(owner: ModelObject): void {
    for (const dependent of this.#dependents(owner.uid)) this.#forget(dependent.uid, [owner.uid]);
    this.#dropFinalizer(owner.uid, "orphan");
  }

  #review(owner: ModelObject): void {
    const blocking = this.#dependents(owner.uid).filter((object) =>
      object.owners.some((reference) => reference.uid === owner.uid && reference.blocking),
    );
    if (blocking.length === 0) this.#dropFinalizer(owner.uid, "foregroundDeletion");
    for (const dependent of blocking) if (!waits(dependent)) this.#due.add(dependent.uid);
  }

  #forget(uid: string, owners: readonly string[]): void {
    const object = this.state.get(uid);
    if (!object) return;
    this.#update(uid, { owners: object.owners.filter((owner) => !owners.includes(owner.uid)) });
  }

  #dropFinalizer(uid: string, finalizer: string): void {
    const object = this.state.get(uid);
    if (!object) return;
    this.#update(uid, { finalizers: object.finalizers.filter((name) => name !== finalizer) });
  }
}
