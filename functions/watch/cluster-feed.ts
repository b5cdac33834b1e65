import { DurableObject } from "cloudflare:workers";
import { type Databases, databaseOf } from "../../db/database.ts";
import { type Clock, systemClock } from "../objects/clock.ts";
import { Change } from "./change.ts";
import { type Interest, readChanges, readObjectPage, readVersions } from "./change-reader.ts";
import { blankLine, bookmark, type EventLine, errorEvent, plainTable, type TableOf } from "./event-line.ts";
import { QueueMemory } from "./event-queue.ts";
import { existing, type InitialEvents, type Key } from "./initial-events.ts";
import { due, nextHeartbeat, PATIENCE } from "./pacing.ts";
import { streamResponse } from "./stream-response.ts";
import { Turns } from "./turns.ts";
import type { WatchSpec } from "./watch-spec.ts";
import { tooManyWatches, tooOld } from "./watch-status.ts";
import { Watcher } from "./watcher.ts";
import { WatcherIndex } from "./watcher-index.ts";

const MAX_TIMEOUT_SECONDS = 3_600;
const RETRY_AFTER_SECONDS = 1;
const QUEUE_MEMORY = 32 * 1024 * 1024;
/** How many watches read by themselves at the same time. */
const READERS = 4;
const TICK = 1_000;
/** Of every so many ticks one looks for changes that no poke told of. */
const POLL_TICKS = 2;
/** Before a read that failed is tried again. */
const PAUSE = 2_000;

/**
 * The change feed of one cluster; its name is the cluster's number. It holds no truth: the table `changes` does, and a
 * feed that starts anew knows nothing but its name.
 *
 *     poke, or poll ── read the slice after `cursor` ── offer each change to the live watchers concerned ── move `cursor`
 *     a new watch   ── existing objects, if asked for ── read from its own position ── reached `cursor`: live
 *     a slow watch  ── its queue is full ── no longer live ── reads from its own position at the client's pace ── …
 *
 * Invariant: a live watcher has been offered every change up to `cursor` that concerns it. It becomes live without an
 * await after its position was seen to have reached `cursor`, and any slice in flight at that moment was asked for
 * with this watcher's resource in mind.
 */
export class ClusterFeed extends DurableObject<Databases> {
  /** Replaced by whoever composes the feed with an API that knows how kinds are printed. */
  protected tableOf: TableOf = plainTable;
  protected clock: Clock = systemClock;
  protected maxWatchers = 10_000;

  /** Every stream that is open, also those that have ended and wait for the client to take the rest. */
  readonly #watchers = new Set<Watcher>();
  /** Those that have not ended. */
  readonly #index = new WatcherIndex();
  readonly #memory = new QueueMemory(QUEUE_MEMORY);
  readonly #turns = new Turns(READERS);
  /** Live watchers have been offered everything up to here. Undefined while nobody watches. */
  #cursor: number | undefined;
  /** The newest resourceVersion that somebody told of. */
  #told = 0;
  #advancing = false;
  /** The slice that is being read; never rejects. */
  #inFlight: Promise<boolean> | undefined;
  #ticker: number | null = null;
  #ticks = 0;

  get cluster(): number {
    const cluster = Number(this.ctx.id.name);
    if (!Number.isSafeInteger(cluster) || cluster < 0) {
      throw new Error(`a feed is named by its cluster's number, not ${this.ctx.id.name}`);
    }
    return cluster;
  }

  get #db(): D1Database {
    return databaseOf(this.env, this.cluster);
  }

  /** Tells that changes up to a resourceVersion are committed; says whether anybody watches. May be lost or come twice. */
  poke(resourceVersion: number): boolean {
    this.#told = Math.max(this.#told, resourceVersion);
    if (this.#cursor !== undefined && this.#told > this.#cursor) void this.#advance();
    return this.#watchers.size > 0;
  }

  /** Opens a watch: see `watchRequest`. Whoever calls has authorised the user. */
  override async fetch(request: Request): Promise<Response> {
    const spec = (await request.json()) as WatchSpec;
    if (spec.cluster !== this.cluster) throw new Error("this feed is another cluster's");
    if (this.#watchers.size >= this.maxWatchers) return tooManyWatches(RETRY_AFTER_SECONDS);
    return streamResponse(this.#open(spec).body);
  }

  /** Every second while there are watches: looks for changes now and then, and gives quiet watches their sign of life. */
  protected tick(): void {
    const now = this.clock();
    if (++this.#ticks % POLL_TICKS === 0) void this.#advance();
    for (const watcher of this.#watchers) {
      if (watcher.ended !== undefined) {
        if (now - watcher.ended > PATIENCE) watcher.abandon();
      } else if (this.#memory.exceeded && !watcher.idle && now - watcher.movedAt > PATIENCE) {
        watcher.abandon();
      } else if (due(watcher.pace, now) === "end") {
        this.#end(watcher, this.#progress(watcher));
      } else if (due(watcher.pace, now) === "heartbeat") {
        watcher.pace.heartbeatAt = nextHeartbeat(now, Math.random());
        if (watcher.idle) watcher.offer(this.#progress(watcher) ?? blankLine());
      }
    }
  }

  #open(spec: WatchSpec): Watcher {
    const now = this.clock();
    const pace = {
      endsAt: now + Math.min(spec.timeoutSeconds, MAX_TIMEOUT_SECONDS) * 1000,
      heartbeatAt: nextHeartbeat(now, Math.random()),
    };
    const watcher = new Watcher(spec, pace, {
      clock: () => this.clock(),
      memory: this.#memory,
      closed: () => this.#closed(watcher),
    });
    this.#watchers.add(watcher);
    this.#index.add(watcher);
    this.#memory.members = this.#watchers.size;
    this.#ticker ??= setInterval(() => this.tick(), TICK);
    void this.#follow(watcher);
    return watcher;
  }

  #end(watcher: Watcher, last?: EventLine): void {
    this.#index.remove(watcher);
    watcher.end(last);
  }

  #closed(watcher: Watcher): void {
    this.#index.remove(watcher);
    this.#watchers.delete(watcher);
    this.#memory.members = this.#watchers.size;
    if (this.#watchers.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = null;
    this.#cursor = undefined;
  }

  /** Where a watch stands, for a client that may be told; never before it holds all that existed at the start. */
  #progress(watcher: Watcher): EventLine | undefined {
    if (!watcher.spec.bookmarks || watcher.initial !== undefined) return undefined;
    const position = watcher.live ? Math.max(watcher.position, this.#cursor ?? 0) : watcher.position;
    return bookmark(watcher.form, position);
  }

  /** Takes a watch from where it stands to where it is live. */
  async #follow(watcher: Watcher): Promise<void> {
    await this.#inFlight;
    while (watcher.ended === undefined && !watcher.live) {
      try {
        await this.#step(watcher);
      } catch (fault) {
        report("a watch could not be read for", this.cluster, fault);
        await pause();
      }
    }
  }

  async #step(watcher: Watcher): Promise<void> {
    const { initial } = watcher;
    if (this.#cursor === undefined) await this.#start();
    else if (initial !== undefined && !initial.complete) await this.#sendExisting(watcher, initial);
    else if (initial !== undefined && watcher.position >= initial.until) await this.#finishInitial(watcher);
    else if (initial === undefined && watcher.position >= this.#cursor) watcher.live = true;
    else await this.#replay(watcher);
  }

  async #start(): Promise<void> {
    const versions = await readVersions(this.#db, this.cluster);
    if (versions === undefined) this.#endAll();
    else if (this.#watchers.size > 0) this.#cursor ??= versions.newest;
  }

  async #sendExisting(watcher: Watcher, initial: InitialEvents): Promise<void> {
    const { selection } = watcher;
    const resource = watcher.spec.kind.storedAs;
    await watcher.drained();
    const page = await this.#turns.take(() =>
      readObjectPage(this.#db, this.cluster, resource, selection, initial.after),
    );
    if (page === undefined) return this.#end(watcher);
    let last: Key | undefined;
    for (const row of page.rows) {
      if (!this.#tell(watcher, existing(row, resource))) {
        if (last !== undefined) initial.pageSent(last, page.newest);
        return;
      }
      last = row;
    }
    initial.pageSent(page.more ? last : undefined, page.newest);
    if (initial.complete) watcher.position = initial.since;
  }

  async #finishInitial(watcher: Watcher): Promise<void> {
    const { sendInitialEvents, bookmarks } = watcher.spec;
    const announced = sendInitialEvents && bookmarks;
    if (announced && !watcher.offer(bookmark(watcher.form, watcher.position, true))) await watcher.drained();
    else watcher.initial = undefined;
  }

  async #replay(watcher: Watcher): Promise<void> {
    await watcher.drained();
    const { initial, position } = watcher;
    const slice = await this.#turns.take(() =>
      readChanges(this.#db, this.cluster, position, interestOf(watcher)),
    );
    if (slice === undefined) return this.#end(watcher);
    if (position < slice.compacted) {
      return this.#end(watcher, errorEvent(tooOld(position, slice.compacted)));
    }
    for (const row of slice.rows) {
      if (initial?.showed(row)) continue;
      if (!this.#tell(watcher, new Change(row))) {
        watcher.position = row.version - 1;
        return;
      }
    }
    watcher.position = slice.through;
  }

  /** Reads on from the cursor until there is nothing new. Runs once at a time. */
  async #advance(): Promise<void> {
    if (this.#advancing) return;
    this.#advancing = true;
    for (let more = true; more && this.#cursor !== undefined; ) {
      const told = this.#told;
      this.#inFlight = this.#dispatchSlice(this.#cursor);
      more = (await this.#inFlight) || this.#told > told;
    }
    this.#advancing = false;
  }

  /** @returns whether there is more to read; never rejects. */
  async #dispatchSlice(from: number): Promise<boolean> {
    try {
      const slice = await readChanges(this.#db, this.cluster, from, this.#index.interest);
      // Everybody left meanwhile: whoever came since starts anew.
      if (this.#cursor !== from) return false;
      if (slice === undefined) {
        this.#endAll();
        return false;
      }
      if (from < slice.compacted) this.#endBehind(slice.compacted);
      for (const row of slice.rows) this.#dispatch(new Change(row));
      this.#cursor = slice.through;
      return slice.through < slice.newest;
    } catch (fault) {
      report("changes could not be read for", this.cluster, fault);
      return false;
    }
  }

  #dispatch(change: Change): void {
    const { resource, namespace, version } = change.row;
    for (const watcher of this.#index.concerned(resource, namespace)) {
      if (!watcher.live || version <= watcher.position || this.#tell(watcher, change)) continue;
      watcher.live = false;
      watcher.position = version - 1;
      void this.#follow(watcher);
    }
  }

  /** @returns false when the watcher's queue is full. One that cannot be told for another reason is ended. */
  #tell(watcher: Watcher, change: Change): boolean {
    try {
      return watcher.tell(change, this.tableOf);
    } catch (fault) {
      report("an event could not be written for", this.cluster, fault);
      this.#end(watcher);
      return true;
    }
  }

  #endAll(): void {
    for (const watcher of this.#watchers) this.#end(watcher);
  }

  /** Changes that live watchers have not been told of are gone. */
  #endBehind(compacted: number): void {
    for (const watcher of this.#watchers) {
      const position = Math.max(watcher.position, this.#cursor ?? 0);
      if (watcher.live && position < compacted) this.#end(watcher, errorEvent(tooOld(position, compacted)));
    }
  }
}

function interestOf({ spec, selection }: Watcher): Interest {
  const resources = [spec.kind.storedAs];
  return {
    resources,
    resourcesByContent: selection.byContent ? resources : [],
    namespace: selection.namespace,
    name: selection.name,
  };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE));

function report(what: string, cluster: number, fault: unknown): void {
  console.error(JSON.stringify({ message: `${what} cluster ${cluster}`, fault: String(fault) }));
}
