import { applyConfiguration } from "../../objects/apply/apply.ts";
import { decodeConfiguration } from "../../objects/apply/configuration.ts";
import type { Ownership } from "../../objects/apply/ownership.ts";
import { type Writer, withManagedFields } from "../../objects/apply/track.ts";
import { type Failure, type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import { readPatched } from "../../objects/metadata/decode.ts";
import { urlMismatch } from "../../objects/metadata/updates.ts";
import { asObject, type KubeObject } from "../../objects/object.ts";
import { allows } from "../../objects/roles.ts";
import type { Mutation, MutationRequest } from "../request.ts";
import { type Candidate, type CreateContext, candidateOf } from "./create.ts";
import { SCALE, scaleConfiguration } from "./scale.ts";

type Apply = Mutation & { verb: "apply" };

/**
 * The object that an apply makes where there is none, with its owners.
 *
 * Errors: those of decoding and of a create; NotFound through a subresource, which makes nothing; Conflict when the
 * configuration means an object that has been there before.
 *
 * Source: kubernetes `endpoints/handlers/patch.go` (applyPatch).
 */
export function candidateOfApply(
  { name, subresource, text, force }: Apply,
  writer: Writer,
  context: CreateContext,
): Outcome<Candidate> {
  const { kind, version, namespace } = context;
  if (subresource !== undefined) return refuse({ reason: "NotFound", resource: resourceOf(kind), name });
  const expected = { group: kind.group, version, kind: kind.kind, custom: kind.traits.custom };
  const config = decodeConfiguration(text, expected);
  if (!config.ok) return config;
  const applied = applyConfiguration(undefined, config.value, writer, force);
  if (!applied.ok) return applied;
  const object = readPatched(applied.value.object, expected);
  if (!object.ok) return object;
  const { metadata } = asObject(object.value);
  if (metadata.uid) return refuse(uidMismatch(name, metadata.uid, kind));
  const misplaced = urlMismatch(metadata, { name, namespace });
  if (misplaced) return refuse(misplaced);
  const candidate = candidateOf(object.value, context);
  if (!candidate.ok) return candidate;
  const tracked = withManagedFields(candidate.value.object, applied.value.ownerships);
  return ok({ ...candidate.value, object: tracked });
}

/** Whoever makes an object by applying must be allowed to create it; undefined when they are. */
export function applyPermissionFailure(
  { principal, kind }: MutationRequest,
  { namespace, name }: { namespace: string; name: string },
): Failure | undefined {
  const { group, resource } = kind;
  if (allows(principal, { verb: "create", group, resource, subresource: undefined, namespace, name })) {
    return undefined;
  }
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const message = `User ${JSON.stringify(principal.user)} cannot create resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${where}`;
  return { reason: "Forbidden", resource: resourceOf(kind), name, message };
}

function uidMismatch(name: string, uid: string, kind: Kind): Failure {
  const subject = resourceOf(kind);
  const message = `Operation cannot be fulfilled on ${subject} ${JSON.stringify(name)}: uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return { reason: "Conflict", subject, name, message };
}

/**
 * What an apply makes of a stored object, decoded, and who owns what then. Errors: those of decoding, and ApplyConflict.
 */
export function appliedTo(
  stored: KubeObject,
  { subresource, text, force }: Apply,
  version: string,
  writer: Writer,
): Outcome<{ object: JsonObject; ownerships: readonly Ownership[] }> {
  const { kind } = writer;
  const expected = { group: kind.group, version, kind: kind.kind, custom: kind.traits.custom };
  const sent = decodeConfiguration(text, subresource === "scale" ? SCALE : expected);
  if (!sent.ok) return sent;
  const config = subresource === "scale" ? scaleConfiguration(stored, sent.value, kind) : sent;
  if (!config.ok) return config;
  const applied = applyConfiguration(stored, config.value, writer, force);
  if (!applied.ok) return applied;
  const object = readPatched(applied.value.object, expected);
  if (!object.ok) return object;
  const { name, namespace = "" } = stored.metadata;
  const misplaced = urlMismatch(asObject(object.value).metadata, { name, namespace });
  return misplaced ? refuse(misplaced) : ok({ object: object.value, ownerships: applied.value.ownerships });
}
