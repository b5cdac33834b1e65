import { type FieldError, forbiddenValue, requiredValue } from "../../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { invalid, notSupported } from "../faults.ts";
import { VALUE_TYPES } from "../schema.ts";
import { listTypeFaults } from "./list-type-rules.ts";
import { furtherOf, propertiesOf, subschemaAt } from "./subschemas.ts";

/** Where in an object a schema stands, as far as it decides what it may say. */
interface Standing {
  root: boolean;
  /** Inside the metadata, the kind or the apiVersion of the object or of one embedded in it. */
  insideMeta: boolean;
  /** Why there may be no default; undefined when there may. */
  noDefault: string | undefined;
}

/**
 * Faults of single keywords, at every level of a schema: those that are not supported, contradict each other, or are of
 * the wrong type.
 *
 * Source: apiextensions-apiserver `pkg/apis/apiextensions/validation` (ValidateCustomResourceDefinitionOpenAPISchema).
 */
export function keywordFaults(schema: JsonObject, path: string): FieldError[] {
  return faultsAt(schema, path, { root: true, insideMeta: false, noDefault: undefined });
}

const META_FIELDS: readonly string[] = ["metadata", "kind", "apiVersion"];
const EMBEDDED = "x-kubernetes-embedded-resource";

function faultsAt(schema: JsonObject, path: string, standing: Standing): FieldError[] {
  const inside: Standing = { ...standing, root: false };
  const inMap = standing.insideMeta
    ? { ...inside, noDefault: "inside additionalProperties applying to object metadata" }
    : inside;
  return [
    ...wrongTypes(schema, path),
    ...ownFaults(schema, path, standing),
    ...subschemaAt(schema, "additionalProperties", path).flatMap((at) => faultsAt(at.schema, at.path, inMap)),
    ...propertiesOf(schema, path).flatMap((at) => {
      const isMeta = (standing.root || schema[EMBEDDED] === true) && META_FIELDS.includes(at.name);
      return faultsAt(at.schema, at.path, {
        root: false,
        insideMeta: standing.insideMeta || isMeta,
        noDefault: standing.root && isMeta ? `in top-level ${at.name}` : standing.noDefault,
      });
    }),
    ...furtherOf(schema, path).flatMap((at) => faultsAt(at.schema, at.path, inside)),
    ...subschemaAt(schema, "items", path).flatMap((at) => faultsAt(at.schema, at.path, inside)),
    ...listTypeFaults(schema, path),
    ...ruleFaults(schema, path),
  ];
}

const NOT_SUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

function ownFaults(schema: JsonObject, path: string, { insideMeta, noDefault }: Standing): FieldError[] {
  const { type, items, additionalProperties } = schema;
  const errors: FieldError[] = [];
  const forbid = (keyword: string, detail: string) =>
    errors.push(forbiddenValue(`${path}.${keyword}`, detail));
  if (typeof type === "string" && type !== "" && !VALUE_TYPES.some((known) => known === type)) {
    errors.push(notSupported(`${path}.type`, type, VALUE_TYPES));
  }
  if ((schema.default ?? null) !== null && noDefault !== undefined)
    forbid("default", `must not be set ${noDefault}`);
  for (const keyword of NOT_SUPPORTED) {
    if (schema[keyword] !== undefined) forbid(keyword, `${keyword} is not supported`);
  }
  if (type === "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(items) && items.length > 0)
    forbid("items", "items must be a schema object and not an array");
  if (insideMeta && schema[EMBEDDED] === true) forbid(EMBEDDED, "must not be used inside of resource meta");
  if (schema.uniqueItems === true) {
    forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  }
  const hasProperties = isJsonObject(schema.properties) && Object.keys(schema.properties).length > 0;
  if (hasProperties && additionalProperties !== undefined && additionalProperties !== true) {
    forbid("additionalProperties", "additionalProperties and properties are mutual exclusive");
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const field = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalid(field, false, "must be true or undefined"));
  }
  return errors;
}

type Shape = "boolean" | "count" | "list" | "number" | "object" | "text" | "texts";

/** What the keywords that are used must be. Upstream's decoder refuses anything else. */
const SHAPES: Readonly<Record<string, Shape>> = {
  allOf: "list",
  anyOf: "list",
  description: "text",
  enum: "list",
  exclusiveMaximum: "boolean",
  exclusiveMinimum: "boolean",
  format: "text",
  maximum: "number",
  maxItems: "count",
  maxLength: "count",
  maxProperties: "count",
  minimum: "number",
  minItems: "count",
  minLength: "count",
  minProperties: "count",
  multipleOf: "number",
  not: "object",
  nullable: "boolean",
  oneOf: "list",
  pattern: "text",
  properties: "object",
  required: "texts",
  title: "text",
  type: "text",
  uniqueItems: "boolean",
  "x-kubernetes-embedded-resource": "boolean",
  "x-kubernetes-int-or-string": "boolean",
  "x-kubernetes-list-map-keys": "texts",
  "x-kubernetes-list-type": "text",
  "x-kubernetes-map-type": "text",
  "x-kubernetes-preserve-unknown-fields": "boolean",
  "x-kubernetes-validations": "list",
};

const SHAPE_TESTS: Readonly<Record<Shape, { is: (value: Json) => boolean; name: string }>> = {
  boolean: { is: (value) => typeof value === "boolean", name: "a boolean" },
  count: { is: (value) => Number.isInteger(value), name: "an integer" },
  list: { is: Array.isArray, name: "an array" },
  number: { is: (value) => typeof value === "number", name: "a number" },
  object: { is: isJsonObject, name: "an object" },
  text: { is: (value) => typeof value === "string", name: "a string" },
  texts: {
    is: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
    name: "an array of strings",
  },
};

const SCHEMA_LISTS: readonly string[] = ["allOf", "anyOf", "oneOf"];

function wrongTypes(schema: JsonObject, path: string): FieldError[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (value === null) return [];
    if (keyword === "properties" && isJsonObject(value)) {
      return Object.entries(value).flatMap(([name, property]) =>
        isJsonObject(property) ? [] : [invalid(`${path}.properties[${name}]`, property, "must be an object")],
      );
    }
    if (keyword === "items" && !isJsonObject(value) && !Array.isArray(value)) {
      return [invalid(`${path}.items`, value, "must be an object")];
    }
    if (keyword === "additionalProperties" && typeof value !== "boolean" && !isJsonObject(value)) {
      return [invalid(`${path}.additionalProperties`, value, "must be an object or a boolean")];
    }
    if (SCHEMA_LISTS.includes(keyword) && Array.isArray(value) && !value.every(isJsonObject)) {
      return [invalid(`${path}.${keyword}`, value, "must be an array of objects")];
    }
    const shape = Object.hasOwn(SHAPES, keyword) ? SHAPES[keyword] : undefined;
    if (shape === undefined || SHAPE_TESTS[shape].is(value)) return [];
    return [invalid(`${path}.${keyword}`, value, `must be ${SHAPE_TESTS[shape].name}`)];
  });
}

/** Rules in CEL are kept, not evaluated; each must at least be there. */
function ruleFaults(schema: JsonObject, path: string): FieldError[] {
  const rules = schema["x-kubernetes-validations"];
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((item, i) => {
    const rule = isJsonObject(item) && typeof item.rule === "string" ? item.rule.trim() : "";
    const field = `${path}.x-kubernetes-validations[${i}].rule`;
    return rule === "" ? [requiredValue(field, "rule is not specified")] : [];
  });
}
