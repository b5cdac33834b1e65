import { z } from "zod";
import { GUARD_SPEC } from "../guard/settings.ts";
import { NODE_POLICY_SPEC } from "../nodes/settings/node-policy-schema.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { SWEEP_POLICY_SPEC } from "../sweeps/settings.ts";
import { computedKinds } from "./computed/computed-kinds.ts";

/** What is said of a value besides its parts. */
const SAID: readonly string[] = ["type", "format", "description", "nullable", "enum", "default", "required"];
const ANYTHING: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };

const settings: ReadonlyMap<string, JsonObject | z.ZodType> = new Map<string, JsonObject | z.ZodType>([
  ["deletionguards.gc.kubegc.dev", GUARD_SPEC],
  ["nodepolicies.gc.kubegc.dev", NODE_POLICY_SPEC],
  ["sweeppolicies.gc.kubegc.dev", SWEEP_POLICY_SPEC],
]);

/**
 * `spec` of this project's own kinds, by what reads it; undefined for a kind that is not, or that nobody sends. It says that
 * other fields are preserved: an old client shall not refuse them before the server can say, in its own words, what is wrong.
 */
export function ownSpec({ storedAs }: Kind): JsonObject | undefined {
  const found = settings.get(storedAs) ?? computedKinds.get(storedAs)?.spec;
  if (found === undefined) return undefined;
  const schema = found instanceof z.ZodType ? schemaOf(found) : found;
  return { ...schema, ...ANYTHING };
}

/** As it is sent, before defaults. */
const schemaOf = (type: z.ZodType): JsonObject =>
  described(
    z.toJSONSchema(type, { io: "input", target: "openapi-3.0", unrepresentable: "any" }) as JsonObject,
  );

/** What clients understand of a schema. Something else than a value, a list or an object may be anything. */
function described(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, type, description } = schema;
  if (typeof type !== "string") return { ...(description === undefined ? {} : { description }), ...ANYTHING };
  const kept: JsonObject = {};
  for (const key of SAID) if (schema[key] !== undefined) kept[key] = schema[key] as Json;
  if (isJsonObject(properties)) {
    kept.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        isJsonObject(property) ? described(property) : {},
      ]),
    );
  }
  if (isJsonObject(items)) kept.items = described(items);
  if (isJsonObject(additionalProperties)) kept.additionalProperties = described(additionalProperties);
  return kept;
}
