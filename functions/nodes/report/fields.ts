import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import type { Millis } from "../../objects/object.ts";
import type { ReportFault } from "./report.ts";

/** Faults past this many say nothing new. */
const MOST_FAULTS = 50;

/** Collects what could not be read, with its path. */
export class Faults {
  readonly list: ReportFault[] = [];

  add(path: string, message: string): undefined {
    if (this.list.length < MOST_FAULTS) this.list.push({ path, message });
    return undefined;
  }
}

/** A text that is not empty. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function textsOf(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === "string" && item !== "");
}

const NO_FIELDS: JsonObject = Object.freeze({});

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : NO_FIELDS;
}

/** A count that protobuf's JSON prints as a number or, for 64 bits, as a text of digits. */
export function countOf(value: Json | undefined): number | undefined {
  const count = typeof value === "string" && /^[0-9]{1,20}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) && count >= 0 ? Math.trunc(count) : undefined;
}

/** Nanoseconds since 1970, as number or as digits; or RFC 3339. */
export function momentOf(value: Json | undefined): Millis | undefined {
  const nanos = countOf(value);
  if (nanos !== undefined) return nanos / 1_000_000;
  const parsed = typeof value === "string" && value.includes("T") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}
