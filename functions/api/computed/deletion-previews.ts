import { z } from "zod";
import type { Node } from "../../graph/preview/node.ts";
import { type Preview, type PreviewedDelete, previewDelete } from "../../graph/preview/preview.ts";
import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { asObject, type KubeObject, timestamp } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";
import { invalidSpec } from "./computed-spec.ts";
import { deletionTarget, TARGET } from "./deletion-target.ts";
import { keepPreview } from "./kept-previews.ts";

const KIND = "DeletionPreview";

const SPEC = z.strictObject({
  target: TARGET,
  propagationPolicy: z
    .enum(["Background", "Foreground", "Orphan"])
    .optional()
    .describe("As a DELETE has it: left out, it is the default of the kind and version."),
  gracePeriodSeconds: z.int().min(0).optional(),
});

/**
 * DeletionPreview: created like an access review, answered with what a DELETE of `spec.target` would do, and not stored.
 * `status.hash` stands for all of it: a DELETE that carries it (`?previewHash=`) is refused when it would do anything else.
 */
export const deletionPreviews: ComputedKind = {
  spec: SPEC,

  async create({ context, sent, dryRun }) {
    const read = SPEC.safeParse(sent.spec ?? {}, { reportInput: true });
    if (!read.success) return refuse(invalidSpec(KIND, sent, read.error));
    const { kinds } = await context.servedKinds.current(context.db, context.cluster);
    const asked = previewedDelete(read.data, kinds);
    if (!asked.ok) return asked;
    const preview = await previewDelete(context.db, context.cluster, asked.value, {
      kinds,
      now: context.clock(),
    });
    if (!preview.ok) return preview;
    if (!dryRun) await keepPreview(context, preview.value);
    return ok({ object: previewObject(sent, preview.value, context) });
  },
};

function previewedDelete(
  { target, propagationPolicy, gracePeriodSeconds }: z.output<typeof SPEC>,
  kinds: KindRegistry,
): Outcome<PreviewedDelete> {
  const found = deletionTarget(target, KIND, kinds);
  if (!found.ok) return found;
  const { uid, ...place } = found.value;
  return ok({
    ...place,
    options: {
      dryRun: true,
      ...(uid === undefined ? {} : { uid }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    },
  });
}

function previewObject(sent: JsonObject, preview: Preview, { clock }: ApiContext): KubeObject {
  const { deletes, deletesOnceUnblocked, orphans, keeps, blockers, hash } = preview;
  return asObject({
    apiVersion: "gc.kubegc.dev/v1alpha1",
    kind: KIND,
    metadata: { creationTimestamp: timestamp(clock()) },
    spec: sent.spec ?? {},
    status: {
      hash,
      summary: {
        deletes: counted(deletes),
        deletesOnceUnblocked: counted(deletesOnceUnblocked),
        orphans: counted(orphans),
        keeps: counted(keeps),
      },
      deletes: deletes.map(entryOf),
      deletesOnceUnblocked: deletesOnceUnblocked.map(entryOf),
      orphans: orphans.map(entryOf),
      keeps: keeps.map(entryOf),
      blockers: blockers.map(({ node, finalizers, gracePeriodSeconds }) => ({
        ...entryOf(node),
        finalizers: [...finalizers],
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      })),
    },
  });
}

export function entryOf({ apiVersion, kind, namespace, name, uid }: Node): JsonObject {
  return { apiVersion, kind: kind.kind, ...(namespace === "" ? {} : { namespace }), name, uid };
}

/** How many of each kind, the most first. */
export function counted(nodes: readonly Node[]): Record<string, number> {
  const counts = new Map<Kind, number>();
  for (const { kind } of nodes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const named = [...counts].map(([kind, count]): [string, number] => [nameOf(kind), count]);
  return Object.fromEntries(named.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

/** Of a kind that is served no more there is only the name under which it is stored. */
const nameOf = ({ kind, group, storedAs }: Kind): string =>
  kind === "" ? storedAs : group === "" ? kind : `${kind}.${group}`;
