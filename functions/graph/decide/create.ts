import { type FieldError, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import { knownFields } from "../../objects/kinds/content-fields.ts";
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  validateCustomResourceDefinition,
} from "../../objects/kinds/custom-resource.ts";
import { prepareForCreate } from "../../objects/kinds/defaults.ts";
import { inspectObject } from "../../objects/metadata/decode.ts";
import { validateMetadata } from "../../objects/metadata/metadata.ts";
import { duplicatesWarning, withoutDuplicates } from "../../objects/metadata/owner-references.ts";
import { prepareMetadataForCreate } from "../../objects/metadata/updates.ts";
import {
  asJson,
  asObject,
  type GroupResource,
  type KubeObject,
  type Millis,
  type Uid,
} from "../../objects/object.ts";
import { settingsErrors } from "./settings-kinds.ts";

export interface CreateContext {
  kind: Kind;
  version: string;
  /** Empty for cluster-scoped kinds. */
  namespace: string;
  now: Millis;
  uid: Uid;
  random: () => number;
}

export interface Candidate {
  object: KubeObject;
  /** What it was made of, decoded. */
  sent: JsonObject;
  /** What a strict reader minds in that. */
  oddities: string[];
  /** What is wrong with it; reported after the state of the namespace, as upstream does. */
  errors: FieldError[];
  warnings: string[];
}

/**
 * Turns the body of a POST into the object that would be stored: server-managed fields, defaults, validation.
 * Needs nothing from the store. Errors: BadRequest, UnsupportedMediaType, Unknown (a resourceVersion is set).
 */
export function decideCandidate(text: string, mediaType: string, context: CreateContext): Outcome<Candidate> {
  const { kind, version } = context;
  const decoded = inspectObject(text, mediaType, {
    group: kind.group,
    version,
    kind: kind.kind,
    custom: kind.traits.custom,
    fields: knownFields(kind),
  });
  if (!decoded.ok) return decoded;
  const { object, oddities } = decoded.value;
  const candidate = candidateOf(object, context);
  return candidate.ok ? ok({ ...candidate.value, oddities }) : candidate;
}

/** The same from an object that has been decoded. */
export function candidateOf(sentObject: JsonObject, context: CreateContext): Outcome<Candidate> {
  const { kind } = context;
  const sent = isJsonObject(sentObject.metadata) ? sentObject.metadata : {};
  const metadata = prepareMetadataForCreate(sent, context);
  if (!metadata.ok) return metadata;

  const references = withoutDuplicates(metadata.value.ownerReferences ?? []);
  if (references.duplicates.length > 0) metadata.value.ownerReferences = references.refs;
  const prepared = prepareForCreate(
    { ...sentObject, metadata: metadata.value as unknown as JsonObject },
    kind,
  );
  const errors = [
    ...validateMetadata(asObject(prepared).metadata, kind),
    ...(kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS ? validateCustomResourceDefinition(prepared) : []),
    ...settingsErrors(kind, prepared),
  ];
  return ok({
    object: asObject(prepared),
    sent: sentObject,
    oddities: [],
    errors,
    warnings: references.duplicates.length > 0 ? [duplicatesWarning(references.duplicates)] : [],
  });
}

export type NamespaceState = "open" | "terminating" | "absent";

/** Whether the candidate may be stored. Errors: NotFound, Forbidden for the namespace; Invalid; AlreadyExists. */
export function decideCreate(
  { object, sent, errors }: Candidate,
  kind: Kind,
  namespace: { name: string; state: NamespaceState },
  existing: KubeObject | undefined,
): Outcome<KubeObject> {
  const { name } = object.metadata;
  if (namespace.name !== "" && namespace.state === "absent") {
    return refuse({ reason: "NotFound", resource: "namespaces" as GroupResource, name: namespace.name });
  }
  if (namespace.name !== "" && namespace.state === "terminating") {
    return refuse({
      reason: "Forbidden",
      resource: resourceOf(kind),
      name,
      message: `unable to create new content in namespace ${namespace.name} because it is being terminated`,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace.name} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    });
  }
  if (errors.length > 0) {
    return refuse({
      reason: "Invalid",
      group: kind.group,
      kind: kind.kind,
      name: shownName(asJson(object)),
      errors,
    });
  }
  if (existing) {
    return refuse({
      reason: "AlreadyExists",
      resource: resourceOf(kind),
      name,
      terminating: existing.metadata.deletionTimestamp !== undefined,
      ...(isGenerated(sent) ? { generated: true as const } : {}),
    });
  }
  return ok(object);
}

/** Whether the name was made of a `generateName`: only where no name was sent. */
function isGenerated({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && (metadata.name ?? "") === "" && (metadata.generateName ?? "") !== "";
}

function shownName(object: JsonObject): string {
  return isJsonObject(object.metadata) && typeof object.metadata.name === "string"
    ? object.metadata.name
    : "";
}
