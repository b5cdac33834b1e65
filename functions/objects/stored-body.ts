import type { JsonObject } from "./json.ts";
import { isEventsGroup, toCoreForm, toEventsForm } from "./kinds/event-forms.ts";
import { asJson, asObject, type KubeObject } from "./object.ts";

/**
 * How an object is kept: its JSON without `apiVersion`, `kind` and `metadata.resourceVersion`, with `metadata`
 * as the first field. Reading puts the three in front as text, so a body is served in any API version of its
 * kind, and lists are joined together, without parsing.
 *
 * Events are the one kind whose two groups name fields differently: they are kept in the form of the core group, and
 * parsed when the other one asks.
 *
 * Invariant: a stored body begins with `{"metadata":{"`, because metadata always holds a name.
 */
const OPENING = '{"metadata":{';

export function toStoredBody(object: KubeObject): string {
  const form = isEventsGroup(object.apiVersion) ? asObject(toCoreForm(asJson(object))) : object;
  const { apiVersion: _, kind: __, metadata, ...rest } = form;
  const { resourceVersion: ___, ...kept } = metadata;
  // Put together by hand: a field named like a number would be printed before `metadata`.
  const tail = JSON.stringify(rest);
  return `{"metadata":${JSON.stringify(kept)}${tail === "{}" ? "}" : `,${tail.slice(1)}`}`;
}

export interface Head {
  apiVersion: string;
  kind: string;
  resourceVersion: number;
}

export function servedBody(stored: string, head: Head): string {
  const body = isEventsGroup(head.apiVersion)
    ? JSON.stringify(toEventsForm(JSON.parse(stored) as JsonObject))
    : stored;
  return `{"kind":${JSON.stringify(head.kind)},"apiVersion":${JSON.stringify(head.apiVersion)},"metadata":{"resourceVersion":"${head.resourceVersion}",${body.slice(OPENING.length)}`;
}

export function parseStored(stored: string, head: Head): KubeObject {
  return JSON.parse(servedBody(stored, head)) as KubeObject;
}
