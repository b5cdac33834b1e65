import { READ_DUE_NAMESPACES } from "../../db/reads.ts";
import { READ_DUE_OBJECTS } from "../../db/sweeps.ts";
import type { Clock } from "../objects/clock.ts";
import type { Millis } from "../objects/object.ts";

/** The most namespaces with work that are looked for, and the most objects that are due: those that wait longest. */
const NAMESPACES = 500;
const OBJECTS = 500;
/** Graph objects that are woken at the same time. */
const TOGETHER = 25;

export interface Place {
  cluster: number;
  /** Empty for the cluster-scoped objects. */
  namespace: string;
}

/** Namespaces whose graph objects have something to do, as far as one run looks. */
export async function duePlaces(db: D1Database, now: Millis): Promise<Place[]> {
  const [objects, work] = await db.batch<Place>([
    db.prepare(READ_DUE_OBJECTS).bind(now, OBJECTS),
    db.prepare(READ_DUE_NAMESPACES).bind(now, NAMESPACES),
  ]);
  const places = [...(objects?.results ?? []), ...(work?.results ?? [])];
  return [
    ...new Map(places.map((place) => [JSON.stringify([place.cluster, place.namespace]), place])).values(),
  ];
}

/**
 * Wakes graph objects, so many at a time, until the deadline. One that cannot be woken is found again by the next run.
 *
 * @returns how many were woken
 */
export async function wakeAll(
  places: readonly Place[],
  wake: (place: Place) => Promise<void>,
  clock: Clock,
  deadline: Millis,
): Promise<number> {
  const waiting = [...places];
  let woken = 0;
  const work = async () => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
      if (clock() >= deadline) return;
      try {
        await wake(place);
        woken++;
      } catch (fault) {
        console.error(
          JSON.stringify({ level: "error", message: "not woken", ...place, fault: String(fault) }),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(TOGETHER, waiting.length) }, work));
  return woken;
}
