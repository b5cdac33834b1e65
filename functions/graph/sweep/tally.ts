import type { RunRow, TotalRow } from "../../../db/commit.ts";
import { type KubeObject, type Millis, timestamp } from "../../objects/object.ts";
import type { SweepName } from "../../sweeps/decision.ts";

/** The run that work is part of: a row of `sweep_runs`. */
export interface RunOf {
  name: string;
  cause: "due" | "request" | "resync";
  dryRun: boolean;
}

type Outcome = "deleted" | "patched" | "skipped" | "reported" | "failed";

/** As many objects are named in what one batch adds to a run. */
const NAMED = 100;

/** What a batch does for runs of sweeps, and counts of it. */
export class Tally {
  readonly #run: RunOf | undefined;
  readonly #now: Millis;
  readonly #runs = new Map<SweepName, RunRow & { deletedObjects: object[]; skippedObjects: object[] }>();
  readonly #totals = new Map<string, TotalRow>();

  /** @param run undefined for what moments made due: then each sweep has a run for each minute. */
  constructor(run: RunOf | undefined, now: Millis) {
    this.#run = run;
    this.#now = now;
  }

  /** @param rule of a deletion */
  count(sweep: SweepName, outcome: Outcome, object: KubeObject, reason: string, rule?: string): void {
    const row = this.#row(sweep);
    row.found++;
    row[outcome]++;
    const list = outcome === "skipped" || outcome === "failed" ? row.skippedObjects : row.deletedObjects;
    const { apiVersion, kind, metadata } = object;
    const { namespace, name, uid } = metadata;
    if (outcome !== "patched" && list.length < NAMED) {
      list.push({
        apiVersion,
        kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        uid,
        ...(rule === undefined ? {} : { rule }),
        reason,
        ...(outcome === "reported" ? { reported: true } : {}),
      });
    }
    if (rule !== undefined && (outcome === "deleted" || outcome === "failed")) {
      const key = `${sweep} ${rule}`;
      const total = this.#totals.get(key) ?? { sweep, rule, deleted: 0, failed: 0 };
      total[outcome]++;
      this.#totals.set(key, total);
    }
  }

  /** Parts of the run that were added, or, below zero, are done. */
  parts(sweep: SweepName, added: number, message = ""): void {
    if (this.#run === undefined) return;
    const row = this.#row(sweep);
    row.pending += added;
    if (message !== "") row.message = message;
  }

  /** Says in the run what holds for all of it. */
  say(sweep: SweepName, message: string): void {
    this.#row(sweep).message = message;
  }

  get runs(): RunRow[] {
    return [...this.#runs.values()];
  }

  get totals(): TotalRow[] {
    return [...this.#totals.values()];
  }

  #row(sweep: SweepName) {
    const known = this.#runs.get(sweep);
    if (known !== undefined) return known;
    const row = {
      name: runName(this.#run, sweep, this.#now),
      sweep,
      cause: this.#run?.cause ?? "due",
      dryRun: this.#run?.dryRun ?? false,
      pending: 0,
      found: 0,
      deleted: 0,
      patched: 0,
      skipped: 0,
      reported: 0,
      failed: 0,
      deletedObjects: [],
      skippedObjects: [],
      message: "",
    };
    this.#runs.set(sweep, row);
    return row;
  }
}

/** What moments made due is a run for each minute: `jobs-202611201620`. */
export const runName = (run: RunOf | undefined, sweep: SweepName, now: Millis): string =>
  run?.name ?? `${sweep}-${timestamp(now).replace(/\D/g, "").slice(0, 12)}`;
