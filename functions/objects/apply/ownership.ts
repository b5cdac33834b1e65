import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type Millis, timestamp } from "../object.ts";
import { EMPTY_SET, type FieldSet, isEmpty, setsEqual, union } from "./field-set.ts";
import { parseFieldsV1, printFieldsV1 } from "./fields-v1.ts";

/** Who wrote, how, and through which part of the object: whoever agrees in these is one owner. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** In which the fields are named. Somebody who applies is the same owner in every version. */
  readonly apiVersion: string;
  readonly subresource: string | undefined;
}

/** One entry of `metadata.managedFields`. */
export interface Ownership extends Owner {
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

export const isSameOwner = (a: Owner, b: Owner): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === "Apply" || a.apiVersion === b.apiVersion);

/**
 * The entries of `metadata.managedFields`; undefined when one of them cannot be understood, in which case none counts.
 * Source: k8s.io/apimachinery `util/managedfields/internal/managedfields.go`.
 */
export function readManagedFields(entries: readonly Json[] | undefined): Ownership[] | undefined {
  const read: Ownership[] = [];
  for (const entry of entries ?? []) {
    const ownership = readEntry(entry);
    if (ownership === undefined) return undefined;
    read.push(ownership);
  }
  return read;
}

function readEntry(entry: Json): Ownership | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager = "", operation, apiVersion = "", subresource = "", time, fieldsType, fieldsV1 } = entry;
  if (fieldsType !== "FieldsV1" || (operation !== "Apply" && operation !== "Update")) return undefined;
  if (typeof manager !== "string" || typeof apiVersion !== "string" || typeof subresource !== "string") {
    return undefined;
  }
  const fields = parseFieldsV1(fieldsV1);
  if (fields === undefined) return undefined;
  return {
    manager,
    operation,
    apiVersion,
    subresource: subresource === "" ? undefined : subresource,
    time: typeof time === "string" ? time : undefined,
    fields,
  };
}

/** In upstream's order of entries and fields. */
export function printManagedFields(ownerships: readonly Ownership[]): JsonObject[] {
  return [...ownerships].sort(compareOwnerships).map((ownership) => ({
    manager: ownership.manager,
    operation: ownership.operation,
    apiVersion: ownership.apiVersion,
    ...(ownership.time === undefined ? {} : { time: ownership.time }),
    fieldsType: "FieldsV1",
    fieldsV1: printFieldsV1(ownership.fields),
    ...(ownership.subresource === undefined ? {} : { subresource: ownership.subresource }),
  }));
}

function compareOwnerships(a: Ownership, b: Ownership): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  );
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function seconds({ time }: Ownership): number {
  const moment = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(moment) ? 0 : Math.floor(moment / 1000);
}

/** Whether two lists say the same of who owns what; when they came to own it does not count. */
export function sameOwnerships(a: readonly Ownership[], b: readonly Ownership[]): boolean {
  return (
    a.length === b.length &&
    a.every((one) =>
      b.some(
        (other) =>
          isSameOwner(one, other) &&
          one.apiVersion === other.apiVersion &&
          setsEqual(one.fields, other.fields),
      ),
    )
  );
}

/** The list with what an owner has now; an owner of nothing is not in it. */
export function withOwnership(ownerships: readonly Ownership[], owned: Ownership): Ownership[] {
  const others = ownerships.filter((other) => !isSameOwner(other, owned));
  return isEmpty(owned.fields) ? others : [...others, owned];
}

export const ownedBy = (ownerships: readonly Ownership[], owner: Owner): FieldSet =>
  ownerships.find((ownership) => isSameOwner(ownership, owner))?.fields ?? EMPTY_SET;

/** So many owners by update are told apart; beyond that the oldest ones of a version become one. */
const MOST_UPDATERS = 10;
const ANCIENT = "ancient-changes";

/** Source: k8s.io/apimachinery `util/managedfields/internal/capmanagers.go`. */
export function capped(ownerships: readonly Ownership[]): readonly Ownership[] {
  const updaters = ownerships.filter(({ operation }) => operation === "Update").sort(compareOwnerships);
  let excess = updaters.length - MOST_UPDATERS;
  if (excess <= 0) return ownerships;
  let kept = [...ownerships];
  const oldest = new Map<string, Ownership>();
  for (const ownership of updaters) {
    if (excess === 0) break;
    const { apiVersion } = ownership;
    const first = oldest.get(apiVersion);
    if (first === undefined) {
      oldest.set(apiVersion, ownership);
      continue;
    }
    const bucket: Ownership = {
      ...ownership,
      manager: ANCIENT,
      subresource: undefined,
      fields: union(first.fields, ownership.fields),
    };
    kept = withOwnership(
      kept.filter((other) => other !== first && other !== ownership),
      bucket,
    );
    oldest.set(apiVersion, bucket);
    excess--;
  }
  return kept;
}

export const claimed = (owner: Owner, fields: FieldSet, now: Millis): Ownership => ({
  ...owner,
  time: timestamp(now),
  fields,
});
