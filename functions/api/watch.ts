import { type Outcome, ok, refuse } from "../objects/failure.ts";
import { exactName, type FieldRequirement } from "../objects/selectors/field-selector.ts";
import { watchRequest } from "../watch/watch-spec.ts";
import { refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { tooLargeVersion } from "./list-objects.ts";
import { booleanParameter, decodeWatchOptions, type WatchOptions } from "./list-options.ts";
import { newestVersion, selection } from "./read.ts";
import { printerColumns } from "./represent.ts";

/** A watch without a time of its own ends after a random time in this range, so that clients do not return together. */
const DEFAULT_SECONDS = { least: 1800, most: 3600 };
const MOST_SECONDS = 3600;

export const isWatch = (query: URLSearchParams): boolean => booleanParameter(query, "watch") ?? false;

/** Hands the stream of the cluster's feed through. One object is watched through a selector on its name. */
export async function watchCollection(request: ResourceRequest): Promise<Response> {
  const { context, kind, path, query, negotiated, served } = request;
  const options = decodeWatchOptions(query);
  if (!options.ok) return refusal(options.failure);
  const selected = selection(request);
  if (!selected.ok) return refusal(selected.failure);
  const fields = fieldsOfPath(selected.value.fields, path.name);
  if (!fields.ok) return refusal(fields.failure);
  const from = await startOf(request, options.value);
  if (!from.ok) return refusal(from.failure);
  const { bookmarks, sendInitialEvents, timeoutSeconds } = options.value;
  const { least, most } = DEFAULT_SECONDS;
  const seconds = timeoutSeconds || Math.round(least + Math.random() * (most - least));
  const columns = printerColumns(served, kind, path.version);
  const spec = watchRequest({
    cluster: context.cluster,
    kind,
    version: path.version,
    namespace: path.namespace ?? null,
    labels: selected.value.labels,
    fields: fields.value,
    from: from.value,
    bookmarks,
    sendInitialEvents,
    timeoutSeconds: Math.min(MOST_SECONDS, Math.max(1, seconds)),
    representation: negotiated.as,
    metaVersion: negotiated.version,
    tableOptions: {
      includeObject: query.get("includeObject") ?? "Metadata",
      ...(columns ? { columns: columns as never } : {}),
    },
  });
  return context.feeds.getByName(String(context.cluster)).fetch(spec);
}

/**
 * The version to start after. Without one and without initial events that is the newest. Initial events that must not
 * be older than a version yet to come are refused at once: whoever wants them has seen another history, and lists again.
 */
async function startOf(
  { context }: ResourceRequest,
  { resourceVersion, sendInitialEvents }: WatchOptions,
): Promise<Outcome<number>> {
  const isPlain = sendInitialEvents ? resourceVersion === 0 : resourceVersion > 0;
  if (sendInitialEvents === undefined || isPlain) return ok(resourceVersion);
  const newest = await newestVersion(context);
  if (resourceVersion > newest) return refuse(tooLargeVersion(resourceVersion, newest));
  return ok(sendInitialEvents ? resourceVersion : newest);
}

/** The path's name is one more condition. Source: k8s.io/apiserver endpoints/handlers/get.go, ListResource. */
function fieldsOfPath(
  fields: readonly FieldRequirement[],
  name: string | undefined,
): Outcome<readonly FieldRequirement[]> {
  if (name === undefined) return ok(fields);
  if (fields.length === 0) return ok([{ field: "metadata.name", operator: "=", value: name }]);
  if (exactName(fields) === name) return ok(fields);
  return refuse({
    reason: "BadRequest",
    message: "fieldSelector metadata.name doesn't match requested name",
  });
}
