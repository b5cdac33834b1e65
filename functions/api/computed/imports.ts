import { z } from "zod";
import { ADD_IMPORT, FORGET_IMPORT, FORGET_IMPORTS, READ_IMPORT } from "../../../db/restore.ts";
import { importedItems } from "../../graph/restore/import-items.ts";
import { readThere } from "../../graph/restore/read-lost.ts";
import { outsideOwners, relink } from "../../graph/restore/relink.ts";
import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { Json } from "../../objects/json.ts";
import { readDefinitions } from "../../objects/kinds/definitions.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";
import { asObject, asUid, type Millis, timestamp } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";
import { bringBack } from "./bring-back.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { invalidSpec } from "./computed-spec.ts";
import { droppedReference } from "./restores.ts";

const KIND = "Import";

const SPEC = z.strictObject({
  items: z
    .array(z.json())
    .default([])
    .describe("Objects as kubectl get -o yaml prints them, with the uids that they had."),
  session: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe("A set that is too large for one request comes in parts, under a name; the last one commits."),
  commit: z.boolean().default(true),
  dryRun: z.boolean().default(false),
});

/** How long the parts of a session are kept that nobody commits. */
const KEPT: Millis = 24 * 3600 * 1000;
/** All parts together, in characters: they are held in memory. */
const MOST = 24_000_000;

/**
 * Import: created to take in objects of a backup, whose owner references bear the uids that their owners had. They are
 * written together under new uids and name each other by those, so that the collector never sees one without its owner; until
 * the set is committed nothing of it is there.
 */
export const imports: ComputedKind = {
  spec: SPEC,

  async create({ context, sent, dryRun }) {
    const read = SPEC.safeParse(sent.spec ?? {}, { reportInput: true });
    if (!read.success) return refuse(invalidSpec(KIND, sent, read.error));
    const { items, session, commit } = read.data;
    const tried = dryRun || read.data.dryRun;
    const { clock } = context;
    const object = (status: { [field: string]: Json }) =>
      asObject({
        apiVersion: `${KUBEGC}/v1alpha1`,
        kind: KIND,
        metadata: { creationTimestamp: timestamp(clock()) },
        spec: { ...(session === undefined ? {} : { session }), commit },
        status,
      });
    if (session !== undefined && !commit) {
      // What is wrong with a part is said at once, and not when all have come.
      const found = await importable(items as Json[], context);
      if (!found.ok) return found;
      if (!tried) await keepPart(context, session, items as Json[]);
      return ok({ object: object({ phase: "Staged", items: items.length }) });
    }
    const staged = session === undefined ? ok([]) : await partsOf(context, session);
    if (!staged.ok) return staged;
    const lost = await importable([...staged.value, ...(items as Json[])], context);
    if (!lost.ok) return lost;
    const there = await readThere(context.db, context.cluster, outsideOwners(lost.value));
    const { objects, dropped } = relink(lost.value, there, {
      now: clock(),
      newUid: () => asUid(crypto.randomUUID()),
    });
    const failure = await bringBack(context, objects, tried);
    if (failure) return refuse(failure);
    if (session !== undefined && !tried) {
      await context.db.prepare(FORGET_IMPORT).bind(context.cluster, session).run();
    }
    return ok({
      object: object({
        phase: tried ? "Possible" : "Imported",
        items: objects.length,
        imported: objects.map(({ object: { apiVersion, kind, metadata }, formerly }) => ({
          apiVersion,
          kind,
          ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
          name: metadata.name,
          ...(formerly === "" ? {} : { formerUID: formerly }),
          ...(tried ? {} : { uid: metadata.uid }),
        })),
        droppedReferences: dropped.map(droppedReference),
      }),
      warnings:
        dropped.length > 0 ? [`${dropped.length} references to owners that are not here are left out`] : [],
    });
  },
};

async function importable(items: readonly Json[], { db, cluster, servedKinds, clock }: ApiContext) {
  const { kinds, definitions } = await servedKinds.current(db, cluster);
  const texts = [...definitions.values()].map((definition) => JSON.stringify(definition));
  return importedItems(items, {
    kinds,
    definitions: readDefinitions(texts).definitions,
    now: clock(),
    random: Math.random,
  });
}

async function keepPart({ db, cluster, clock }: ApiContext, session: string, items: Json[]): Promise<void> {
  const now = clock();
  await db.batch([
    db.prepare(FORGET_IMPORTS).bind(cluster, now - KEPT),
    db.prepare(ADD_IMPORT).bind(cluster, session, now, JSON.stringify(items)),
  ]);
}

async function partsOf({ db, cluster }: ApiContext, session: string): Promise<Outcome<Json[]>> {
  const { results } = await db.prepare(READ_IMPORT).bind(cluster, session).all<{ items: string }>();
  const size = results.reduce((sum, { items }) => sum + items.length, 0);
  if (size > MOST) {
    return refuse({
      reason: "RequestEntityTooLarge",
      message: `the parts of ${JSON.stringify(session)} come to ${size} characters, and ${MOST} can be written together`,
    });
  }
  return ok(results.flatMap(({ items }) => JSON.parse(items) as Json[]));
}
