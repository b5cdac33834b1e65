import { type FieldError, forbiddenValue } from "../../failure.ts";
import type { JsonObject } from "../../json.ts";
import { invalid } from "../faults.ts";
import { defaultFaults } from "./default-rules.ts";
import { keywordFaults } from "./keyword-rules.ts";
import { structuralFaults } from "./structural-rules.ts";
import { allSchemas } from "./subschemas.ts";

/** Faults of one schema that are told. */
const MOST_FAULTS = 100;

/**
 * What is wrong with the schema that a definition gives a version. `field` is where it stands:
 * `spec.versions[0].schema.openAPIV3Schema`.
 *
 * Source: apiextensions-apiserver `pkg/apis/apiextensions/validation` (validateCustomResourceDefinitionValidation).
 */
export function validateSchemaOfVersion(
  schema: JsonObject,
  field: string,
  { hasStatus }: { hasStatus: boolean },
): FieldError[] {
  const structural = structuralFaults(schema, field);
  const keywords = keywordFaults(schema, field);
  // A default can only be tried against a schema that can be read.
  const defaults = structural.length + keywords.length === 0 ? defaultFaults(schema, field) : [];
  return [
    ...(hasStatus ? rootFaults(schema, field) : []),
    ...(schema.nullable === true
      ? [forbiddenValue(`${field}.nullable`, "nullable cannot be true at the root")]
      : []),
    ...structural,
    ...defaults,
    ...keywords,
  ].slice(0, MOST_FAULTS);
}

/** Go's names of the fields that may stand at the root of a schema beside a status, in upstream's order. */
const ROOT_FIELDS =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";

/** All others that a schema can hold. */
const NOT_AT_ROOT: readonly string[] = [
  "$ref",
  "$schema",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "default",
  "definitions",
  "dependencies",
  "enum",
  "id",
  "maxProperties",
  "minProperties",
  "not",
  "nullable",
  "oneOf",
  "patternProperties",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
];

/** With a status subresource the schema of the status is taken out of the object's: the root may say little. */
function rootFaults(schema: JsonObject, field: string): FieldError[] {
  const other = NOT_AT_ROOT.find((keyword) => (schema[keyword] ?? false) !== false);
  if (other === undefined) return [];
  const detail = `only [${ROOT_FIELDS}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(field, other, detail)];
}

/** Whether a schema has rules in CEL, which are not evaluated. */
export function hasValidationRules(schema: JsonObject): boolean {
  for (const { schema: inside } of allSchemas(schema)) {
    const rules = inside["x-kubernetes-validations"];
    if (Array.isArray(rules) && rules.length > 0) return true;
  }
  return false;
}
