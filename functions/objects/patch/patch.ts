import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { jsonPatch } from "./json-patch.ts";
import { mergeRulesOf } from "./merge-keys.ts";
import { mergePatch } from "./merge-patch.ts";
import { decodePatch, goJsonType } from "./patch-text.ts";
import { strategicMerge } from "./strategic-merge.ts";

export type PatchType = "json" | "merge" | "strategic";

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);

/** The media types a PATCH may have. */
export const ACCEPTED_PATCH_TYPES: readonly string[] = [...patchTypes.keys()];

/** Upstream's words when the Content-Type is none of them. */
export const UNSUPPORTED_PATCH_TYPE = "415: Unsupported Media Type";

/** From the Content-Type header, parameters ignored; undefined is to be answered with 415. */
export function patchTypeOf(contentType: string): PatchType | undefined {
  const [mediaType = ""] = contentType.split(";");
  return patchTypes.get(mediaType.trim().toLowerCase());
}

/**
 * The object that a PATCH makes of the stored one. `current` (apiVersion, kind, metadata, …) is not modified, and the
 * result shares nothing with it.
 *
 * The result has a `metadata` object, and an apiVersion and kind, the stored ones if the patch removed them. Whether what
 * they and the metadata say is allowed is not looked at.
 *
 * Refused as upstream's patch handler does: BadRequest for what does not decode, UnprocessablePatch for what cannot be
 * applied, RequestEntityTooLarge for too many operations, UnsupportedMediaType for a strategic merge of a custom kind, and
 * Unknown (500) for a merge patch that is no object or lists that cannot be merged.
 */
export function applyPatch(
  current: JsonObject,
  type: PatchType,
  text: string,
  kind: Kind,
): Outcome<JsonObject> {
  if (type === "strategic" && kind.traits.custom) return noStrategicMerge();
  const patch = decodePatch(text);
  if (!patch.ok) return patch;
  const patched = patchedBy(structuredClone(current), type, patch.value, kind);
  return patched.ok ? withStoredIdentity(patched.value, current) : patched;
}

function patchedBy(document: JsonObject, type: PatchType, patch: Json, kind: Kind): Outcome<JsonObject> {
  switch (type) {
    case "json":
      return jsonPatch(document, patch);
    case "merge":
      if (!isJsonObject(patch)) return refuse({ reason: "Unknown", message: "Invalid JSON Patch" });
      return ok(mergePatch(document, patch));
    case "strategic":
      if (!isJsonObject(patch)) return cannotUnmarshal(patch, "value of type map[string]interface {}");
      return strategicMerge(document, patch, mergeRulesOf(kind.kind));
  }
}

function withStoredIdentity(patched: JsonObject, current: JsonObject): Outcome<JsonObject> {
  const { metadata = null } = patched;
  if (metadata === null) {
    const { name = "" } = isJsonObject(current.metadata) ? current.metadata : {};
    const message = `the name of the object (${name} based on URL) was undeterminable: name must be provided`;
    return refuse({ reason: "BadRequest", message });
  }
  if (!isJsonObject(metadata)) {
    return cannotUnmarshal(metadata, `struct field ${current.kind}.metadata of type v1.ObjectMeta`);
  }
  const { apiVersion = "", kind = "" } = current;
  return ok({ ...patched, apiVersion: patched.apiVersion ?? apiVersion, kind: patched.kind ?? kind });
}

function cannotUnmarshal(value: Json, into: string): Outcome<never> {
  return refuse({
    reason: "BadRequest",
    message: `json: cannot unmarshal ${goJsonType(value)} into Go ${into}`,
  });
}

function noStrategicMerge(): Outcome<never> {
  const accepted = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return refuse({ reason: "UnsupportedMediaType", message });
}
