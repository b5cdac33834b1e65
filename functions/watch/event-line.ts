import type { JsonObject } from "../objects/json.ts";
import type { KubeObject, Millis } from "../objects/object.ts";
import { parseStored, servedBody } from "../objects/stored-body.ts";
import type { Form } from "./watch-spec.ts";

/** One line of a watch stream, encoded once and held by the queue of every watcher that is to get it. */
export interface EventLine {
  readonly bytes: Uint8Array;
  /** Queues that hold it: its bytes count once against the memory of the feed. */
  holders: number;
}

/**
 * The Table of one object. Tables belong to the API, which the feed does not know: whoever composes the two hands this
 * function in.
 */
export type TableOf = (object: KubeObject, form: Form, context: TableContext) => JsonObject;

export interface TableContext {
  now: Millis;
  resourceVersion: number;
  /** True in a watch's first event only: later ones leave the column definitions out, as upstream does. */
  headers: boolean;
}

/** The columns of a kind that nobody wrote a printer for. */
export const plainTable: TableOf = (object, form, { resourceVersion, headers }) => {
  const column = (name: string, type: string, format: string) => ({
    name,
    type,
    format,
    description: "",
    priority: 0,
  });
  return {
    kind: "Table",
    apiVersion: form.metaVersion,
    metadata: { resourceVersion: String(resourceVersion) },
    columnDefinitions: headers ? [column("Name", "string", "name"), column("Created At", "date", "")] : [],
    rows: [
      {
        cells: [object.metadata.name, object.metadata.creationTimestamp],
        object: JSON.parse(partialText(object, form)) as JsonObject,
      },
    ],
  };
};

const encoder = new TextEncoder();

const line = (type: string, object: string): EventLine => ({
  bytes: encoder.encode(`{"type":"${type}","object":${object}}\n`),
  holders: 0,
});

/**
 * @param resourceVersion of the change, also for an object in an older state: `DELETED` carries the version of the
 *   deletion, and of the update that made the object stop matching.
 */
export function objectEvent(
  type: "ADDED" | "MODIFIED" | "DELETED",
  storedBody: string,
  form: Form,
  context: TableContext,
  tableOf: TableOf,
): EventLine {
  const head = {
    apiVersion: form.apiVersion,
    kind: form.kind.kind,
    resourceVersion: context.resourceVersion,
  };
  switch (form.representation) {
    case "object":
      return line(type, servedBody(storedBody, head));
    case "partial":
      return line(type, partialText(parseStored(storedBody, head), form));
    case "table":
      return line(type, JSON.stringify(tableOf(parseStored(storedBody, head), form, context)));
  }
}

const partialText = (object: KubeObject, form: Form): string =>
  `{"kind":"PartialObjectMetadata","apiVersion":"${form.metaVersion}","metadata":${JSON.stringify(object.metadata)}}`;

/** `initial` also tells that every object that existed at the start has been sent (KEP-3157). */
export function bookmark(form: Form, resourceVersion: number, initial = false): EventLine {
  const metadata = JSON.stringify({
    resourceVersion: String(resourceVersion),
    creationTimestamp: null,
    ...(initial ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  });
  switch (form.representation) {
    case "object":
      return line(
        "BOOKMARK",
        `{"kind":${JSON.stringify(form.kind.kind)},"apiVersion":"${form.apiVersion}","metadata":${metadata}}`,
      );
    case "partial":
      return line(
        "BOOKMARK",
        `{"kind":"PartialObjectMetadata","apiVersion":"${form.metaVersion}","metadata":${metadata}}`,
      );
    case "table":
      return line(
        "BOOKMARK",
        `{"kind":"Table","apiVersion":"${form.metaVersion}","metadata":${metadata},"columnDefinitions":[],"rows":[]}`,
      );
  }
}

export const errorEvent = (status: JsonObject): EventLine => line("ERROR", JSON.stringify(status));

/**
 * What keeps a quiet watch alive that allows no bookmarks. JSON decoders skip it between values: kubectl and client-go
 * do, and the JavaScript client counts it as activity.
 */
export const blankLine = (): EventLine => ({ bytes: encoder.encode("\n"), holders: 0 });
