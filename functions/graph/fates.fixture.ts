import { type Send, WatchedDatabase } from "./database.fixture.ts";

/** What becomes of one call on its way to where it is carried out, or of its answer on the way back. */
export type Fate =
  | "arrives"
  /** It never gets there. */
  | "lost"
  /** It is carried out, and nobody is told. */
  | "reply lost"
  /** It is carried out twice, and the second answer is the one that is heard. */
  | "twice"
  /** Who sent it is told that it was lost; it gets there ahead of the next call. */
  | "late"
  /** The same, but some calls later. */
  | "very late"
  /** It is refused, as by a store that has too much to do. */
  | "overloaded"
  /** It is carried out, and the answer is a fault that nobody knows. */
  | "strange"
  /** Before it gets there, others take over whatever the sender holds. */
  | "taken over";

export const FAULTS: readonly Fate[] = [
  "lost",
  "reply lost",
  "twice",
  "late",
  "very late",
  "overloaded",
  "strange",
  "taken over",
];

const VERY_LATE = 7;

export const lost = (): Error => new Error("D1_ERROR: Network connection lost.");

/** Calls that meet their fates one after the other, and arrive when none is left. */
export class Fates {
  #queue: Fate[];
  #late: { send: () => Promise<unknown>; calls: number }[] = [];
  readonly #takeOver: () => Promise<unknown>;
  /** While false every call arrives, and uses up no fate. */
  blows = true;

  constructor(fates: readonly Fate[], takeOver: () => Promise<unknown> = async () => undefined) {
    this.#queue = [...fates];
    this.#takeOver = takeOver;
  }

  /** Carries a call out as it is its fate. */
  async meet<T>(send: () => Promise<T>): Promise<T> {
    await this.#arrivals(1);
    if (!this.blows) return send();
    const fate = this.#queue.shift() ?? "arrives";
    switch (fate) {
      case "arrives":
        return send();
      case "lost":
        throw lost();
      case "reply lost":
        await send();
        throw lost();
      case "twice":
        await send();
        return send();
      case "late":
      case "very late":
        this.#late.push({ send, calls: fate === "late" ? 1 : VERY_LATE });
        throw lost();
      case "overloaded":
        throw new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued.");
      case "strange":
        await send();
        throw new Error("D1_ERROR: something else");
      case "taken over":
        await this.#takeOver();
        return send();
    }
  }

  /** Whatever is still on its way gets there; false when nothing was. */
  async flush(): Promise<boolean> {
    const some = this.#late.length > 0;
    await this.#arrivals(Number.POSITIVE_INFINITY);
    return some;
  }

  async #arrivals(calls: number): Promise<void> {
    for (const one of this.#late) one.calls -= calls;
    const due = this.#late.filter((one) => one.calls <= 0);
    this.#late = this.#late.filter((one) => one.calls > 0);
    // What comes too late is refused, and nobody hears of it.
    for (const { send } of due) await send().catch(() => undefined);
  }
}

/** The database with calls, queries and batches alike, that meet their fates. `only`: which calls, by their SQL. */
export function fatedDatabase(
  db: D1Database,
  fates: Fates,
  only: (sql: readonly string[]) => boolean = () => true,
): WatchedDatabase {
  const watched = new WatchedDatabase(db);
  watched.around = (sql, send: Send) => (only(sql) ? fates.meet(send) : send());
  return watched;
}

/** A namespace of Durable Objects to which calls of the given methods meet their fates. */
export function fatedObjects<T extends Rpc.DurableObjectBranded | undefined>(
  objects: DurableObjectNamespace<T>,
  fates: Fates,
  methods: readonly string[],
): DurableObjectNamespace<T> {
  const fated = (name: string) =>
    new Proxy({} as DurableObjectStub<T>, {
      get:
        (_, method) =>
        (...sent: unknown[]) => {
          const stub = objects.getByName(name) as unknown as Record<
            string | symbol,
            (...sent: unknown[]) => Promise<unknown>
          >;
          const send = async () => stub[method]?.(...sent);
          return methods.includes(String(method)) ? fates.meet(send) : send();
        },
    });
  return { getByName: fated } as unknown as DurableObjectNamespace<T>;
}
