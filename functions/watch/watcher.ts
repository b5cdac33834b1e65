import type { Clock } from "../objects/clock.ts";
import type { Millis } from "../objects/object.ts";
import type { Change } from "./change.ts";
import { type EventLine, objectEvent, type TableOf } from "./event-line.ts";
import { EventQueue, type QueueMemory } from "./event-queue.ts";
import { InitialEvents } from "./initial-events.ts";
import type { Pace } from "./pacing.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { type Form, formOf, type WatchSpec } from "./watch-spec.ts";

/** The most that is handed to the stream at once. */
const CHUNK_BYTES = 256 * 1024;

interface Surroundings {
  clock: Clock;
  /** Shared with all other watchers. */
  memory: QueueMemory;
  /** Called once, when the stream has been closed by either side. */
  closed: () => void;
}

/**
 * One open watch: its stream, what waits to be written to it, and how far it has come.
 *
 * It is `live` when the feed dispatches to it. Otherwise it reads by itself, at the client's pace, until it has caught
 * up; one that falls behind goes back to that. Once `ended` nothing is added, and the stream closes when the client
 * has taken the rest.
 */
export class Watcher {
  readonly spec: WatchSpec;
  readonly form: Form;
  readonly selection: Selection;
  readonly pace: Pace;
  readonly body: ReadableStream<Uint8Array>;

  /** The client has been told of every change up to this one. While live, the feed's own position counts if it is newer. */
  position: number;
  live = false;
  /** Set while existing objects are being sent, and until the changes made meanwhile have been. */
  initial: InitialEvents | undefined;
  ended: Millis | undefined;
  /** When the client last took something, or had nothing to take. */
  movedAt: Millis;

  readonly #queue: EventQueue;
  #controller: ReadableByteStreamController | undefined;
  /** The stream wants bytes and there were none. */
  #hungry = false;
  #flushing = false;
  #headersSent = false;
  #whenDrained: (() => void)[] = [];
  readonly #clock: Clock;
  readonly #closed: () => void;

  constructor(spec: WatchSpec, pace: Pace, surroundings: Surroundings) {
    const { clock, memory, closed } = surroundings;
    this.spec = spec;
    this.form = formOf(spec);
    this.selection = selectionOf(spec);
    this.pace = pace;
    this.movedAt = clock();
    this.#clock = clock;
    this.#queue = new EventQueue(memory);
    this.#closed = closed;
    const from = spec.from ?? 0;
    this.position = from;
    if (spec.sendInitialEvents ?? from === 0) this.initial = new InitialEvents(this.selection);
    this.body = new ReadableStream({
      type: "bytes",
      start: (controller) => {
        this.#controller = controller as ReadableByteStreamController;
      },
      pull: () => {
        this.#hungry = true;
        this.#flush();
      },
      cancel: () => this.#close(),
    });
  }

  get idle(): boolean {
    return this.#queue.length === 0;
  }

  /** @returns false when the queue is full, or the watch has ended. */
  offer(line: EventLine): boolean {
    if (this.idle) this.movedAt = this.#clock();
    if (this.ended !== undefined || !this.#queue.offer(line)) return false;
    this.#flushSoon();
    return true;
  }

  /**
   * Offers what a change means to this watch, which may be nothing.
   *
   * @returns false when the queue was full and the change has not been told.
   */
  tell(change: Change, tableOf: TableOf): boolean {
    const seen = change.seenBy(this.selection);
    if (seen === undefined) return true;
    const headers = this.form.representation === "table" && !this.#headersSent;
    const { type, state } = seen;
    const line = change.line(`${type} ${state} ${headers ? "headers" : ""} ${this.form.key}`, () =>
      objectEvent(
        type,
        change.body(state),
        this.form,
        { now: this.#clock(), headers, resourceVersion: change.row.version },
        tableOf,
      ),
    );
    if (!this.offer(line)) return false;
    this.#headersSent = true;
    return true;
  }

  /** Resolves when the client has taken everything, or the watch is over. */
  drained(): Promise<void> {
    if (this.ended !== undefined || this.idle) return Promise.resolve();
    return new Promise((resolve) => this.#whenDrained.push(resolve));
  }

  /** Ends the watch after what is queued, and after `last`. */
  end(last?: EventLine): void {
    if (this.ended !== undefined) return;
    if (last !== undefined) this.#queue.offer(last);
    this.ended = this.#clock();
    this.live = false;
    this.#wake();
    this.#flushSoon();
  }

  /** Ends the watch without what is queued. Only whole lines have been written, so the client can go on from the last. */
  abandon(): void {
    this.ended ??= this.#clock();
    this.live = false;
    this.#queue.discard();
    this.#flush();
  }

  /** Bytes are handed over after the events of one turn have been gathered, in as few chunks as they fit in. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    if (this.#hungry && this.#queue.length > 0) {
      this.#hungry = false;
      this.movedAt = this.#clock();
      controller.enqueue(this.#queue.take(CHUNK_BYTES));
    }
    if (this.#queue.length > 0) return;
    this.#wake();
    if (this.ended === undefined) return;
    controller.close();
    controller.byobRequest?.respond(0);
    this.#close();
  }

  #close(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
    this.ended ??= this.#clock();
    this.live = false;
    this.#queue.discard();
    this.#wake();
    this.#closed();
  }

  #wake(): void {
    const waiting = this.#whenDrained;
    this.#whenDrained = [];
    for (const resolve of waiting) resolve();
  }
}
