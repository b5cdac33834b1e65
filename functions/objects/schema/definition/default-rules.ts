import type { FieldError } from "../../failure.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../json.ts";
import { validateEmbeddedResources } from "../embedded-resources.ts";
import { invalid } from "../faults.ts";
import { prune } from "../prune.ts";
import { readSchema, type Schema } from "../schema.ts";
import { validateValue } from "../validation.ts";
import { propertiesOf, subschemaAt } from "./subschemas.ts";

const META_FIELDS: readonly string[] = ["metadata", "kind", "apiVersion"];

/**
 * Defaults that their own schema would not accept. Those inside embedded metadata are not looked at.
 * Source: apiextensions-apiserver `pkg/apiserver/schema/defaulting/validation.go`.
 */
export function defaultFaults(schema: JsonObject, path: string, isRoot = true): FieldError[] {
  const value = schema.default ?? null;
  const hasMeta = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  return [
    ...(value === null ? [] : faultsOf(value, readSchema(schema), `${path}.default`)),
    ...subschemaAt(schema, "items", path).flatMap((at) => defaultFaults(at.schema, at.path, false)),
    ...propertiesOf(schema, path)
      .filter(({ name }) => !(hasMeta && META_FIELDS.includes(name)))
      .flatMap((at) => defaultFaults(at.schema, at.path, false)),
  ];
}

function faultsOf(value: Json, schema: Schema, field: string): FieldError[] {
  const unknown = !jsonEqual(prunedValue(value, schema), value);
  return [
    ...(unknown ? [invalid(field, value, "must not have unknown fields")] : []),
    ...validateEmbeddedResources(value, schema, field),
    ...validateValue(value, schema, field),
  ];
}

/** Pruned as the field of an object that has no other. */
function prunedValue(value: Json, schema: Schema): Json | undefined {
  const around: Schema = { ...schema, properties: new Map([["default", schema]]), embedded: false };
  const pruned = prune({ default: value }, { ...around, additional: undefined, preservesUnknown: false });
  return isJsonObject(pruned.value) ? pruned.value.default : undefined;
}
