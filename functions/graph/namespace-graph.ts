import { DurableObject } from "cloudflare:workers";
import { type Databases, databaseOf } from "../../db/database.ts";
import { GET_OBJECT, type ObjectRow } from "../../db/reads.ts";
import { ANSWERED } from "../../db/sweeps.ts";
import { type Clock, systemClock } from "../objects/clock.ts";
import type { GroupResource, Millis } from "../objects/object.ts";
import type { Answer, Question } from "../sweeps/decision.ts";
import { COUNTED } from "../sweeps/pods.ts";
import { Alarm } from "./alarm.ts";
import { Followers } from "./followers.ts";
import { parseGraphName } from "./graph-name.ts";
import { GraphStore, Superseded } from "./graph-store.ts";
import { commitGroup, type GroupResult } from "./group.ts";
import { type HotObject, HotObjects } from "./hot-objects.ts";
import { KindsCache } from "./kinds-cache.ts";
import { Mailbox } from "./mailbox.ts";
import { Pace } from "./pace.ts";
import type { MutationReply, MutationRequest } from "./request.ts";
import { commitRestore } from "./restore/commit-restore.ts";
import type { RestoreReply, RestoreRequest } from "./restore/restore-request.ts";
import { putOffFirst, type SliceContext, workSlice } from "./slice.ts";
import { Asks } from "./sweep/asks.ts";
import { dueSlice, nextMoments, putOffDue } from "./sweep/due.ts";

/** What a graph object needs of its surroundings. */
export interface GraphEnv extends Databases {
  NAMESPACE_GRAPH: DurableObjectNamespace<NamespaceGraph>;
  CLUSTER_FEED: { getByName(name: string): { poke(resourceVersion: number): Promise<boolean> } };
}

/** Beyond this many waiting requests the answer is 429. */
const MAILBOX_LIMIT = 4096;
/** The same for their bodies together: the object has 128 MB for everything. */
const MAILBOX_BYTES = 32_000_000;
/** So many names are made of one `generateName`. Source: k8s.io/apiserver registry/store.go, maxNameGenerationCreateAttempts. */
const NAMES_TRIED = 8;
/** The alarm stands by for work that the object was evicted from, or crashed over. */
const ALARM_AFTER = 2000;
/**
 * How long the work that follows a request gathers before the first slice. What a client sends right after its
 * own request is decided on the state that the answer showed, as with a collector that watches from outside,
 * and a burst of requests is followed up together.
 */
const GATHERING = 100;
/** So long after it was seen to hold the namespace an object answers from memory. */
const HOLD_CONFIRMED = 1000;
/** How long an alarm waits for the outbox to be empty. */
const ALARM_PATIENCE = 60_000;
/** After a fault, how long the outbox rests. */
const ALARM_AFTER_FAULT = 5000;

/**
 * The ownership graph of one namespace, or of a cluster's cluster-scoped objects: the only writer of their rows
 * and the only place where a deletion is decided. It holds no truth, only its place in line:
 *
 *     mutate   → mailbox → read → decide → one batch → reply
 *     work     → mailbox → read a slice of the outbox → decide → one batch, until the outbox is empty
 *     after either, with the mailbox free: wake other namespaces' graphs, poke the cluster's feed
 *
 * Whatever was committed and not yet followed up is in the outbox, and the alarm, or cron, comes back to it.
 */
export class NamespaceGraph extends DurableObject<GraphEnv> {
  protected readonly clock: Clock = systemClock;
  readonly #mailbox: Mailbox<MutationRequest | RestoreRequest, MutationReply | RestoreReply>;
  readonly #kinds = new KindsCache();
  readonly #hot = new HotObjects();
  readonly #pace = new Pace();
  readonly #sweepPace = new Pace();
  readonly #alarm: Alarm;
  readonly #asks: Asks;
  /** From this moment on something may be due for a sweep: at once, until it was looked. */
  #sweepsFrom = 0;
  /** The slice before this one was of what is due. */
  #swept = false;
  /** Whether the alarm is set for the next thing that the store says this namespace has to do. */
  #knowsNext = false;
  #store: GraphStore | undefined;
  #followers: Followers | undefined;
  /** Of the bodies of requests that are not answered yet. */
  #bytes = 0;
  #gathering: Promise<void> | undefined;

  constructor(ctx: DurableObjectState, env: GraphEnv) {
    super(ctx, env);
    this.#alarm = new Alarm(ctx.storage);
    this.#asks = new Asks((question) => this.answer(question));
    this.#mailbox = new Mailbox(
      {
        group: (requests, took) => this.#guarded(() => this.#turn(requests, took)),
        slice: () => this.#guarded(() => this.#slice()),
      },
      MAILBOX_LIMIT,
    );
  }

  /** Decides and applies mutations; each reply says what became of its request. */
  mutate(requests: MutationRequest[]): Promise<MutationReply[]> {
    return Promise.all(
      requests.map((request): Promise<MutationReply> | MutationReply =>
        this.#mailbox.full || this.#bytes > MAILBOX_BYTES
          ? {
              ok: false,
              failure: {
                reason: "TooManyRequests",
                message: "too many requests are waiting for this namespace, please try again later",
                retryAfterSeconds: 1,
              },
            }
          : this.#ask(request),
      ),
    );
  }

  async #ask(request: MutationRequest): Promise<MutationReply> {
    const bytes = "text" in request.mutation ? request.mutation.text.length : 0;
    this.#bytes += bytes;
    try {
      for (let attempt = 1; ; attempt++) {
        const reply = (await this.#mailbox.ask(request)) as MutationReply;
        if (attempt === NAMES_TRIED || !mayTryAnotherName(reply)) return reply;
      }
    } finally {
      this.#bytes -= bytes;
    }
  }

  /**
   * One object of this namespace, from memory if it was read lately. As fresh as a read of the store: whatever this
   * object commits it forgets first, and nobody else writes here; that nobody else does is confirmed every second.
   */
  async get(resource: GroupResource, name: string): Promise<HotObject | null> {
    const store = this.#graph;
    const key = hotKey(resource, name);
    const hot = store.heldWithin(HOLD_CONFIRMED) ? this.#hot.get(key) : undefined;
    if (hot) return hot;
    const { moment } = this.#hot;
    const statement = store.db.prepare(GET_OBJECT).bind(store.cluster, resource, store.namespace, name);
    const row = await this.#guarded(() => store.readHeld<ObjectRow>(statement));
    if (row === null) return null;
    const found = { resourceVersion: row.resource_version, body: row.body };
    this.#hot.remember(key, found, moment);
    return found;
  }

  /** Says that the outbox has work for this namespace. */
  async wake(): Promise<void> {
    this.#sweepsFrom = 0;
    this.#knowsNext = false;
    this.#arm(ALARM_AFTER);
    this.ctx.waitUntil(this.#mailbox.work());
  }

  override async alarm(): Promise<void> {
    this.#alarm.came();
    this.#sweepsFrom = 0;
    this.#knowsNext = false;
    this.#pace.endRest();
    this.#sweepPace.endRest();
    // Under a steady load the mailbox never rests, and an alarm has fifteen minutes: whatever is left arms another one.
    await Promise.race([this.#mailbox.work(), new Promise((resolve) => setTimeout(resolve, ALARM_PATIENCE))]);
  }

  get #graph(): GraphStore {
    if (this.#store === undefined) {
      const { cluster, namespace } = parseGraphName(this.ctx.id.name);
      this.#store = new GraphStore(databaseOf(this.env, cluster), cluster, namespace, this.clock);
    }
    return this.#store;
  }

  /** Brings objects back, all of them or none. */
  async restore(request: RestoreRequest): Promise<RestoreReply> {
    return (await this.#mailbox.ask(request)) as RestoreReply;
  }

  /** The mutations that come first; or a restore, which has a batch of its own. */
  async #turn(
    requests: readonly (MutationRequest | RestoreRequest)[],
    took: (n: number) => void,
  ): Promise<readonly (MutationReply | RestoreReply)[]> {
    const [first] = requests;
    if (first && "restore" in first) {
      took(1);
      return [await this.#restore(first)];
    }
    const until = requests.findIndex((request) => "restore" in request);
    return this.#group((until < 0 ? requests : requests.slice(0, until)) as MutationRequest[], took);
  }

  async #restore(request: RestoreRequest): Promise<RestoreReply> {
    const { reply, committed } = await commitRestore(request, this.#graph, this.#kinds);
    if (committed) this.#committed(committed);
    return reply;
  }

  async #group(
    requests: readonly MutationRequest[],
    took: (n: number) => void,
  ): Promise<readonly MutationReply[]> {
    const written = requests.flatMap(({ kind, mutation }) =>
      mutation.verb === "create" ? [] : [hotKey(kind.storedAs, mutation.name)],
    );
    this.#hot.forget(written);
    // Afterwards as well, and also when it fails: a failed turn may have been committed.
    const { replies, committed } = await commitGroup(
      requests,
      this.#graph,
      this.#kinds,
      this.clock,
      took,
    ).finally(() => this.#hot.forget(written));
    if (committed) this.#committed(committed);
    return replies;
  }

  #committed(committed: NonNullable<GroupResult["committed"]>): void {
    this.#follow(committed);
    if (committed.next !== null && committed.next <= this.clock()) this.#gather();
    if (!committed.leavesWork) return;
    this.#arm(ALARM_AFTER);
    this.#gather();
  }

  #gather(): void {
    this.#gathering ??= new Promise<void>((resolve) => setTimeout(resolve, GATHERING)).then(() => {
      this.#gathering = undefined;
      return this.#mailbox.work();
    });
    this.ctx.waitUntil(this.#gathering);
  }

  /** Work of the outbox and what is due for the sweeps take turns, as long as there is both. */
  async #slice(): Promise<boolean> {
    const context = { store: this.#graph, kindsCache: this.#kinds, clock: this.clock, asks: this.#asks };
    const due = this.clock() >= this.#sweepsFrom;
    const first = due && !this.#swept;
    const more = first ? await this.#sweepSlice(context) : await this.#workSlice(context);
    this.#swept = first;
    this.ctx.waitUntil(this.#sendAsks());
    if (more) return true;
    const rest = first ? await this.#workSlice(context) : due && (await this.#sweepSlice(context));
    if (!rest && !this.#knowsNext) await this.#armForNext(context);
    return rest;
  }

  /** With nothing due, what comes next is asked once; from then on commits tell what they add. */
  async #armForNext(context: SliceContext): Promise<void> {
    const { sweep, work } = await nextMoments(context);
    this.#knowsNext = true;
    if (sweep !== null) this.#sweepsFrom = Math.min(this.#sweepsFrom, sweep);
    for (const moment of [sweep, work]) if (moment !== null) this.#armBy(moment);
  }

  async #sweepSlice(context: SliceContext): Promise<boolean> {
    const rest = this.#sweepPace.rest(this.clock());
    if (rest > 0) {
      this.#arm(rest);
      return false;
    }
    this.#hot.forgetAll();
    try {
      const { empty, committed } = await dueSlice(context, this.#sweepPace.items);
      if (!empty) {
        this.#sweepPace.committed(committed !== undefined, this.clock());
        this.#knowsNext = false;
        this.#arm(ALARM_AFTER);
      } else {
        this.#sweepsFrom = Number.POSITIVE_INFINITY;
      }
      if (committed) this.#follow(committed);
      return !empty;
    } catch (fault) {
      if (!(fault instanceof Superseded) && this.#sweepPace.failed(this.clock())) await putOffDue(context);
      throw fault;
    } finally {
      this.#hot.forgetAll();
    }
  }

  /** Between turns: what is answered is work again. */
  async #sendAsks(): Promise<void> {
    await this.#asks.send(async (part) => {
      const store = this.#graph;
      await store.db
        .prepare(ANSWERED)
        .bind(store.cluster, store.namespace, part, await store.hold())
        .run();
      this.ctx.waitUntil(this.#mailbox.work());
    });
  }

  /** Asks the outside. Whoever composes the Worker knows how; here nobody does. */
  protected async answer(_question: Question): Promise<Answer> {
    throw new Error("nobody can be asked");
  }

  async #workSlice(context: SliceContext): Promise<boolean> {
    const rest = this.#pace.rest(this.clock());
    if (rest > 0) {
      this.#arm(rest);
      return false;
    }
    this.#hot.forgetAll();
    try {
      const { empty, committed } = await workSlice(context, this.#pace.items);
      if (!empty) {
        this.#pace.committed(committed?.changed ?? false, this.clock());
        this.#arm(ALARM_AFTER);
      }
      if (committed) this.#follow(committed);
      return !empty;
    } catch (fault) {
      if (!(fault instanceof Superseded) && this.#pace.failed(this.clock())) await putOffFirst(context);
      throw fault;
    } finally {
      this.#hot.forgetAll();
    }
  }

  /** A superseded object must write no more: it ends itself, and the next call begins a new one. */
  async #guarded<T>(turn: () => Promise<T>): Promise<T> {
    try {
      return await turn();
    } catch (fault) {
      const { cluster, namespace } = this.#graph;
      console.error(
        JSON.stringify({
          level: "error",
          message: "a turn failed",
          cluster,
          namespace,
          fault: String(fault),
        }),
      );
      if (fault instanceof Superseded) this.ctx.abort(fault.message);
      else this.#arm(ALARM_AFTER_FAULT);
      throw fault;
    }
  }

  /** Tells others what was committed, without holding up the mailbox. What is lost here is found by their polls. */
  #follow({
    resourceVersion,
    wake,
    next,
  }: {
    resourceVersion: number;
    wake: readonly string[];
    next: number | null;
  }): void {
    if (next !== null) {
      this.#sweepsFrom = Math.min(this.#sweepsFrom, next);
      // What is due already is gathered like all work that follows; the alarm only stands by for it.
      this.#armBy(next <= this.clock() ? this.clock() + ALARM_AFTER : next);
    }
    this.#followers ??= new Followers(this.env, this.#graph.cluster);
    if (wake.length > 0) this.ctx.waitUntil(this.#followers.wake(wake));
    this.#followers.poke(resourceVersion);
  }

  #arm(after: number): void {
    this.#armBy(this.clock() + after);
  }

  #armBy(moment: Millis): void {
    if (moment < COUNTED) this.ctx.waitUntil(this.#alarm.by(moment, this.clock()));
  }
}

/** A name that was made up is made up anew each time the request is decided. */
const mayTryAnotherName = (reply: MutationReply): boolean =>
  !reply.ok && reply.failure.reason === "AlreadyExists" && reply.failure.generated === true;

const hotKey = (resource: GroupResource, name: string): string => `${resource} ${name}`;
