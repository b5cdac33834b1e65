import type { Ownership } from "../../objects/apply/ownership.ts";
import { trackUpdate, withManagedFields, withStoredTimes } from "../../objects/apply/track.ts";
import { type FieldError, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type JsonObject, jsonEqual } from "../../objects/json.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  definitionWarnings,
  establish,
  validateCustomResourceDefinition,
} from "../../objects/kinds/custom-resource.ts";
import { generationChanges, prepareForUpdate } from "../../objects/kinds/defaults.ts";
import type { NameClaim } from "../../objects/kinds/names-conflict.ts";
import { validateMetadataUpdate } from "../../objects/metadata/metadata.ts";
import { duplicatesWarning, withoutDuplicates } from "../../objects/metadata/owner-references.ts";
import { prepareMetadataForUpdate } from "../../objects/metadata/updates.ts";
import { asJson, asObject, type KubeObject, type Millis } from "../../objects/object.ts";
import {
  type VersionSchema,
  validateCustomObject,
  validateCustomStatus,
} from "../../objects/schema/custom-object.ts";
import type { SubresourceName } from "../request.ts";
import { asRead, type CustomRules, fitted } from "./custom-object.ts";
import { isFinished } from "./finished.ts";
import { settingsErrors } from "./settings-kinds.ts";

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
  tracking?: Tracking;
  /** What a custom object goes by, and how oddities are judged. */
  rules?: CustomRules;
  /** What a strict reader minds in what was sent. */
  oddities?: readonly string[];
  /** The names that definitions hold. */
  claims?: readonly NameClaim[];
}

const NO_RULES: CustomRules = { schema: undefined, check: () => ok([]) };

/** Who comes to own what an update changes. */
export interface Tracking {
  manager: string;
  /** The part that the request names. */
  through: SubresourceName | undefined;
  /** What a custom kind's definition says of the version that is written. */
  schema: JsonObject | undefined;
  /** Who owns what, where an apply has worked it out. */
  applied?: readonly Ownership[];
}

const UNTOLD: Tracking = { manager: "", through: undefined, schema: undefined };

/**
 * Decides a PUT or the result of a PATCH against the stored object. What was submitted is not trusted in anything the
 * server manages. Errors: BadRequest (another name, odd fields), Conflict (lost update, another uid), Invalid.
 *
 * Source: kubernetes registry/rest/update.go (BeforeUpdate), registry/generic/registry/store.go (Update,
 * deleteWithoutFinalizers).
 */
export function decideUpdate(
  kept: KubeObject,
  submitted: JsonObject,
  context: UpdateContext,
): Outcome<{ decision: UpdateDecision; warnings: string[] }> {
  const { kind, verb, subresource, rules = NO_RULES, oddities = [], claims = [] } = context;
  const fit = fitted(submitted, oddities, rules);
  if (!fit.ok) return fit;
  const next = fit.value.object;
  const stored = asRead(kept, rules.schema);
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
  const definition = kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS;
  const errors = [
    ...validateMetadataUpdate(object.metadata, stored.metadata, kind),
    ...(definition ? validateCustomResourceDefinition(asJson(object), asJson(stored)) : []),
    ...settingsErrors(kind, asJson(object)),
    ...(rules.schema ? contentErrors(asJson(object), asJson(stored), subresource, rules.schema) : []),
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
    object = asObject(establish(asJson(object), context.now, claims));
  }
  const warnings = [
    ...(references.duplicates.length > 0 ? [duplicatesWarning(references.duplicates)] : []),
    ...fit.value.warnings,
    ...(definition && subresource === undefined ? definitionWarnings(asJson(object)) : []),
  ];
  const { through, applied, ...writer } = context.tracking ?? UNTOLD;
  const sent = isJsonObject(next.metadata) ? next.metadata.managedFields : undefined;
  const ownerships =
    applied ?? trackUpdate(stored, object, sent, { ...writer, kind, subresource: through, now: context.now });
  const tracked = withManagedFields(object, ownerships);
  if (isFinished(object, stored, kind))
    return ok({ decision: { outcome: "remove", answer: tracked }, warnings });
  if (jsonEqual(asJson(withStoredTimes(object, ownerships, stored)), asJson(stored))) {
    return ok({ decision: { outcome: "same", object: stored }, warnings });
  }
  return ok({ decision: { outcome: "write", next: tracked }, warnings });
}

/** Through its status a custom object is checked no further than that. */
function contentErrors(
  next: JsonObject,
  stored: JsonObject,
  subresource: SubresourceName | undefined,
  schema: VersionSchema,
): FieldError[] {
  return subresource === "status"
    ? validateCustomStatus(next, schema, stored)
    : validateCustomObject(next, schema, stored);
}
