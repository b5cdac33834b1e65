import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import type { GroupResource } from "../object.ts";
import type { VersionSchema } from "../schema/custom-object.ts";
import { readSchema } from "../schema/schema.ts";
import { customKind, customSchema, isEstablished } from "./custom-resource.ts";
import { readDefinition } from "./definition.ts";
import { type NameClaim, nameClaim } from "./names-conflict.ts";

/** What the definitions of a cluster say, beyond the kinds they add. */
export interface Definitions {
  /** Of all definitions, also of those that are not established. */
  readonly claims: readonly NameClaim[];
  /** How objects of a custom kind look in one of its versions; undefined when no definition says so. */
  schemaOf(resource: GroupResource, version: string): VersionSchema | undefined;
}

export const NO_DEFINITIONS: Definitions = { claims: [], schemaOf: () => undefined };

/**
 * Reads stored definitions, as JSON text. Schemas are large and most are never needed, so each is kept as text until
 * the first object of its kind is written, and read once then.
 */
export function readDefinitions(texts: readonly string[]): { kinds: Kind[]; definitions: Definitions } {
  const kinds: Kind[] = [];
  const claims: NameClaim[] = [];
  const established = new Map<GroupResource, string>();
  for (const text of texts) {
    const crd = JSON.parse(text) as JsonObject;
    claims.push(nameClaim(crd));
    if (!isEstablished(crd)) continue;
    const kind = customKind(crd);
    kinds.push(kind);
    established.set(kind.storedAs, text);
  }
  const schemas = new Map<string, VersionSchema | undefined>();
  const schemaOf = (resource: GroupResource, version: string): VersionSchema | undefined => {
    const key = `${version} ${resource}`;
    const text = established.get(resource);
    if (text !== undefined && !schemas.has(key)) schemas.set(key, schemaIn(text, version));
    return schemas.get(key);
  };
  return { kinds, definitions: { claims, schemaOf } };
}

function schemaIn(text: string, version: string): VersionSchema | undefined {
  const crd = JSON.parse(text) as JsonObject;
  const json = customSchema(crd, version);
  return json && { schema: readSchema(json), json, preservesUnknown: readDefinition(crd).preservesUnknown };
}
