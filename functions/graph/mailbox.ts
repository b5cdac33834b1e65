/** What the mailbox works on: requests in groups, and slices of work between them. */
export interface Turns<Request, Reply> {
  /**
   * Decides and commits the first n requests together, and answers those; n is at least one. `took` is told n before
   * anything is written, so that a fault is theirs alone.
   */
  group(requests: readonly Request[], took: (n: number) => void): Promise<readonly Reply[]>;
  /** Does one bounded slice of work; true when there may be more. */
  slice(): Promise<boolean>;
}

/** Requests that are expected to come together are waited for as long as they come in this time, in ms. */
const LULL = 1;

/**
 * The order of a graph object: one turn at a time, a turn being a group of requests or a slice of work, taken
 * alternately so that neither starves. While a turn waits for D1, what arrives gathers and is the next group.
 *
 * A turn costs about the same for one request as for many, and clients that were answered together ask again
 * together: after a group of many the next one waits for as many, until there is a lull. One that comes alone does
 * not wait.
 *
 * D1 awaits are not covered by input gates: twenty read-then-write calls in one Durable Object left a counter
 * at 1. This queue, not the platform, makes a read and the write that depends on it one step.
 *
 * Invariants: a turn never calls another Durable Object; a turn that throws fails its own requests only; the
 * depth is bounded, and beyond it `full` refuses at once.
 */
export class Mailbox<Request, Reply> {
  readonly #turns: Turns<Request, Reply>;
  readonly #limit: number;
  #waiting: { request: Request; answer: (reply: Reply) => void; fail: (fault: unknown) => void }[] = [];
  /** How many requests the last group answered. */
  #together = 0;
  #workDue = false;
  #running: Promise<void> | undefined;

  constructor(turns: Turns<Request, Reply>, limit: number) {
    this.#turns = turns;
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#waiting.length >= this.#limit;
  }

  ask(request: Request): Promise<Reply> {
    return new Promise((answer, fail) => {
      this.#waiting.push({ request, answer, fail });
      this.#run();
    });
  }

  /** Says that there is work; resolves when the mailbox has come to rest. */
  work(): Promise<void> {
    this.#workDue = true;
    return this.#run();
  }

  #run(): Promise<void> {
    this.#running ??= this.#loop();
    return this.#running;
  }

  /** Begun only when there is something to do, so that it never ends before its promise is kept. */
  async #loop(): Promise<void> {
    while (this.#waiting.length > 0 || this.#workDue) {
      if (this.#waiting.length > 0) {
        if (this.#waiting.length < this.#together) await this.#gather();
        await this.#groupTurn();
      }
      if (this.#workDue) await this.#workTurn();
    }
    // In the same step as the last look: whatever comes after it begins a new loop.
    this.#running = undefined;
  }

  /** Bounded by the number of those who are waited for: each pause but the last brings one. */
  async #gather(): Promise<void> {
    for (let here = 0; this.#waiting.length > here && this.#waiting.length < this.#together; ) {
      here = this.#waiting.length;
      await pause(LULL);
    }
  }

  async #workTurn(): Promise<void> {
    this.#workDue = false;
    // Lets the runtime send what is ready, replies above all, before a long turn begins. A chain of D1 calls in one
    // process never comes to rest by itself: a DELETE that began a cascade of 10,000 was answered after 1,000 ms,
    // when all of it had gone, and after 15 ms with this pause.
    await pause(0);
    // A fault leaves the work where it is, and whoever made the turns has seen it; the alarm comes back to it.
    const more = await this.#turns.slice().catch(() => false);
    if (more) this.#workDue = true;
  }

  async #groupTurn(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    let taken = group.length;
    const requests = group.map((entry) => entry.request);
    try {
      const replies = await this.#turns.group(requests, (n) => {
        taken = n;
      });
      taken = replies.length;
      this.#together = taken;
      for (const [i, reply] of replies.entries()) group[i]?.answer(reply);
    } catch (fault) {
      for (const entry of group.slice(0, taken)) entry.fail(fault);
    }
    // What did not fit into the turn's batch goes first in the next one.
    this.#waiting.unshift(...group.slice(taken));
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
