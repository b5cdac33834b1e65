import { type Outcome, ok } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import { asJson, asObject, type KubeObject } from "../../objects/object.ts";
import { shaped, type VersionSchema } from "../../objects/schema/custom-object.ts";
import type { FieldCheck } from "./field-check.ts";

/** What a write to a custom object goes by. */
export interface CustomRules {
  /** Of the version that is written; undefined when its definition has gone meanwhile. */
  schema: VersionSchema | undefined;
  check: FieldCheck;
}

/**
 * What was sent as its definition has it: unknown fields out, defaults in. Oddities that were found before are judged
 * together with the fields that go. Errors: those of the check.
 */
export function fitted(
  sent: JsonObject,
  oddities: readonly string[],
  { schema, check }: CustomRules,
): Outcome<{ object: JsonObject; warnings: string[] }> {
  const { object, unknown } = schema ? shaped(sent, schema) : { object: sent, unknown: [] };
  const judged = check([...oddities, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)]);
  return judged.ok ? ok({ object, warnings: judged.value }) : judged;
}

/** What is stored, as it would be written today: an older schema may have left fields in it, or defaults out. */
export function asRead(stored: KubeObject, schema: VersionSchema | undefined): KubeObject {
  return schema ? asObject(shaped(asJson(stored), schema).object) : stored;
}
