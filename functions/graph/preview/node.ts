import { type Deletion, deletionOf } from "../../objects/deletion.ts";
import type { Json } from "../../objects/json.ts";
import { apiVersion, type Kind } from "../../objects/kind.ts";
import {
  asObject,
  type GroupResource,
  type KubeObject,
  type OwnerReference,
  type Timestamp,
  type Uid,
} from "../../objects/object.ts";

/** What the rules read of an object, beyond its name; see `SKETCH`. */
export interface Sketch {
  owners: readonly OwnerReference[];
  deletion: Deletion | null;
  /** Of the object's metadata, its spec and its status. */
  metadata: { [field: string]: Json };
  spec: { [field: string]: Json };
  status: { [field: string]: Json };
}

export interface Place {
  uid: Uid;
  kind: Kind;
  resource: GroupResource;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
  resourceVersion: number;
}

/**
 * One object of the part of the graph that a deletion can reach. There may be 100,000 in a Worker's memory: siblings share
 * their sketch, and the object that the rules decide about is made when they ask, and kept only when they changed it.
 */
export class Node {
  readonly uid: Uid;
  readonly kind: Kind;
  readonly resource: GroupResource;
  readonly namespace: string;
  readonly name: string;
  readonly #resourceVersion: number;
  readonly #sketch: Sketch;
  #changed: KubeObject | undefined;
  gone = false;

  constructor({ uid, kind, resource, namespace, name, resourceVersion }: Place, sketch: Sketch) {
    this.uid = uid;
    this.kind = kind;
    this.resource = resource;
    this.namespace = namespace;
    this.name = name;
    this.#resourceVersion = resourceVersion;
    this.#sketch = sketch;
  }

  /** As much of the object as the rules read. */
  get object(): KubeObject {
    return this.#changed ?? this.#read();
  }

  set object(next: KubeObject) {
    this.#changed = next;
  }

  get apiVersion(): string {
    return apiVersion(this.kind.group, this.kind.versions[0] ?? "v1");
  }

  /** Those that it names now. */
  get owners(): readonly OwnerReference[] {
    return this.#changed === undefined
      ? this.#sketch.owners
      : (this.#changed.metadata.ownerReferences ?? NOBODY);
  }

  /** How many it named as it was read. */
  get namedOwners(): number {
    return this.#sketch.owners.length;
  }

  get deletion(): Deletion | null {
    return this.#changed === undefined ? this.#sketch.deletion : deletionOf(this.#changed.metadata);
  }

  names(owner: Uid): boolean {
    return this.owners.some((reference) => reference.uid === owner);
  }

  #read(): KubeObject {
    const { owners, metadata, spec, status } = this.#sketch;
    return asObject({
      apiVersion: this.apiVersion,
      kind: this.kind.kind,
      metadata: {
        name: this.name,
        ...(this.namespace === "" ? {} : { namespace: this.namespace }),
        uid: this.uid,
        resourceVersion: String(this.#resourceVersion),
        ...metadata,
        ...(owners.length === 0 ? {} : { ownerReferences: owners as unknown as Json }),
      },
      spec,
      status,
    });
  }
}

const NOBODY: readonly OwnerReference[] = [];

/** Of a plain object, only the first. */
type Columns = [
  owners: OwnerReference[] | null,
  finalizers?: string[] | null,
  deletionTimestamp?: Timestamp | null,
  gracePeriodSeconds?: number | null,
  nodeName?: Json,
  terminationGracePeriodSeconds?: Json,
  phase?: Json,
  specFinalizers?: Json[] | null,
];

/** Texts that are remembered: siblings come one after the other. */
const REMEMBERED = 256;

/** Sketches by their text, so that those that are alike are there once. */
export class Sketches {
  readonly #known = new Map<string, Sketch>();

  of(text: string): Sketch {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const sketch = sketchOf(text);
    if (this.#known.size === REMEMBERED) this.#known.clear();
    this.#known.set(text, sketch);
    return sketch;
  }
}

function sketchOf(text: string): Sketch {
  const [
    owners,
    finalizers = null,
    deletionTimestamp = null,
    grace = null,
    nodeName = null,
    period = null,
    phase = null,
    specFinalizers = null,
  ] = JSON.parse(text) as Columns;
  const metadata = {
    ...(deletionTimestamp === null ? {} : { deletionTimestamp }),
    ...(grace === null ? {} : { deletionGracePeriodSeconds: grace }),
    ...(finalizers === null ? {} : { finalizers }),
  };
  return {
    owners: owners ?? NOBODY,
    deletion: deletionOf(metadata as unknown as KubeObject["metadata"]),
    metadata,
    spec: {
      ...(nodeName === null ? {} : { nodeName }),
      ...(period === null ? {} : { terminationGracePeriodSeconds: period }),
      ...(specFinalizers === null ? {} : { finalizers: specFinalizers }),
    },
    status: phase === null ? {} : { phase },
  };
}
