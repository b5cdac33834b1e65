import type { Uid } from "../../objects/object.ts";

/** What is still to be looked at, as in the outbox: see `../tasks.ts`, whose words and stages these are. */
export type PreviewTask =
  | { task: "examine"; uid: Uid }
  | { task: "dependents"; uid: Uid; blocking: boolean }
  | { task: "release"; uid: Uid }
  | { task: "content"; uid: Uid }
  | { task: "owner"; uid: Uid }
  | { task: "finalize"; uid: Uid };

const STAGES: Readonly<Record<PreviewTask["task"], 0 | 1 | 2>> = {
  examine: 0,
  dependents: 0,
  release: 0,
  content: 1,
  owner: 2,
  finalize: 2,
};

/** Tasks of a lower stage come first, those of one stage in the order in which they came; each is there once. */
export class Tasks {
  readonly #stages: { list: PreviewTask[]; at: number }[] = [0, 1, 2].map(() => ({ list: [], at: 0 }));
  readonly #waiting = new Set<string>();

  push(task: PreviewTask): void {
    const key = keyOf(task);
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#stages[STAGES[task.task]]?.list.push(task);
  }

  next(): PreviewTask | undefined {
    for (const stage of this.#stages) {
      const task = stage.list[stage.at];
      if (task === undefined) continue;
      stage.at++;
      if (stage.at === stage.list.length) {
        stage.list = [];
        stage.at = 0;
      }
      this.#waiting.delete(keyOf(task));
      return task;
    }
    return undefined;
  }
}

const keyOf = (task: PreviewTask): string =>
  `${task.task} ${task.uid}${task.task === "dependents" && task.blocking ? " blocking" : ""}`;
