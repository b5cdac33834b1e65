import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";

const REFERENCE = /^#\/components\/schemas\//;
const SCALARS: ReadonlySet<Json | undefined> = new Set(["string", "integer", "number", "boolean"]);
const LARGEST_DEPTH = 100;

/**
 * A schema of OpenAPI v3 as clients of v2 understand it. Old kubectls check objects against it and know neither `oneOf`
 * nor `nullable` nor open objects; where a schema uses those, it takes any value. One schema that they cannot read
 * would cost them all of them, so nothing else passes either.
 *
 * Source: `ToStructuralOpenAPIV2` of apiextensions-apiserver, `ParseSchema` of kube-openapi.
 */
export function swaggerSchema(schema: JsonObject): JsonObject {
  return convert(schema, LARGEST_DEPTH);
}

function convert(schema: JsonObject, depth: number): JsonObject {
  const said = notes(schema);
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    return { ...said, $ref: `#/definitions/${reference.replace(REFERENCE, "")}` };
  }
  return { ...said, ...content(schema, depth) };
}

function referenceOf(schema: JsonObject): string | undefined {
  const [first] = Array.isArray(schema.allOf) ? schema.allOf : [];
  const { $ref } = schema.$ref === undefined && isJsonObject(first) ? first : schema;
  return typeof $ref === "string" ? $ref : undefined;
}

/** What is said about a value, whatever it is. */
function notes(schema: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" ? typeof value === "string" : key.startsWith("x-kubernetes-"))
      kept[key] = value;
  }
  return kept;
}

function content(schema: JsonObject, depth: number): JsonObject {
  const open = schema.nullable === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (open || depth === 0) return {};
  const { type, format, properties, items, additionalProperties } = schema;
  if (SCALARS.has(type)) return { type: type as string, ...(typeof format === "string" ? { format } : {}) };
  if (type === "array") {
    return isJsonObject(items) ? { type, items: convert(items, depth - 1) } : {};
  }
  if (type !== "object") return {};
  if (isJsonObject(properties)) return { type, ...fields(schema, properties, depth) };
  return isJsonObject(additionalProperties)
    ? { type, additionalProperties: convert(additionalProperties, depth - 1) }
    : { type };
}

function fields(schema: JsonObject, properties: JsonObject, depth: number): JsonObject {
  const converted: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) {
    if (isJsonObject(property)) converted[name] = convert(property, depth - 1);
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    for (const name of ["apiVersion", "kind"]) converted[name] ??= { type: "string" };
    converted.metadata ??= { type: "object" };
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const asked = required.filter((name) => typeof name === "string" && isAsked(properties[name]));
  return { properties: converted, ...(asked.length > 0 ? { required: asked } : {}) };
}

/** A field that may be null, or that the server fills in, need not be there when the client looks. */
const isAsked = (property: Json | undefined): boolean =>
  isJsonObject(property) && property.nullable !== true && property.default === undefined;
