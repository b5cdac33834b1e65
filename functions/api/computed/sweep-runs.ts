import { z } from "zod";
import { DELETE_RUN, LIST_RUNS, READ_RUN, type SweepRunRow } from "../../../db/sweeps.ts";
import { graphName } from "../../graph/graph-name.ts";
import { startRun } from "../../graph/sweep/runs.ts";
import { invalidValue, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";
import { generateName, subdomainFaults } from "../../objects/metadata/names.ts";
import { asObject, type GroupResource, type KubeObject, timestamp } from "../../objects/object.ts";
import { SWEEP_NAMES } from "../../sweeps/decision.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { invalidSpec } from "./computed-spec.ts";

const KIND = "SweepRun";
const RESOURCE = "sweepruns.gc.kubegc.dev" as GroupResource;

const SPEC = z.strictObject({ sweep: z.enum(SWEEP_NAMES), dryRun: z.boolean().default(false) });

/** So long the answer waits for the end of a run; and between two looks at it, in ms. */
const PATIENCE = 20_000;
const LOOK_EVERY = 50;

/**
 * SweepRun: what a run of a sweep found and did. Created to run a sweep over the whole cluster now, also over what is not
 * yet due by its stored moment; answered with the status at the end, or, when that takes long, with phase Running.
 */
export const sweepRuns: ComputedKind = {
  spec: SPEC,

  async list({ context: { db, cluster }, limit, after }) {
    const { results } = await db.prepare(LIST_RUNS).bind(cluster, after, limit).all<SweepRunRow>();
    return ok({ items: results.map(runObject), more: results.length === limit });
  },

  async get({ db, cluster }, name) {
    const row = await db.prepare(READ_RUN).bind(cluster, name).first<SweepRunRow>();
    return ok(row === null ? undefined : runObject(row));
  },

  async create({ context, sent, dryRun }) {
    const read = SPEC.safeParse(sent.spec ?? {}, { reportInput: true });
    if (!read.success) return refuse(invalidSpec(KIND, sent, read.error));
    const named = nameOf(sent, read.data.sweep);
    if (!named.ok) return named;
    const name = named.value;
    const { db, cluster, clock, graphs } = context;
    const run = {
      name,
      sweep: read.data.sweep,
      cause: "request",
      dryRun: dryRun || read.data.dryRun,
    } as const;
    if (!(await startRun(db, cluster, run, clock()))) {
      return refuse({ reason: "AlreadyExists", resource: RESOURCE, name, terminating: false });
    }
    await graphs.getByName(graphName(cluster, "")).wake();
    const row = await finished(context, name);
    if (dryRun && row.pending <= 0) await db.prepare(DELETE_RUN).bind(cluster, name).run();
    return ok({ object: runObject(row) });
  },
};

function nameOf(sent: JsonObject, sweep: string): Outcome<string> {
  const metadata = isJsonObject(sent.metadata) ? sent.metadata : {};
  const { name, generateName: base } = metadata;
  const given = typeof name === "string" && name !== "";
  const prefix = typeof base === "string" && base !== "" ? base : `${sweep}-`;
  const chosen = given ? name : generateName(prefix, Math.random);
  const faults = subdomainFaults(chosen);
  if (faults.length === 0) return ok(chosen);
  const field = given ? "metadata.name" : "metadata.generateName";
  return refuse({
    reason: "Invalid",
    group: KUBEGC,
    kind: KIND,
    name: chosen,
    errors: faults.map((fault) => invalidValue(field, given ? name : prefix, fault)),
  });
}

/** The run as it is when it is over, or when the patience is. */
async function finished({ db, cluster, clock }: ApiContext, name: string): Promise<SweepRunRow> {
  for (const until = clock() + PATIENCE; ; ) {
    const row = await db.prepare(READ_RUN).bind(cluster, name).first<SweepRunRow>();
    if (row === null) throw new Error(`run ${name} of cluster ${cluster} is not there`);
    if (row.pending <= 0 || clock() >= until) return row;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
}

interface Named extends JsonObject {
  reported?: boolean;
}

function runObject(row: SweepRunRow): KubeObject {
  const named = JSON.parse(row.deleted_objects) as Named[];
  const reported = named.filter((entry) => entry.reported).map(({ reported: _, ...entry }) => entry);
  return asObject({
    apiVersion: "gc.kubegc.dev/v1alpha1",
    kind: KIND,
    metadata: { name: row.name, creationTimestamp: timestamp(row.started_at) },
    spec: { sweep: row.sweep, dryRun: row.dry_run === 1 },
    status: {
      trigger: TRIGGER[row.cause] ?? row.cause,
      startTime: timestamp(row.started_at),
      ...(row.completed_at === null ? {} : { completionTime: timestamp(row.completed_at) }),
      phase: phaseOf(row),
      found: row.found,
      deleted: row.deleted,
      changed: row.patched,
      skipped: row.skipped,
      reported: row.reported,
      failed: row.failed,
      deletedObjects: named.filter((entry) => !entry.reported),
      ...(reported.length > 0 ? { reportedObjects: reported } : {}),
      skippedObjects: JSON.parse(row.skipped_objects),
      ...(row.message === "" ? {} : { message: row.message }),
    },
  });
}

const TRIGGER: Readonly<Record<string, string>> = { due: "Due", request: "Request", resync: "Resync" };

function phaseOf({ pending, found, failed }: SweepRunRow): string {
  if (pending > 0) return "Running";
  if (failed === 0) return "Succeeded";
  return failed === found ? "Failed" : "Partial";
}
