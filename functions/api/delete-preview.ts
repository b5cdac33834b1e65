import { type Preview, previewDelete } from "../graph/preview/preview.ts";
import { type Outcome, ok } from "../objects/failure.ts";
import type { DeleteOptions } from "../objects/metadata/delete-options.ts";
import { counted } from "./computed/deletion-previews.ts";
import { titleOf } from "./computed/kept-previews.ts";
import type { ResourceRequest } from "./context.ts";

/** Names in one warning. */
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
