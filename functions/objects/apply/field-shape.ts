import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { PathElement } from "./field-set.ts";
import { keyElement, valueElement } from "./fields-v1.ts";

/**
 * How ownership divides a value: into its fields, into its items, or not at all. A value that is not of the sort that its
 * shape is about (a list where an object is expected, an item without its key) is not divided.
 *
 * Source: the topology markers of Kubernetes' API types, https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export type FieldShape = ObjectShape | ItemsShape | SetShape | AtomicShape;

/** An object whose fields are owned one by one. */
export interface ObjectShape {
  readonly is: "object";
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Of the fields that are not listed. */
  readonly rest: FieldShape;
  /**
   * Whether fields that are not listed are those of a structure. Entries of a map are owned themselves, beside what they
   * hold; fields of a structure only by what they hold.
   */
  readonly restIsNamed: boolean;
  /** No configuration may speak of fields that are not listed. */
  readonly closed?: true;
  /** It is there in the emptiest object of its kind, so that nobody brings it. */
  readonly always?: true;
}

/** A list of objects that are the same item when they agree in all keys. */
export interface ItemsShape {
  readonly is: "items";
  readonly keys: readonly string[];
  /** What a key is when an item leaves it out. */
  readonly defaults: ReadonlyMap<string, Json>;
  readonly item: FieldShape;
  readonly always?: true;
}

/** A list of scalars, each owned by itself. */
export interface SetShape {
  readonly is: "set";
}

/** A value that is owned as a whole. */
export interface AtomicShape {
  readonly is: "atomic";
}

export const ATOMIC: AtomicShape = { is: "atomic" };
export const SET: SetShape = { is: "set" };

/** Where nothing is known: objects are maps, lists are not divided. */
export const DEDUCED: ObjectShape = {
  is: "object",
  fields: new Map(),
  get rest() {
    return DEDUCED;
  },
  restIsNamed: false,
};

/** A structure of a built-in kind, of which only what is out of the ordinary is listed. */
export const STRUCTURE: ObjectShape = {
  is: "object",
  fields: new Map(),
  get rest() {
    return STRUCTURE;
  },
  restIsNamed: true,
};

/** A map of scalars, such as labels. */
export const MAP: ObjectShape = { is: "object", fields: new Map(), rest: ATOMIC, restIsNamed: false };

export const structure = (fields: Readonly<Record<string, FieldShape>>): ObjectShape => ({
  ...STRUCTURE,
  rest: STRUCTURE,
  fields: new Map(Object.entries(fields)),
});

export const itemsBy = (
  keys: readonly string[],
  item: FieldShape = STRUCTURE,
  defaults: Readonly<Record<string, Json>> = {},
): ItemsShape => ({ is: "items", keys: [...keys].sort(), defaults: new Map(Object.entries(defaults)), item });

export const always = <T extends ObjectShape | ItemsShape>(shape: T): T => ({ ...shape, always: true });

export const fieldShape = (shape: ObjectShape, name: string): FieldShape =>
  shape.fields.get(name) ?? shape.rest;

export const isNamed = (shape: ObjectShape, name: string): boolean =>
  shape.restIsNamed || shape.fields.has(name);

export const itemShape = (shape: ItemsShape | SetShape): FieldShape =>
  shape.is === "items" ? shape.item : ATOMIC;

/** A value as its shape divides it. */
export type Divided =
  | { readonly into: "fields"; readonly value: JsonObject; readonly shape: ObjectShape }
  | {
      readonly into: "items";
      readonly value: readonly Json[];
      readonly shape: ItemsShape | SetShape;
      /** By what they are known by, in order. Of several that are the same the first counts. */
      readonly items: ReadonlyMap<PathElement, Json>;
    };

/** Undefined for a leaf. An empty object or list is divided as well, into nothing. */
export function divide(value: Json | undefined, shape: FieldShape): Divided | undefined {
  if (value === undefined || value === null || typeof value !== "object") return undefined;
  if (isJsonObject(value)) return shape.is === "object" ? { into: "fields", value, shape } : undefined;
  if (shape.is !== "items" && shape.is !== "set") return undefined;
  const items = new Map<PathElement, Json>();
  for (const item of value) {
    const element = elementOf(item, shape);
    if (element === undefined) return undefined;
    if (!items.has(element)) items.set(element, item);
  }
  return { into: "items", value, shape, items };
}

export const isEmptied = (divided: Divided): boolean =>
  divided.into === "fields" ? Object.keys(divided.value).length === 0 : divided.value.length === 0;

/** What an item is known by in its list; undefined when it cannot be told. */
export function elementOf(item: Json, shape: ItemsShape | SetShape): PathElement | undefined {
  if (shape.is === "set") {
    return item === null || typeof item === "object" ? undefined : valueElement(item);
  }
  if (!isJsonObject(item)) return undefined;
  const key: [string, Json][] = [];
  for (const name of shape.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : shape.defaults.get(name);
    if (value === undefined) return undefined;
    key.push([name, value]);
  }
  return keyElement(key);
}
