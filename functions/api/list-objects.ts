import {
  type ClusterVersionRow,
  countObjects,
  type ListedRow,
  type ListScope,
  listPage,
  MOST_UNDONE,
  READ_CLUSTER_VERSION,
} from "../../db/lists.ts";
import { type Failure, type Outcome, ok, refuse } from "../objects/failure.ts";
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
/** Objects are counted no further than this: a bigger collection does not say how much of it is left. */
const MOST_COUNTED = 100_000;

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
  /** The resourceVersion whose state is shown; the newest when undefined. */
  at?: number | undefined;
  /** The newest state must have come this far. */
  atLeast?: number | undefined;
}

export interface Key {
  namespace: string;
  name: string;
}

export interface Listed {
  /** The one moment that all items are of. */
  resourceVersion: number;
  /** JSON texts, in the version asked for. */
  items: string[];
  keys: Key[];
  /** Where the next page begins; undefined at the end. */
  next: Key | undefined;
  /** How many objects come after these, where it was cheap to count: on a first page without selectors. */
  remaining: number | undefined;
}

/**
 * Reads a list page by page until the limit is reached or nothing is left. Items are spliced as text and parsed
 * only when a selector has to look inside. All pages, also those of one answer, show the state at one
 * resourceVersion; changes that came later are undone by the statement that reads the page.
 *
 * Errors: Expired when that state is no longer kept, or too much has been written since; Timeout when it is yet to come.
 */
export async function listObjects(db: D1Database, query: ListQuery): Promise<Outcome<Listed>> {
  const { limit } = query;
  const reader = new PageReader(db, query);
  const listed: Listed = { resourceVersion: 0, items: [], keys: [], next: undefined, remaining: undefined };
  for (;;) {
    const page = await reader.next(limit > 0 ? limit + 1 - listed.items.length : PAGE_ROWS);
    if (!page.ok) return page;
    for (const row of page.value) {
      const item = itemOf(row, query);
      if (item === undefined) continue;
      if (limit > 0 && listed.items.length === limit) {
        listed.next = listed.keys.at(-1);
        break;
      }
      listed.items.push(item);
      listed.keys.push({ namespace: row.namespace, name: row.name });
    }
    if (listed.next === undefined && !reader.done) continue;
    if (reader.counted !== undefined) listed.remaining = reader.counted - listed.items.length;
    return ok({ ...listed, resourceVersion: reader.at ?? 0 });
  }
}

/** A list without a limit, page by page, so that it need not be held as a whole. */
export interface StreamedList {
  resourceVersion: number;
  /** Whether the first page is all of it. */
  whole: boolean;
  /** JSON texts. Throws when the state that is shown is lost on the way. */
  pages: AsyncGenerator<string[]>;
}

/** The same as `listObjects` for a query without a limit. Only the first page is read before the answer begins. */
export async function streamObjects(db: D1Database, query: ListQuery): Promise<Outcome<StreamedList>> {
  const reader = new PageReader(db, query);
  const first = await reader.next(PAGE_ROWS);
  if (!first.ok) return first;
  const pages = pagesFrom(first.value, reader, query);
  return ok({ resourceVersion: reader.at ?? 0, whole: reader.done, pages });
}

async function* pagesFrom(
  first: readonly FoundRow[],
  reader: PageReader,
  query: ListQuery,
): AsyncGenerator<string[]> {
  const items = (rows: readonly FoundRow[]) =>
    rows.map((row) => itemOf(row, query)).filter((item) => item !== undefined);
  yield items(first);
  while (!reader.done) {
    const page = await reader.next(PAGE_ROWS);
    if (!page.ok) throw new Error(`a list broke off: ${JSON.stringify(page.failure)}`);
    yield items(page.value);
  }
}

/** A row whose state is known. */
interface FoundRow extends ListedRow {
  body: string;
}

/** Reads one list in pages of what one D1 answer carries. */
class PageReader {
  /** The resourceVersion that is shown; from the first page on it is known. */
  at: number | undefined;
  done = false;
  /** How many objects there are; undefined when nobody asked, or when there are too many to count. */
  counted: number | undefined;

  #after: Key;
  #first = true;
  readonly #db: D1Database;
  readonly #query: ListQuery;

  constructor(db: D1Database, query: ListQuery) {
    this.#db = db;
    this.#query = query;
    this.#after = query.after ?? { namespace: "", name: "" };
    this.at = query.at;
  }

  /** @param wanted how many rows are still wanted, if every row is one of the list. */
  async next(wanted: number): Promise<Outcome<FoundRow[]>> {
    const query = this.#query;
    const rows = needsParsing(query) ? PAGE_ROWS : Math.min(wanted, PAGE_ROWS);
    const statements = [
      this.#db.prepare(READ_CLUSTER_VERSION).bind(query.cluster),
      pageStatement(this.#db, query, this.#after, this.at, rows),
    ];
    if (isCounted(query)) statements.push(countStatement(this.#db, query));
    const [version, page, count] = await this.#db.batch(statements);
    const now = (version?.results[0] as ClusterVersionRow | undefined) ?? NO_CLUSTER;
    const failure = this.#judge(now);
    if (failure) return refuse(failure);
    this.at ??= now.resource_version;

    const found = (page?.results ?? []) as unknown as ListedRow[];
    if (!found.every(isKept)) return refuse(TOO_OLD);
    if (this.#first) this.counted = counted(count?.results[0]);
    this.#first = false;
    const last = found.at(-1);
    // A page may also be short because its bodies are large.
    this.done = found.length < rows && (last?.total ?? 0) < PAGE_BYTES;
    if (last) this.#after = { namespace: last.namespace, name: last.name };
    return ok(found);
  }

  #judge({ resource_version, compacted_version }: ClusterVersionRow): Failure | undefined {
    const { atLeast = 0 } = this.#query;
    const { at = resource_version } = this;
    const wanted = Math.max(at, atLeast);
    if (wanted > resource_version) return tooLargeVersion(wanted, resource_version);
    const isOld = at < compacted_version || resource_version - at > MOST_UNDONE;
    return isOld && at < resource_version ? TOO_OLD : undefined;
  }
}

const NO_CLUSTER: ClusterVersionRow = { resource_version: 0, compacted_version: 0 };

const isKept = (row: ListedRow): row is FoundRow => row.body !== null;

/** As etcd's compaction is worded. */
const TOO_OLD: Failure = {
  reason: "Expired",
  message: "The resourceVersion for the provided list is too old.",
};

/** Source: k8s.io/apiserver storage/errors.go, NewTooLargeResourceVersionError. */
export const tooLargeVersion = (wanted: number, current: number): Failure => ({
  reason: "Timeout",
  message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
  causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
  retryAfterSeconds: 1,
});

/** The object as it is served; undefined when it is not selected. */
function itemOf(row: FoundRow, query: ListQuery): string | undefined {
  const { kind, labels, fields } = query;
  if (!inPlace(row, query)) return undefined;
  const head: Head = {
    apiVersion: apiVersion(kind.group, query.version),
    kind: kind.kind,
    resourceVersion: row.resource_version,
  };
  const selects = labels.length > 0 || fields.length > 0;
  if (needsParsing(query) || (selects && row.undone === 1)) {
    const object = parseStored(row.body, head);
    if (!matchesLabels(labels, object.metadata.labels) || !matchesFields(fields, object, kind)) {
      return undefined;
    }
  }
  return servedBody(row.body, head);
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

function inPlace(key: Key, { fields }: ListQuery): boolean {
  const name = exactName(fields);
  const namespace = exactNamespace(fields);
  return (
    (name === undefined || key.name === name) && (namespace === undefined || key.namespace === namespace)
  );
}

/** What part of the key order is read. A selector that names one object leaves one place. */
function placeOf({ kind, fields, namespace }: ListQuery, after: Key): Key & { scope: ListScope } {
  const within = namespace ?? exactNamespace(fields) ?? (kind.namespaced ? undefined : "");
  if (within === undefined) return { scope: "everywhere", ...after };
  const name = exactName(fields);
  return name === undefined
    ? { scope: "namespace", namespace: within, name: after.name }
    : { scope: "object", namespace: within, name };
}

function pageStatement(
  db: D1Database,
  query: ListQuery,
  after: Key,
  at: number | undefined,
  rows: number,
): D1PreparedStatement {
  const { cluster, kind, fields, labels } = query;
  const { scope, namespace, name } = placeOf(query, after);
  const label = indexedLabel(labels);
  return db
    .prepare(listPage(scope, label !== undefined))
    .bind(
      cluster,
      kind.storedAs,
      namespace,
      name,
      at ?? null,
      rows,
      PAGE_BYTES,
      exactName(fields) ?? null,
      ...(label ? [label.key, label.value] : []),
    );
}

const isCounted = ({ limit, after, at, labels, fields }: ListQuery): boolean =>
  limit > 0 && after === undefined && at === undefined && labels.length === 0 && fields.length === 0;

function countStatement(db: D1Database, query: ListQuery): D1PreparedStatement {
  const { scope, namespace, name } = placeOf(query, { namespace: "", name: "" });
  const { cluster, kind } = query;
  return db.prepare(countObjects(scope)).bind(cluster, kind.storedAs, namespace, name, MOST_COUNTED);
}

function counted(row: unknown): number | undefined {
  const count = (row as { count: number } | undefined)?.count;
  return count === undefined || count >= MOST_COUNTED ? undefined : count;
}
