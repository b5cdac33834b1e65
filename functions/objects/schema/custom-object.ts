import type { FieldError } from "../failure.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { withSchemaDefaults } from "./defaults.ts";
import { validateEmbeddedResources } from "./embedded-resources.ts";
import { validateListTypes } from "./list-types.ts";
import { prune } from "./prune.ts";
import type { Schema } from "./schema.ts";
import { validateValue } from "./validation.ts";

/** How one version of a definition wants its objects. */
export interface VersionSchema {
  readonly schema: Schema;
  /** `openAPIV3Schema` as it was written. */
  readonly json: JsonObject;
  /** `spec.preserveUnknownFields` of the definition: nothing is pruned at all. */
  readonly preservesUnknown: boolean;
}

/**
 * An object as its definition has it: unknown fields out, defaults in. `unknown` names the fields that went. Fields
 * that every object has are the caller's to check.
 */
export function shaped(
  object: JsonObject,
  { schema, preservesUnknown }: VersionSchema,
): { object: JsonObject; unknown: string[] } {
  const pruned = preservesUnknown ? { value: object, unknown: [] } : prune(object, schema);
  return {
    object: withSchemaDefaults(pruned.value, schema, !preservesUnknown),
    unknown: pruned.unknown,
  };
}

/** What is wrong with a custom object, metadata apart. With `old`, what was wrong before may stay. */
export function validateCustomObject(
  object: JsonObject,
  { schema }: VersionSchema,
  old?: JsonObject,
): FieldError[] {
  const lists = validateListTypes(object, schema);
  const tolerated = lists.length > 0 && old !== undefined && validateListTypes(old, schema).length > 0;
  return [
    ...validateValue(object, schema, "", old),
    ...validateEmbeddedResources(object, { ...schema, embedded: false }),
    ...(tolerated ? [] : lists),
  ];
}

/** Of an update of the status alone: nothing else is looked at. */
export function validateCustomStatus(
  { status }: JsonObject,
  { schema }: VersionSchema,
  old: JsonObject,
): FieldError[] {
  const inside = schema.properties.get("status");
  if (status === undefined || inside === undefined) return [];
  return [
    ...validateValue(status, inside, "status", old.status),
    ...(isJsonObject(status) ? validateEmbeddedResources(status, inside, "status") : []),
    ...(isJsonObject(status) ? validateListTypes(status, inside, "status") : []),
  ];
}
