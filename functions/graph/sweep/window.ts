import { READ_WINDOW, READ_WINDOW_END, type SweptRow } from "../../../db/sweeps.ts";
import { TTL_MARK_TEXTS } from "../../sweeps/ttl-marks.ts";
import type { GraphStore } from "../graph-store.ts";
import type { ClusterKinds } from "../kinds-cache.ts";
import { type SweptObject, withBodies } from "./swept-objects.ts";

/** As many objects are gone past in one slice. */
const WINDOW = 1_000;

/** After all resources. */
const LAST = "\u{10ffff}";

/** An object of a cluster, in the order in which it is gone through. */
export type Place = readonly [resource: string, namespace: string, name: string];

export const BEGINNING: Place = ["", "", ""];

export interface Window {
  objects: SweptObject[];
  /** The last one that was gone past; undefined at the end. */
  reached: Place | undefined;
}

/** What to look for beside objects that have a moment. */
export interface Wanted {
  /** Only this resource. */
  only?: string;
  /** All objects of these resources. */
  resources: readonly string[];
  /** Bodies that may hold a mark of a time to live. */
  marked: boolean;
}

/** Reads the next objects of a cluster that a sweep might look at, past those that none would. */
export async function readWindow(
  after: Place,
  { only, resources, marked }: Wanted,
  store: GraphStore,
  kinds: ClusterKinds,
): Promise<Window> {
  const { db, cluster } = store;
  // NULL is in no body.
  const texts = TTL_MARK_TEXTS.map((text) => (marked ? text : null));
  const range = [cluster, ...after, WINDOW, only ?? LAST];
  const [end, rows] = await db.batch<SweptRow>([
    db.prepare(READ_WINDOW_END).bind(...range),
    db.prepare(READ_WINDOW).bind(...range, JSON.stringify(resources), ...texts),
  ]);
  const found = rows?.results ?? [];
  const { taken, objects } = await withBodies(found, store, kinds);
  const last = taken < found.length ? found[taken - 1] : end?.results[0];
  return { objects, reached: last && [last.resource, last.namespace, last.name] };
}
