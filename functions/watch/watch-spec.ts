import type { JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import type { FieldRequirement } from "../objects/selectors/field-selector.ts";
import type { LabelRequirement } from "../objects/selectors/label-selector.ts";

/** One watch, as the API asks the feed for it. Plain data: it crosses to the Durable Object as JSON. */
export interface WatchSpec {
  cluster: number;
  kind: Kind;
  /** The API version the events' objects come in. */
  version: string;
  /** Null for all namespaces, and for cluster-scoped kinds. */
  namespace: string | null;
  labels: readonly LabelRequirement[];
  fields: readonly FieldRequirement[];
  /** The resourceVersion to start after. */
  from?: number | undefined;
  /** `allowWatchBookmarks`. */
  bookmarks: boolean;
  /**
   * Whether every existing object comes first, as ADDED; then a BOOKMARK after the last of them tells so. When unset they
   * do if `from` is unset or 0, without that BOOKMARK.
   */
  sendInitialEvents?: boolean | undefined;
  timeoutSeconds: number;
  representation: Representation;
  /** Of `partial`: the version of `meta.k8s.io`; v1 when unset. */
  metaVersion?: "v1" | "v1beta1" | undefined;
  /** Of `table`: handed unread to the table function that the feed was composed with. */
  tableOptions?: JsonObject | undefined;
}

export type Representation = "object" | "partial" | "table";

/** What `stub.fetch` is called with. The response streams events, or is a `Status` with 429. */
export function watchRequest(spec: WatchSpec): Request {
  return new Request("https://feed/watch", { method: "POST", body: JSON.stringify(spec) });
}

/** The shape of a watch's events. Watches with equal `key` can share the text of an event. */
export interface Form {
  readonly key: string;
  readonly kind: Kind;
  readonly apiVersion: string;
  readonly representation: Representation;
  readonly metaVersion: string;
  readonly tableOptions: JsonObject;
}

export function formOf(spec: WatchSpec): Form {
  const { kind, representation, metaVersion = "v1", tableOptions = {} } = spec;
  const served = apiVersion(kind.group, spec.version);
  return {
    key: [served, kind.kind, representation, metaVersion, JSON.stringify(tableOptions)].join(" "),
    kind,
    apiVersion: served,
    representation,
    metaVersion: `meta.k8s.io/${metaVersion}`,
    tableOptions,
  };
}
