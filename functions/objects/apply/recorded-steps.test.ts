import { describe, expect, test } from "vitest";
import document from "../../../test/recorded/server-side-apply.json" with { type: "json" };
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { asObject, groupResource } from "../object.ts";
import { applyConfiguration } from "./apply.ts";
import { type Ownership, printManagedFields } from "./ownership.ts";
import { ownershipsOf, trackUpdate, type Writer } from "./track.ts";

interface Owner {
  manager: string;
  operation: string;
  fields: JsonObject;
}

interface Step {
  live: JsonObject;
  owners: Owner[];
  request: { verb: string; manager: string; force: boolean; object: JsonObject };
  want: { object: JsonObject; owners: Owner[]; conflicts: { manager: string; field: string }[] };
}

const { steps, schema } = document as unknown as { steps: Step[]; schema: JsonObject };

const kind: Kind = {
  group: "x",
  versions: ["v1"],
  kind: "K",
  resource: "ks",
  singular: "k",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [],
  storedAs: groupResource("x", "ks"),
  traits: {
    returnsDeletedObject: false,
    deletion: "ordinary",
    orphansByDefaultIn: [],
    countsGenerations: true,
    nameSyntax: "subdomain",
    custom: true,
  },
};
const VERSION = "x/v1";
const HEAD = { apiVersion: VERSION, kind: "K", metadata: { name: "n" } };

const entry = ({ manager, operation, fields }: Owner): JsonObject => ({
  manager,
  operation,
  apiVersion: VERSION,
  fieldsType: "FieldsV1",
  fieldsV1: fields,
});

/** Lists and fields in one order, and what is empty as null. */
function comparable(value: Json | undefined): Json {
  if (Array.isArray(value)) {
    const items = value.map(comparable).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return items.length === 0 ? null : items;
  }
  if (!isJsonObject(value)) return value ?? null;
  const fields = Object.keys(value)
    .sort()
    .map((name) => [name, comparable(value[name])]);
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

const owners = (ownerships: readonly Ownership[]) =>
  printManagedFields(ownerships)
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fields: fieldsV1 }))
    .sort((a, b) => (`${a.operation}${a.manager}` < `${b.operation}${b.manager}` ? -1 : 1));

const CONFLICT = /^conflict with "([^"]+)"/;

function decided({ live, owners: known, request }: Step) {
  const stored = asObject({ ...live, ...HEAD, metadata: { name: "n", managedFields: known.map(entry) } });
  const writer: Writer = { manager: request.manager, kind, subresource: undefined, schema, now: 0 };
  const sent = { ...request.object, ...HEAD };
  if (request.verb === "update") {
    const ownerships = trackUpdate(stored, asObject(sent), undefined, writer);
    return { object: request.object, owners: owners(ownerships), conflicts: [] };
  }
  const applied = applyConfiguration(stored, sent, writer, request.force);
  if (applied.ok) {
    const { apiVersion: _, kind: __, metadata: ___, ...object } = applied.value.object;
    return { object, owners: owners(applied.value.ownerships), conflicts: [] };
  }
  if (applied.failure.reason !== "ApplyConflict") throw new Error(JSON.stringify(applied.failure));
  const conflicts = applied.failure.causes.map(({ message, field = "" }) => ({
    manager: CONFLICT.exec(message)?.[1] ?? message,
    field,
  }));
  return { object: live, owners: owners(ownershipsOf(stored)), conflicts };
}

const ordered = <T>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe("decides as structured-merge-diff does", () => {
  test.each(steps.map((step, i) => [i, step] as const))("step %i", (_, step) => {
    const { object, owners: found, conflicts } = decided(step);
    expect(comparable(object)).toEqual(comparable(step.want.object));
    expect(ordered(conflicts)).toEqual(ordered(step.want.conflicts));
    expect(ordered(found)).toEqual(ordered(step.want.owners));
  });
});
