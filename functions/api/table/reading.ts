import type { Json } from "../../objects/json.ts";
import { valueAt } from "../../objects/selectors/field-path.ts";

/**
 * Printers read fields that nobody has validated, so a field of another type reads as absent, and a table never fails
 * because of one odd object.
 */
type Path = readonly (string | number)[];

/** The text there, or the empty one. */
export function textAt(value: unknown, ...path: Path): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The integer there, or undefined. */
export function integerAt(value: unknown, ...path: Path): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? Math.trunc(found) : undefined;
}

export function countAt(value: unknown, ...path: Path): number {
  return integerAt(value, ...path) ?? 0;
}

export function booleanAt(value: unknown, ...path: Path): boolean | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "boolean" ? found : undefined;
}

export function listAt(value: unknown, ...path: Path): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: unknown, ...path: Path): string[] {
  return listAt(value, ...path).filter((item) => typeof item === "string");
}

/** The entries of the map there. */
export function entriesAt(value: unknown, ...path: Path): [string, Json][] {
  const found = valueAt(value, ...path);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
}

/** A quantity, a port or a percentage: text, or a number in its place. */
export function scalarAt(value: unknown, ...path: Path): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export function hasAt(value: unknown, ...path: Path): boolean {
  const found = valueAt(value, ...path);
  return found !== undefined && found !== null;
}

/** The status of the condition of that type: `True`, `False` or `Unknown`; undefined when the object has none. */
export function conditionStatus(object: unknown, type: string): string | undefined {
  const condition = listAt(object, "status", "conditions").find((item) => textAt(item, "type") === type);
  return condition === undefined ? undefined : textAt(condition, "status");
}

/** At most `limit` items, then how many more there are; `count` when it is not the number of items. */
export function clipped(items: readonly string[], limit: number, count = items.length): string {
  const shown = items.slice(0, limit).join(",");
  return items.length > limit ? `${shown} + ${count - limit} more...` : shown;
}
