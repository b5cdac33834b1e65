import type { Kind } from "../../objects/kind.ts";
import type { KubeObject } from "../../objects/object.ts";
import type { Answer, Question, SweepName } from "../../sweeps/decision.ts";
import { kindOf } from "../decide/decide.fixture.ts";
import { patch, type Sketch, TestCluster } from "../graph.fixture.ts";
import { workSlice } from "../slice.ts";
import { Asks } from "./asks.ts";
import { dueSlice } from "./due.ts";
import { startRun } from "./runs.ts";

const SLICES = 2_000;

/** A row of `sweep_runs`, as a test reads it. */
export interface Run {
  name: string;
  sweep: string;
  pending: number;
  found: number;
  deleted: number;
  patched: number;
  skipped: number;
  reported: number;
  failed: number;
  deleted_objects: string;
  skipped_objects: string;
  message: string;
}

/** A cluster whose sweeps a test drives: the real slices and database, on a clock that stands where the test puts it. */
export class SweptCluster {
  readonly cluster: TestCluster;
  /** What the outside answers, by question. */
  answer: (question: Question) => Answer = ({ ask }) =>
    ask === "instance-exists" || ask === "instance-shutdown"
      ? { problem: "nobody" }
      : { result: "failed", message: "nobody" };
  readonly #asks = new Map<string, Asks>();

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  static async create(namespaces?: readonly string[], db?: D1Database): Promise<SweptCluster> {
    return new SweptCluster(await TestCluster.create(namespaces, db));
  }

  get now(): number {
    return this.cluster.now;
  }

  set now(now: number) {
    this.cluster.now = now;
  }

  context(namespace: string) {
    const asks = this.#asks.get(namespace) ?? new Asks(async (question) => this.answer(question));
    this.#asks.set(namespace, asks);
    return { ...this.cluster.graph(namespace), clock: this.cluster.clock, asks };
  }

  make(kind: Kind, sketch: Sketch, namespace?: string): Promise<KubeObject> {
    return this.cluster.make(kind, sketch, namespace);
  }

  /** Changes an object's status as a controller does. */
  async status(
    kind: Kind,
    name: string,
    status: object,
    namespace = kind.namespaced ? "team" : "",
  ): Promise<void> {
    const request = patch(kind, name, { status });
    const { mutation } = request;
    if (mutation.verb === "patch") mutation.subresource = "status";
    await this.cluster.ask(namespace, request);
  }

  async policy(spec: object, name = "default"): Promise<void> {
    await this.cluster.make(kindOf("sweeppolicies.gc.kubegc.dev"), { name, fields: { spec } });
    await this.settle();
  }

  /** All that is due and all that follows from it, at the clock's moment; the answers of the outside come in between. */
  async settle(
    namespaces: readonly string[] = ["", "team", "other", "default", "kube-system", "kube-node-lease"],
  ): Promise<void> {
    for (let slices = 0, busy = true; busy; slices++) {
      busy = false;
      if (slices > SLICES) throw new Error(`never comes to rest: ${await this.cluster.outbox()}`);
      for (const namespace of namespaces) {
        const context = this.context(namespace);
        if (!(await workSlice(context)).empty) busy = true;
        if (!(await dueSlice(context)).empty) busy = true;
        await context.asks.send(async (part) => {
          busy = true;
          await this.cluster.db
            .prepare("UPDATE work SET due_at = 0 WHERE cluster = ?1 AND uid = ?2")
            .bind(this.cluster.id, part)
            .run();
        });
      }
    }
  }

  /** Runs a sweep by hand to its end. */
  async run(sweep: SweepName, dryRun = false): Promise<Run> {
    const name = `by-hand-${crypto.randomUUID()}`;
    await startRun(this.cluster.db, this.cluster.id, { name, sweep, cause: "request", dryRun }, this.now);
    await this.settle();
    const run = (await this.runs()).find((row) => row.name === name);
    if (run === undefined) throw new Error("the run is not there");
    return run;
  }

  async runs(): Promise<Run[]> {
    const { results } = await this.cluster.db
      .prepare("SELECT * FROM sweep_runs WHERE cluster = ?1 ORDER BY name")
      .bind(this.cluster.id)
      .all<Run>();
    return results;
  }

  /** What was reported, skipped and so on, over all runs of a sweep. */
  async counts(
    sweep: SweepName,
  ): Promise<Pick<Run, "found" | "deleted" | "patched" | "skipped" | "reported" | "failed">> {
    const counts = { found: 0, deleted: 0, patched: 0, skipped: 0, reported: 0, failed: 0 };
    for (const run of await this.runs()) {
      if (run.sweep !== sweep) continue;
      for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += run[key];
    }
    return counts;
  }

  async sweepAt(uid: string): Promise<number | null> {
    const row = await this.cluster.db
      .prepare("SELECT sweep_at FROM objects WHERE uid = ?1")
      .bind(uid)
      .first<{ sweep_at: number | null }>();
    return row?.sweep_at ?? null;
  }

  /** Names of what is left of a kind. */
  async names(kind: Kind): Promise<string[]> {
    const { results } = await this.cluster.db
      .prepare("SELECT name FROM objects WHERE cluster = ?1 AND resource = ?2 ORDER BY name")
      .bind(this.cluster.id, kind.storedAs)
      .all<{ name: string }>();
    return results.map(({ name }) => name);
  }
}
