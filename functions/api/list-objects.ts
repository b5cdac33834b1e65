import {
  LIST_EVERYWHERE,
  LIST_IN_NAMESPACE,
  LIST_LABELLED_EVERYWHERE,
  LIST_LABELLED_IN_NAMESPACE,
  type ListedRow,
  READ_CLUSTER_VERSION,
} from "../../db/lists.ts";
import { GET_OBJECT } from "../../db/reads.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import {
  exactName,
  exactNamespace,
  type FieldRequirement,
  matchesFields,
} from "../objects/selectors/field-selector.ts";
import { type LabelRequirement, matchesLabels } from "../objects/selectors/label-selector.ts";
import { type Head, parseStored, servedBody } from "../objects/stored-body.ts";

/** One D1 answer carries at most this many rows and bytes. */
const PAGE_ROWS = 2_500;
const PAGE_BYTES = 4_000_000;

export interface ListQuery {
  cluster: number;
  kind: Kind;
  version: string;
  /** Undefined: all namespaces, or cluster-scoped. */
  namespace: string | undefined;
  labels: readonly LabelRequirement[];
  fields: readonly FieldRequirement[];
  /** 0: no limit. */
  limit: number;
  /** The key of the last object of the page before. */
  after: Key | undefined;
}

export interface Key {
  namespace: string;
  name: string;
}

export interface Listed {
  /** Of the first page read; what is written meanwhile shows in watch events after it. */
  resourceVersion: number;
  /** JSON texts, in the version asked for. */
  items: string[];
  keys: Key[];
  /** Where the next page begins; undefined at the end. */
  next: Key | undefined;
}

/**
 * Reads a list page by page until the limit is reached or nothing is left. Items are spliced as text and parsed
 * only when a selector has to look inside.
 */
export async function listObjects(db: D1Database, query: ListQuery): Promise<Listed> {
  const { kind, limit, labels, fields } = query;
  const looksInside = needsParsing(query);
  const listed: Listed = { resourceVersion: 0, items: [], keys: [], next: undefined };
  let after = query.after ?? { namespace: "", name: "" };
  for (let first = true; ; first = false) {
    // One more than the limit tells whether there is a next page.
    const wanted =
      limit > 0 && !looksInside ? Math.min(limit + 1 - listed.items.length, PAGE_ROWS) : PAGE_ROWS;
    const statements = [pageStatement(db, query, after, wanted)];
    if (first) statements.push(db.prepare(READ_CLUSTER_VERSION).bind(query.cluster));
    const [page, version] = await db.batch<ListedRow & { resource_version: number }>(statements);
    if (first) listed.resourceVersion = version?.results[0]?.resource_version ?? 0;
    const rows = page?.results ?? [];
    for (const row of rows) {
      const key = { namespace: row.namespace, name: row.name };
      if (!inPlace(key, query)) continue;
      const head: Head = {
        apiVersion: apiVersion(kind.group, query.version),
        kind: kind.kind,
        resourceVersion: row.resource_version,
      };
      if (looksInside) {
        const object = parseStored(row.body, head);
        if (!matchesLabels(labels, object.metadata.labels) || !matchesFields(fields, object, kind)) continue;
      }
      if (limit > 0 && listed.items.length === limit) {
        listed.next = listed.keys.at(-1);
        return listed;
      }
      listed.items.push(servedBody(row.body, head));
      listed.keys.push(key);
    }
    const last = rows.at(-1);
    // A page may also be short because its bodies are large: only an empty one is the end.
    if (last === undefined || isSingle(query)) return listed;
    after = { namespace: last.namespace, name: last.name };
  }
}

/** The label that the index finds; the rest of the selector looks inside. */
function indexedLabel(labels: readonly LabelRequirement[]): { key: string; value: string } | undefined {
  for (const { operator, key, values } of labels) {
    const [value] = values;
    if (operator === "in" && values.length === 1 && value !== undefined) return { key, value };
  }
  return undefined;
}

function needsParsing({ labels, fields }: ListQuery): boolean {
  const byKey = fields.every(
    ({ field, operator }) =>
      operator === "=" && (field === "metadata.name" || field === "metadata.namespace"),
  );
  return !byKey || labels.length > (indexedLabel(labels) ? 1 : 0);
}

/** The selector names one object: there is no second page. */
function isSingle({ kind, fields, namespace }: ListQuery): boolean {
  const placed = namespace !== undefined || exactNamespace(fields) !== undefined || !kind.namespaced;
  return placed && exactName(fields) !== undefined;
}

function inPlace(key: Key, { fields }: ListQuery): boolean {
  const name = exactName(fields);
  const namespace = exactNamespace(fields);
  return (
    (name === undefined || key.name === name) && (namespace === undefined || key.namespace === namespace)
  );
}

function pageStatement(db: D1Database, query: ListQuery, after: Key, rows: number): D1PreparedStatement {
  const { cluster, kind, fields, labels } = query;
  const name = exactName(fields);
  const namespace = query.namespace ?? exactNamespace(fields) ?? (kind.namespaced ? undefined : "");
  const label = indexedLabel(labels);
  if (name !== undefined && namespace !== undefined) {
    return db.prepare(GET_OBJECT).bind(cluster, kind.storedAs, namespace, name);
  }
  const place = namespace === undefined ? [after.namespace, after.name] : [namespace, after.name];
  const [plain, labelled] =
    namespace === undefined
      ? [LIST_EVERYWHERE, LIST_LABELLED_EVERYWHERE]
      : [LIST_IN_NAMESPACE, LIST_LABELLED_IN_NAMESPACE];
  const values = [cluster, kind.storedAs, ...place, rows, PAGE_BYTES];
  return label
    ? db.prepare(labelled).bind(...values, label.key, label.value)
    : db.prepare(plain).bind(...values);
}
