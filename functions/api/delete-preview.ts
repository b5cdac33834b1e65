import { type Preview, previewDelete } from "../graph/preview/preview.ts";
import { type Failure, type Outcome, ok } from "../objects/failure.ts";
import type { DeleteOptions } from "../objects/metadata/delete-options.ts";
import { groupResource } from "../objects/object.ts";
import { counted } from "./computed/deletion-previews.ts";
import { differenceFrom, titleOf } from "./computed/kept-previews.ts";
import type { ResourceRequest } from "./context.ts";

/** The parameter by which a DELETE carries the hash of the preview that it is held to. */
export const PREVIEW_HASH = "previewHash";

/** Names in one warning, and in one refusal. */
const MOST_NAMED = 5;

export function previewOfRequest(
  { context, kind, path, served }: ResourceRequest,
  name: string,
  options: DeleteOptions,
): Promise<Outcome<Preview>> {
  const { db, cluster, clock } = context;
  return previewDelete(
    db,
    cluster,
    { kind, version: path.version, namespace: path.namespace ?? "", name, options },
    { kinds: served.kinds, now: clock() },
  );
}

/**
 * Whether a DELETE may go on that carries the hash of a preview: not when it would do anything else by now. Errors: those
 * of the preview; Conflict, which says what is different.
 */
export async function heldToPreview(
  request: ResourceRequest,
  name: string,
  options: DeleteOptions,
): Promise<Failure | undefined> {
  const hash = request.query.get(PREVIEW_HASH);
  if (hash === null) return undefined;
  const preview = await previewOfRequest(request, name, options);
  if (!preview.ok) return preview.failure;
  if (preview.value.hash === hash) return undefined;
  const { kind, context } = request;
  const difference = await differenceFrom(context, hash, preview.value);
  const subject = groupResource(kind.group, kind.kind);
  const what = difference ?? "the preview with that hash is not known";
  return {
    reason: "Conflict",
    subject,
    name,
    message: `Operation cannot be fulfilled on ${subject} ${JSON.stringify(name)}: it would do something else than its preview says: ${what}; its preview now has the hash ${preview.value.hash}`,
  };
}

/**
 * What a dry run of a DELETE warns of, a line each: what goes along, what is left without an owner, what holds it up, and
 * where the whole list is. Nothing for one that reaches only its target.
 */
export async function previewWarnings(
  request: ResourceRequest,
  name: string,
  options: DeleteOptions,
): Promise<Outcome<string[]>> {
  const preview = await previewOfRequest(request, name, options);
  return preview.ok ? ok(warningsOf(preview.value)) : preview;
}

export function warningsOf({
  target,
  deletes,
  deletesOnceUnblocked,
  orphans,
  keeps,
  blockers,
  hash,
}: Preview): string[] {
  const going = [...deletes, ...deletesOnceUnblocked].filter((node) => node !== target);
  if (going.length + orphans.length + keeps.length + blockers.length === 0) return [];
  const lines: string[] = [];
  if (going.length > 0) lines.push(`would delete ${going.length} more: ${told(counted(going))}`);
  if (orphans.length > 0)
    lines.push(`would leave ${orphans.length} without an owner: ${told(counted(orphans))}`);
  if (keeps.length > 0)
    lines.push(`${keeps.length} would live on through another owner: ${told(counted(keeps))}`);
  for (const { node, finalizers, gracePeriodSeconds } of blockers.slice(0, MOST_NAMED)) {
    const why =
      finalizers.length > 0
        ? `the finalizer ${finalizers.join(", ")}`
        : `its node to stop it, which may take ${gracePeriodSeconds} s`;
    lines.push(`${titleOf(node)} would wait for ${why}`);
  }
  if (blockers.length > MOST_NAMED) lines.push(`${blockers.length - MOST_NAMED} more would wait`);
  lines.push(`the whole list is in a DeletionPreview of it, whose hash is ${hash}`);
  return lines;
}

const told = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
