import type { EventLine } from "./event-line.ts";

/** What all queues of a feed may hold together. A line in many queues counts once. */
export class QueueMemory {
  held = 0;
  /** Queues that share it. */
  members = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get exceeded(): boolean {
    return this.held > this.limit;
  }

  /** Whether a queue that holds `own` bytes may grow: when memory is short, only one within its fair share may. */
  admits(own: number): boolean {
    return !this.exceeded || own <= this.limit / Math.max(1, this.members);
  }
}

/** Of one watcher. What does not fit waits in the database, not in memory. */
export const QUEUE_LIMITS = { lines: 1_000, bytes: 4 * 1024 * 1024 } as const;

/** The events that one client has not taken yet, in order. */
export class EventQueue {
  #lines: EventLine[] = [];
  /** Of the first line not taken. */
  #head = 0;
  #bytes = 0;
  readonly #memory: QueueMemory;

  constructor(memory: QueueMemory) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#lines.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns false, and nothing was added, when the queue is full. An empty queue takes any one line. */
  offer(line: EventLine): boolean {
    const size = line.bytes.length;
    const full =
      this.length >= QUEUE_LIMITS.lines ||
      this.#bytes + size > QUEUE_LIMITS.bytes ||
      !this.#memory.admits(this.#bytes + size);
    if (full && this.length > 0) return false;
    this.#lines.push(line);
    this.#bytes += size;
    if (line.holders++ === 0) this.#memory.held += size;
    return true;
  }

  /** Takes whole lines from the front, joined: at least one, and no more than `bytes` unless the first is longer. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    let end = this.#head;
    let size = 0;
    for (; end < this.#lines.length; end++) {
      const next = this.#lines[end]?.bytes.length ?? 0;
      if (size > 0 && size + next > bytes) break;
      size += next;
    }
    const joined = new Uint8Array(size);
    let offset = 0;
    for (const line of this.#lines.slice(this.#head, end)) {
      joined.set(line.bytes, offset);
      offset += line.bytes.length;
      this.#release(line);
    }
    this.#head = end;
    if (this.length === 0) {
      this.#lines = [];
      this.#head = 0;
    }
    return joined;
  }

  discard(): void {
    for (const line of this.#lines.slice(this.#head)) this.#release(line);
    this.#lines = [];
    this.#head = 0;
  }

  #release(line: EventLine): void {
    this.#bytes -= line.bytes.length;
    if (--line.holders === 0) this.#memory.held -= line.bytes.length;
  }
}
