import { type FieldError, forbiddenValue, requiredValue } from "../../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { invalid, notSupported } from "../faults.ts";

const LIST_TYPE = "x-kubernetes-list-type";
const MAP_TYPE = "x-kubernetes-map-type";
const KEYS = "x-kubernetes-list-map-keys";

/** What `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` ask of a schema. */
export function listTypeFaults(schema: JsonObject, path: string): FieldError[] {
  const listType = schema[LIST_TYPE];
  const mapType = schema[MAP_TYPE];
  return [
    ...(mapType === undefined ? [] : typeFaults(schema, path, MAP_TYPE, "object")),
    ...(mapType === undefined || mapType === "atomic" || mapType === "granular"
      ? []
      : [notSupported(`${path}.${MAP_TYPE}`, mapType, ["atomic", "granular"])]),
    ...(listType === undefined ? [] : typeFaults(schema, path, LIST_TYPE, "array")),
    ...(listType === undefined || listType === "atomic" || listType === "set" || listType === "map"
      ? []
      : [notSupported(`${path}.${LIST_TYPE}`, listType, ["atomic", "set", "map"])]),
    ...keyFaults(schema, path),
    ...(listType === "set" ? setFaults(schema, path) : []),
    ...(listType === "map" ? mapFaults(schema, path) : []),
  ];
}

function typeFaults({ type }: JsonObject, path: string, keyword: string, wanted: string): FieldError[] {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${keyword} is specified`;
  return type === undefined || type === ""
    ? [requiredValue(`${path}.type`, detail)]
    : [invalid(`${path}.type`, type, detail)];
}

const keysOf = (schema: JsonObject): Json[] => (Array.isArray(schema[KEYS]) ? schema[KEYS] : []);

function keyFaults(schema: JsonObject, path: string): FieldError[] {
  const listType = schema[LIST_TYPE];
  if (keysOf(schema).length === 0 || listType === "map") return [];
  const detail = `must be map if ${KEYS} is non-empty`;
  return listType === undefined
    ? [requiredValue(`${path}.${LIST_TYPE}`, detail)]
    : [invalid(`${path}.${LIST_TYPE}`, listType, detail)];
}

function setFaults({ items }: JsonObject, path: string): FieldError[] {
  if (!isJsonObject(items)) return [];
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const errors: FieldError[] = [];
  const itemList = items[LIST_TYPE] ?? "atomic";
  if (items.type === "array" && itemList !== "atomic") {
    errors.push(invalid(`${path}.items.${LIST_TYPE}`, itemList, detail));
  }
  if (items.type === "object" && items[MAP_TYPE] !== "atomic") {
    errors.push(invalid(`${path}.items.${MAP_TYPE}`, items[MAP_TYPE] ?? null, detail));
  }
  return [...errors, ...nullableFaults(items, path, "set")];
}

const nullableFaults = ({ nullable }: JsonObject, path: string, listType: string): FieldError[] =>
  nullable === true
    ? [forbiddenValue(`${path}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is ${listType}`)]
    : [];

function mapFaults(schema: JsonObject, path: string): FieldError[] {
  const keys = keysOf(schema);
  const { items } = schema;
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    errors.push(requiredValue(`${path}.${KEYS}`, `must not be empty if ${LIST_TYPE} is map`));
  }
  if (!isJsonObject(items)) {
    return [...errors, requiredValue(`${path}.items`, `must have a schema if ${LIST_TYPE} is map`)];
  }
  if (items.type !== "object") {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    return [...errors, invalid(`${path}.items.type`, items.type ?? "", detail)];
  }
  const properties = isJsonObject(items.properties) ? items.properties : {};
  const required: Json[] = Array.isArray(items.required) ? items.required : [];
  const field = `${path}.${KEYS}`;
  for (const [i, key] of keys.entries()) {
    const property = typeof key === "string" && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const place = `${path}.items.properties[${String(key)}]`;
    if (keys.indexOf(key) < i) errors.push(invalid(field, keys, "must not contain duplicate entries"));
    if (!isJsonObject(property)) {
      errors.push(invalid(field, keys, "entries must all be names of item properties"));
      continue;
    }
    if (property.type === "array" || property.type === "object") {
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      errors.push(invalid(`${place}.type`, property.type, detail));
    }
    if (!required.includes(key) && (property.default ?? null) === null) {
      const detail = `this property is in ${KEYS}, so it must have a default or be a required property`;
      errors.push(requiredValue(`${place}.default`, detail));
    }
    if (property.nullable === true) {
      errors.push(
        forbiddenValue(`${place}.nullable`, `this property is in ${KEYS}, so it cannot be nullable`),
      );
    }
  }
  return [...errors, ...nullableFaults(items, path, "map")];
}
