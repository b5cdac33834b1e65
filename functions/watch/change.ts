import type { ChangeRow } from "../../db/changes.ts";
import type { KubeObject } from "../objects/object.ts";
import type { EventLine } from "./event-line.ts";
import type { Selection } from "./selection.ts";
import { type MatchedBefore, type Transition, transition } from "./transition.ts";

/** One change on its way to the watchers, with what they share of it: its objects parsed once, each line encoded once. */
export class Change {
  readonly row: ChangeRow;
  #current: KubeObject | undefined;
  #previous: KubeObject | undefined;
  readonly #lines = new Map<string, EventLine>();

  constructor(row: ChangeRow) {
    this.row = row;
  }

  /** The state that a selector is asked about. It carries no kind, version or resourceVersion. */
  get current(): KubeObject {
    this.#current ??= JSON.parse(this.row.body) as KubeObject;
    return this.#current;
  }

  /** What the change means to a watch; undefined when nothing. */
  seenBy(selection: Selection): Transition | undefined {
    const { type, namespace, name } = this.row;
    if (!selection.matchesKey(namespace, name)) return undefined;
    if (!selection.byContent) return { type, state: "current" };
    const now = selection.matchesContent(this.current);
    return transition(type, type === "MODIFIED" ? this.#matchedBefore(selection) : now, now);
  }

  #matchedBefore(selection: Selection): MatchedBefore {
    if (this.row.previous_body === null) return "unknown";
    this.#previous ??= JSON.parse(this.row.previous_body) as KubeObject;
    return selection.matchesContent(this.#previous);
  }

  body(state: Transition["state"]): string {
    return state === "previous" ? (this.row.previous_body ?? this.row.body) : this.row.body;
  }

  /** The line that was made under this key, or the one that is made now. */
  line(key: string, make: () => EventLine): EventLine {
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = make();
      this.#lines.set(key, line);
    }
    return line;
  }
}
