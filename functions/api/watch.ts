import { watchRequest } from "../watch/watch-spec.ts";
import { refusal } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import { integerParameter, selection } from "./read.ts";
import { printerColumns } from "./represent.ts";

/** A watch without a time of its own ends after a random time in this range, so that clients do not return together. */
const DEFAULT_SECONDS = { least: 1800, most: 3600 };
const MOST_SECONDS = 3600;

export const isWatch = (query: URLSearchParams): boolean => isTrue(query.get("watch"));

const isTrue = (text: string | null): boolean => text === "1" || text === "true" || text === "True";

/** Hands the stream of the cluster's feed through. One object is watched through a selector on its name. */
export async function watchCollection(request: ResourceRequest): Promise<Response> {
  const { context, kind, path, query, negotiated, served } = request;
  const selected = selection(request);
  if (!selected.ok) return refusal(selected.failure);
  const from = integerParameter(query, "resourceVersion");
  if (!from.ok) return refusal(from.failure);
  const timeout = integerParameter(query, "timeoutSeconds");
  if (!timeout.ok) return refusal(timeout.failure);
  const { least, most } = DEFAULT_SECONDS;
  const seconds = timeout.value || Math.round(least + Math.random() * (most - least));
  const columns = printerColumns(served, kind, path.version);
  const spec = watchRequest({
    cluster: context.cluster,
    kind,
    version: path.version,
    namespace: path.namespace ?? null,
    ...selected.value,
    from: from.value,
    bookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: isTrue(query.get("sendInitialEvents")),
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
