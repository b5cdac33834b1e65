import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type JsonObject, jsonEqual } from "../../objects/json.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import { establish, validateCustomResourceDefinition } from "../../objects/kinds/custom-resource.ts";
import { generationChanges, prepareForUpdate } from "../../objects/kinds/defaults.ts";
import { validateMetadataUpdate } from "../../objects/metadata/metadata.ts";
import { duplicatesWarning, withoutDuplicates } from "../../objects/metadata/owner-references.ts";
import { prepareMetadataForUpdate } from "../../objects/metadata/updates.ts";
import { asJson, asObject, type KubeObject, type Millis } from "../../objects/object.ts";
import type { SubresourceName } from "../request.ts";
import { isFinished } from "./finished.ts";

export type UpdateDecision =
  /** Nothing differs: nothing is written and no event is sent. */
  | { outcome: "same"; object: KubeObject }
  | { outcome: "write"; next: KubeObject }
  /** It took the last finalizer off a terminating object; `answer` is the object as submitted. */
  | { outcome: "remove"; answer: KubeObject };

export interface UpdateContext {
  kind: Kind;
  verb: "update" | "patch";
  subresource: SubresourceName | undefined;
  now: Millis;
}

/**
 * Decides a PUT or the result of a PATCH against the stored object. `next` is not trusted in anything the server
 * manages. Errors: BadRequest (another name), Conflict (lost update, another uid), Invalid.
 *
 * Source: kubernetes registry/rest/update.go (BeforeUpdate), registry/generic/registry/store.go (Update,
 * deleteWithoutFinalizers).
 */
export function decideUpdate(
  stored: KubeObject,
  next: JsonObject,
  context: UpdateContext,
): Outcome<{ decision: UpdateDecision; warnings: string[] }> {
  const { kind, verb, subresource } = context;
  const metadata = prepareMetadataForUpdate(
    isJsonObject(next.metadata) ? next.metadata : {},
    stored.metadata,
    {
      kind,
      verb,
      resource: resourceOf(kind),
    },
  );
  if (!metadata.ok) return metadata;
  const references = withoutDuplicates(metadata.value.ownerReferences ?? []);
  if (references.duplicates.length > 0) metadata.value.ownerReferences = references.refs;

  const prepared = prepareForUpdate(
    {
      ...next,
      apiVersion: stored.apiVersion,
      kind: stored.kind,
      metadata: metadata.value as unknown as JsonObject,
    },
    asJson(stored),
    kind,
    subresource,
    context.now,
  );
  const { generation } = stored.metadata;
  let object = asObject(prepared);
  if (kind.traits.countsGenerations && generationChanges(prepared, asJson(stored), kind, subresource)) {
    object = { ...object, metadata: { ...object.metadata, generation: (generation ?? 0) + 1 } };
  }
  const definition = kind.storedAs === "customresourcedefinitions.apiextensions.k8s.io";
  const errors = [
    ...validateMetadataUpdate(object.metadata, stored.metadata, kind),
    ...(definition ? validateCustomResourceDefinition(asJson(object)) : []),
  ];
  if (errors.length > 0) {
    return refuse({
      reason: "Invalid",
      group: kind.group,
      kind: kind.kind,
      name: stored.metadata.name,
      errors,
    });
  }
  if (definition && subresource === undefined && stored.metadata.deletionTimestamp === undefined) {
    object = asObject(establish(asJson(object), context.now));
  }
  const warnings = references.duplicates.length > 0 ? [duplicatesWarning(references.duplicates)] : [];
  if (isFinished(object, stored, kind))
    return ok({ decision: { outcome: "remove", answer: object }, warnings });
  if (jsonEqual(asJson(object), asJson(stored))) {
    return ok({ decision: { outcome: "same", object: stored }, warnings });
  }
  return ok({ decision: { outcome: "write", next: object }, warnings });
}
