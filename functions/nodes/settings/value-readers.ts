import { type Duration, parseDuration } from "../../objects/duration.ts";
import { type FieldError, forbiddenValue, invalidValue } from "../../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import { nearestName } from "./nearest-name.ts";

const INT32_MAX = 2 ** 31 - 1;

const shown = (value: Json): unknown =>
  typeof value === "object" ? JSON.stringify(value).slice(0, 200) : value;

/** Reads single fields of an object, and collects what is wrong with them. A field that is null is as if absent. */
export class FieldReader {
  readonly #object: JsonObject;
  readonly path: string;
  readonly errors: FieldError[];

  constructor(object: JsonObject, path: string, errors: FieldError[]) {
    this.#object = object;
    this.path = path;
    this.errors = errors;
  }

  value(name: string): Json | undefined {
    return (Object.hasOwn(this.#object, name) ? this.#object[name] : undefined) ?? undefined;
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  /** Said to be null, for the few fields where that means something. */
  isNull(name: string): boolean {
    return Object.hasOwn(this.#object, name) && this.#object[name] === null;
  }

  refuse(name: string, detail: string): undefined {
    this.errors.push(invalidValue(`${this.path}.${name}`, shown(this.value(name) ?? null), detail));
    return undefined;
  }

  /** Refuses the names that are not known, naming the nearest that is. */
  onlyKnown(known: ReadonlySet<string>, what: string, elsewhere: (name: string) => string | undefined): void {
    for (const name of Object.keys(this.#object)) {
      if (known.has(name)) continue;
      const hint = elsewhere(name);
      const nearest = hint === undefined ? nearestName(name, known) : undefined;
      const meant = hint ?? (nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`);
      const path = `${this.path}.${name.slice(0, 100)}`;
      this.errors.push(forbiddenValue(path, `unknown field: ${what} has no such field${meant}`));
    }
  }

  boolean(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "boolean") return value;
    return this.refuse(name, "must be of type boolean");
  }

  integer(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= INT32_MAX) return value;
    return this.refuse(name, "must be an integer of 32 bits");
  }

  /** In Go's notation, with `d` and `w` beside. */
  duration(name: string): Duration | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== "string")
      return this.refuse(name, 'must be a duration as a string, such as "12h45m"');
    const reading = parseDuration(value, { days: true });
    return "fault" in reading ? this.refuse(name, reading.fault) : reading.duration;
  }

  object(name: string): JsonObject | undefined {
    const value = this.value(name);
    if (value === undefined || isJsonObject(value)) return value;
    return this.refuse(name, "must be of type object");
  }

  list(name: string, most = 1000): readonly Json[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.refuse(name, "must be a list");
    return value.length <= most ? value : this.refuse(name, `must not have more than ${most} items`);
  }
}
