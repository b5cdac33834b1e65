import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { isKnownFormat } from "./formats.ts";
import { compilePattern, type Pattern } from "./pattern/pattern.ts";

export type ValueType = "array" | "boolean" | "integer" | "number" | "object" | "string";

/**
 * One level of a definition's `openAPIV3Schema`, read once and used for every object. Keywords of a wrong type read as
 * absent; the definition was refused for them when it was written.
 */
export interface Schema {
  /** Empty when any type will do. */
  readonly types: readonly ValueType[];
  readonly nullable: boolean;
  /** Undefined too for formats that upstream does not check, such as `int32`. */
  readonly format: string | undefined;
  /** Null counts as none, as upstream has it. */
  readonly default: Json | undefined;
  readonly enum: readonly Json[] | undefined;
  readonly numbers: NumberLimits;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: Pattern | { fault: string } | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, Schema>;
  readonly additional: Additional | undefined;
  readonly items: Schema | undefined;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
  /** `x-kubernetes-preserve-unknown-fields`: what is not specified is kept. */
  readonly preservesUnknown: boolean;
  /** `x-kubernetes-embedded-resource`: an object with apiVersion, kind and metadata of its own. */
  readonly embedded: boolean;
  readonly listType: "atomic" | "map" | "set";
  readonly listMapKeys: readonly string[];
}

export interface NumberLimits {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
}

/** `additionalProperties`: whether there may be others, and what they must look like. */
export interface Additional {
  readonly allowed: boolean;
  readonly schema: Schema | undefined;
}

/** Recurses as deep as the schema nests, which decoding has bounded. */
export function readSchema(json: JsonObject): Schema {
  const intOrString = json["x-kubernetes-int-or-string"] === true;
  const listType = json["x-kubernetes-list-type"];
  return {
    types: intOrString ? ["integer", "string"] : typesOf(json.type),
    nullable: json.nullable === true,
    format: typeof json.format === "string" && isKnownFormat(json.format) ? json.format : undefined,
    default: json.default ?? undefined,
    enum: Array.isArray(json.enum) && json.enum.length > 0 ? json.enum : undefined,
    numbers: {
      minimum: number(json.minimum),
      maximum: number(json.maximum),
      exclusiveMinimum: json.exclusiveMinimum === true,
      exclusiveMaximum: json.exclusiveMaximum === true,
      multipleOf: number(json.multipleOf),
    },
    minLength: number(json.minLength),
    maxLength: number(json.maxLength),
    pattern:
      typeof json.pattern === "string" && json.pattern !== "" ? compilePattern(json.pattern) : undefined,
    minItems: number(json.minItems),
    maxItems: number(json.maxItems),
    uniqueItems: json.uniqueItems === true,
    minProperties: number(json.minProperties),
    maxProperties: number(json.maxProperties),
    required: texts(json.required),
    properties: new Map(
      Object.entries(isJsonObject(json.properties) ? json.properties : {}).flatMap(([name, property]) =>
        isJsonObject(property) ? [[name, readSchema(property)]] : [],
      ),
    ),
    additional: additional(json.additionalProperties),
    items: isJsonObject(json.items) ? readSchema(json.items) : undefined,
    allOf: schemas(json.allOf),
    anyOf: schemas(json.anyOf),
    oneOf: schemas(json.oneOf),
    not: isJsonObject(json.not) ? readSchema(json.not) : undefined,
    preservesUnknown: json["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: json["x-kubernetes-embedded-resource"] === true,
    listType: listType === "set" || listType === "map" ? listType : "atomic",
    listMapKeys: texts(json["x-kubernetes-list-map-keys"]),
  };
}

export const VALUE_TYPES: readonly ValueType[] = [
  "array",
  "boolean",
  "integer",
  "number",
  "object",
  "string",
];

function typesOf(value: Json | undefined): readonly ValueType[] {
  return VALUE_TYPES.filter((type) => type === value);
}

function additional(value: Json | undefined): Additional | undefined {
  if (typeof value === "boolean") return { allowed: value, schema: undefined };
  return isJsonObject(value) ? { allowed: true, schema: readSchema(value) } : undefined;
}

const number = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;
const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
const schemas = (value: Json | undefined): Schema[] =>
  Array.isArray(value) ? value.filter(isJsonObject).map(readSchema) : [];
