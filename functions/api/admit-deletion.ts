import type { Preview } from "../graph/preview/preview.ts";
import { DELETION_GUARDS } from "../guard/settings.ts";
import type { Failure } from "../objects/failure.ts";
import type { DeleteOptions } from "../objects/metadata/delete-options.ts";
import { groupResource } from "../objects/object.ts";
import { differenceFrom } from "./computed/kept-previews.ts";
import type { ResourceRequest } from "./context.ts";
import { previewOfRequest } from "./delete-preview.ts";
import { guardFailure, guardsOf } from "./guard.ts";
import type { Key } from "./list-objects.ts";

/** The parameter by which a DELETE carries the hash of the preview that it is held to. */
const PREVIEW_HASH = "previewHash";

/** The most objects of one collection that are looked at one by one. */
const MOST_GUARDED = 2_000;

/**
 * Why a DELETE must not happen: it would do something else than the preview that it is held to, or a guard minds. Asks the
 * store only when it carries a hash, or the cluster has guards. Errors: those of the preview, Conflict, Forbidden.
 */
export async function deletionRefusal(
  request: ResourceRequest,
  name: string,
  options: DeleteOptions,
): Promise<Failure | undefined> {
  const hash = request.query.get(PREVIEW_HASH);
  const guards = await guardsThatCount(request, options);
  if (hash === null && guards.length === 0) return undefined;
  const preview = await previewOfRequest(request, name, options);
  if (!preview.ok) return preview.failure;
  if (hash !== null && preview.value.hash !== hash) return changed(request, name, hash, preview.value);
  return guardFailure(request, guards, [preview.value], hash !== null);
}

/** The same for everything that a deletion of a collection would delete, together. */
export async function collectionRefusal(
  request: ResourceRequest,
  options: DeleteOptions,
  keys: () => AsyncIterable<readonly Key[]>,
): Promise<Failure | undefined> {
  const guards = await guardsThatCount(request, options);
  if (guards.length === 0) return undefined;
  const previews: Preview[] = [];
  for await (const page of keys()) {
    for (const { namespace, name } of page) {
      if (previews.length === MOST_GUARDED) {
        return {
          reason: "Forbidden",
          resource: groupResource(request.kind.group, request.kind.resource),
          name: "",
          message: `a cluster with a DeletionGuard does not delete more than ${MOST_GUARDED} objects of a collection at once: select fewer`,
        };
      }
      const path = { ...request.path, ...(namespace === "" ? {} : { namespace }) };
      const preview = await previewOfRequest({ ...request, path }, name, options);
      if (preview.ok) previews.push(preview.value);
      else if (preview.failure.reason !== "NotFound") return preview.failure;
    }
  }
  return guardFailure(request, guards, previews, false);
}

/** The guards themselves can always be deleted, or a frozen cluster would be frozen for ever. */
const guardsThatCount = async ({ context, kind }: ResourceRequest, { dryRun }: DeleteOptions) =>
  dryRun || kind.storedAs === DELETION_GUARDS ? [] : await guardsOf(context);

async function changed(
  { kind, context }: ResourceRequest,
  name: string,
  hash: string,
  preview: Preview,
): Promise<Failure> {
  const difference = await differenceFrom(context, hash, preview);
  const subject = groupResource(kind.group, kind.kind);
  const what = difference ?? "the preview with that hash is not known";
  return {
    reason: "Conflict",
    subject,
    name,
    message: `Operation cannot be fulfilled on ${subject} ${JSON.stringify(name)}: it would do something else than its preview says: ${what}; its preview now has the hash ${preview.hash}`,
  };
}
