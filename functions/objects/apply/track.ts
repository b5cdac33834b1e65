import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { apiVersion, type Kind } from "../kind.ts";
import type { Addressed } from "../kinds/defaults.ts";
import { asJson, type KubeObject, type Millis } from "../object.ts";
import { difference, type FieldSet, isEmpty, union } from "./field-set.ts";
import type { ObjectShape } from "./field-shape.ts";
import {
  capped,
  claimed,
  type Owner,
  type Ownership,
  ownedBy,
  printManagedFields,
  readManagedFields,
  sameOwnerships,
  withOwnership,
} from "./ownership.ts";
import { reconciled } from "./prune.ts";
import { shapeOf } from "./schema-shape.ts";
import { ownable } from "./unowned-fields.ts";
import { type Differences, differences } from "./value-fields.ts";

/** Who writes an object, and what is known about its fields. */
export interface Writer {
  /** `fieldManager` of the request, or the program of its User-Agent; empty when nobody says. */
  readonly manager: string;
  readonly kind: Kind;
  readonly subresource: Addressed;
  /** What a custom kind's definition says of the version that is written. */
  readonly schema: JsonObject | undefined;
  readonly now: Millis;
}

const UNKNOWN_MANAGER = "unknown";

export const ownerOf = (
  { manager, subresource }: Writer,
  operation: Owner["operation"],
  version: string,
): Owner => ({
  manager: manager === "" ? UNKNOWN_MANAGER : manager,
  operation,
  apiVersion: version,
  subresource,
});

/**
 * A new object with its `managedFields`: all that it holds is its creator's, but for what the server adds. Entries that were
 * sent along count for what the object does not hold.
 *
 * Source: k8s.io/apimachinery `util/managedfields` (Update, from an empty object).
 */
export function trackCreate(object: KubeObject, writer: Writer): KubeObject {
  const sent = readManagedFields(object.metadata.managedFields) ?? [];
  const { managedFields: _, ...metadata } = object.metadata;
  const fresh = { ...object, metadata };
  const shape = shapeOf(writer.kind, writer.schema);
  return withManagedFields(fresh, afterWrite({}, asJson(fresh), sent, shape, writer));
}

/**
 * Who owns what after an update or a patch: each field that changed is the writer's alone, what was removed is nobody's, and
 * everything else stays with its owners. `next` is the object as it is going to be stored.
 *
 * `sent` is what the request says of `managedFields`: valid entries replace the stored ones, an empty list or one empty entry
 * clears them, and anything else is ignored, as it is where a subresource is written. An object without entries is not
 * tracked until something is applied to it.
 */
export function trackUpdate(
  stored: KubeObject,
  next: KubeObject,
  sent: Json | undefined,
  writer: Writer,
): readonly Ownership[] {
  const base = baseOf(stored, writer.subresource === undefined ? sent : undefined);
  if (base.length === 0) return base;
  return afterWrite(asJson(stored), asJson(next), base, shapeOf(writer.kind, writer.schema), writer);
}

function baseOf(stored: KubeObject, sent: Json | undefined): Ownership[] {
  if (isReset(sent)) return [];
  const read = Array.isArray(sent) ? readManagedFields(sent) : undefined;
  return read === undefined || read.length === 0 ? ownershipsOf(stored) : read;
}

function isReset(sent: Json | undefined): boolean {
  if (!Array.isArray(sent)) return false;
  const [entry] = sent;
  return sent.length === 0 || (sent.length === 1 && isJsonObject(entry) && Object.keys(entry).length === 0);
}

export const ownershipsOf = ({ metadata }: KubeObject): Ownership[] =>
  readManagedFields(metadata.managedFields) ?? [];

function afterWrite(
  before: JsonObject,
  after: JsonObject,
  base: readonly Ownership[],
  shape: ObjectShape,
  writer: Writer,
): readonly Ownership[] {
  const { kind, subresource, now } = writer;
  const found = ownableDifferences(before, after, shape, kind, subresource);
  const taken = union(found.added, found.modified);
  const left = base
    .filter((ownership) => isServed(ownership, kind))
    .map((ownership) => withFields(ownership, withoutTaken(reconciled(ownership.fields, shape), found)))
    .filter(({ fields }) => !isEmpty(fields));
  if (isEmpty(taken)) return left;
  const owner = ownerOf(writer, "Update", String(after.apiVersion));
  const owned = union(ownedBy(left, owner), taken);
  return capped(withOwnership(left, claimed(owner, owned, now)));
}

const withFields = (ownership: Ownership, fields: FieldSet): Ownership => ({ ...ownership, fields });

/** What is left to an owner after somebody else's write. */
export const withoutTaken = (fields: FieldSet, { added, modified, removed }: Differences): FieldSet =>
  difference(difference(difference(fields, added), modified), removed);

export function ownableDifferences(
  before: JsonObject,
  after: JsonObject,
  shape: ObjectShape,
  kind: Kind,
  addressed: Addressed,
): Differences {
  const { added, removed, modified } = differences(
    withoutManagedFields(before),
    withoutManagedFields(after),
    shape,
  );
  return {
    added: ownable(added, kind, addressed),
    removed: ownable(removed, kind, addressed),
    modified: ownable(modified, kind, addressed),
  };
}

/** Owners in a version that a definition does not serve any more are forgotten. */
export function isServed({ apiVersion: version }: Owner, kind: Kind): boolean {
  return !kind.traits.custom || kind.versions.some((served) => apiVersion(kind.group, served) === version);
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  if (!isJsonObject(object.metadata) || object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with these entries in place of the ones it has. */
export function withManagedFields(object: KubeObject, ownerships: readonly Ownership[]): KubeObject {
  return withEntries(object, printManagedFields(ownerships));
}

export function withEntries(object: KubeObject, entries: readonly Json[]): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: [...entries] },
  };
}

/**
 * The object as it would be if only the times of its entries differed from the stored ones: what is equal to the stored
 * object then has not changed at all.
 */
export function withStoredTimes(
  object: KubeObject,
  ownerships: readonly Ownership[],
  stored: KubeObject,
): KubeObject {
  return sameOwnerships(ownerships, ownershipsOf(stored))
    ? withEntries(object, stored.metadata.managedFields ?? [])
    : withManagedFields(object, ownerships);
}
