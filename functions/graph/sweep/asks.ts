import type { Uid } from "../../objects/object.ts";
import type { Answer, Question } from "../../sweeps/decision.ts";
import type { NodeFacts, ProviderAnswer } from "../../sweeps/nodes.ts";
import type { ReclaimAnswer } from "../../sweeps/volume-reclaim.ts";

/** A question about an object; `part` is the row of the outbox that is looked at with the answer. */
export interface Asked {
  uid: Uid;
  part: string;
  question: Question;
}

type VolumeOrder = "delete-volume" | "recycle-volume";

/** So many questions are on their way at once. */
const TOGETHER = 6;
/** Answers that nobody came to fetch, and failures, are kept for so many objects. */
const MOST = 10_000;

/**
 * Questions to the outside, which are asked between turns, and their answers. Nothing of it is stored: what was asked and
 * not answered when a graph object ends is asked again, since the part that wants the answer is in the outbox.
 *
 * Invariant: an answer is used for one decision, taken from a fresh read; what it was asked about may have changed, and the
 * question that is asked now is compared with the one that was answered.
 */
export class Asks {
  readonly #answer: (question: Question) => Promise<Answer>;
  readonly #node = new Map<Uid, { providerID: string; facts: NodeFacts }>();
  readonly #volume = new Map<Uid, { ask: VolumeOrder; answer: ReclaimAnswer }>();
  readonly #failures = new Map<Uid, number>();
  #waiting: Asked[] = [];

  constructor(answer: (question: Question) => Promise<Answer>) {
    this.#answer = answer;
  }

  /** What was said about the machine that a Node names. */
  nodeFacts(uid: Uid, providerID: string): NodeFacts {
    const known = this.#node.get(uid);
    return known?.providerID === providerID ? known.facts : {};
  }

  volumeAnswer(uid: Uid, ask: VolumeOrder): ReclaimAnswer | undefined {
    const known = this.#volume.get(uid);
    return known?.ask === ask ? known.answer : undefined;
  }

  /** How often in a row the deleter failed for a volume, as far as this object remembers. */
  failures(uid: Uid): number {
    return this.#failures.get(uid) ?? 0;
  }

  /** What was answered about an object was used. */
  used(uid: Uid): void {
    this.#node.delete(uid);
    this.#volume.delete(uid);
  }

  /** To be asked after the turn. */
  leave(asked: readonly Asked[]): void {
    this.#waiting.push(...asked);
  }

  /** Asks what was left, and says of each part when its answer is there. */
  async send(answered: (part: string) => Promise<void>): Promise<void> {
    const waiting = this.#waiting.splice(0);
    const ask = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        this.#remember(next, await this.#answer(next.question).catch((fault) => lost(next.question, fault)));
        await answered(next.part);
      }
    };
    await Promise.all(Array.from({ length: Math.min(TOGETHER, waiting.length) }, ask));
  }

  #remember({ uid, question }: Asked, answer: Answer): void {
    bound(this.#node);
    bound(this.#volume);
    bound(this.#failures);
    switch (question.ask) {
      case "instance-exists":
      case "instance-shutdown": {
        const { providerID } = question;
        const said = question.ask === "instance-exists" ? "exists" : "shutdown";
        const facts = { ...this.nodeFacts(uid, providerID), [said]: answer as ProviderAnswer };
        this.#node.set(uid, { providerID, facts });
        return;
      }
      case "delete-volume":
      case "recycle-volume": {
        const reclaim = answer as ReclaimAnswer;
        this.#volume.set(uid, { ask: question.ask, answer: reclaim });
        if (reclaim.result === "done") this.#failures.delete(uid);
        else this.#failures.set(uid, this.failures(uid) + 1);
      }
    }
  }
}

function lost({ ask }: Question, fault: unknown): Answer {
  const message = `no answer: ${String(fault)}`;
  return ask === "delete-volume" || ask === "recycle-volume"
    ? { result: "failed", message }
    : { problem: message };
}

function bound(map: Map<Uid, unknown>): void {
  for (const uid of map.keys()) {
    if (map.size <= MOST) return;
    map.delete(uid);
  }
}

/** Where nobody can be asked. */
export const NO_ASKS = new Asks(async (question) => lost(question, "nobody can be asked"));
