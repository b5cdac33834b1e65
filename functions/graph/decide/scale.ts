import { invalidValue, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import { scaleOf, withReplicas } from "../../objects/kinds/scale.ts";
import { decodeObject } from "../../objects/metadata/decode.ts";
import { asJson, type KubeObject } from "../../objects/object.ts";
import { applyPatch } from "../../objects/patch/patch.ts";
import type { Mutation } from "../request.ts";

/** Lists in a Scale have no merge keys, so any kind that is not custom serves to apply a patch to one. */
export const SCALE = { group: "autoscaling", version: "v1", kind: "Scale", custom: false };

/**
 * What a PUT or a PATCH of the `scale` subresource makes of the object itself. Metadata that was sent is kept, so
 * that a uid or a resourceVersion in it is a precondition as on the object.
 * Errors: those of decoding and patching, and Invalid for a number of replicas that is none.
 */
export function decideScale(
  stored: KubeObject,
  mutation: Mutation & { verb: "update" | "patch" },
  kind: Kind,
): Outcome<JsonObject> {
  const sent =
    mutation.verb === "update"
      ? decodeObject(mutation.text, mutation.mediaType, SCALE)
      : applyPatch(scaleOf(asJson(stored), kind), mutation.type, mutation.text, builtIn(kind));
  if (!sent.ok) return sent;
  const spec = isJsonObject(sent.value.spec) ? sent.value.spec : {};
  const replicas = spec.replicas ?? 0;
  if (!isReplicas(replicas)) return invalidReplicas(replicas, stored);
  const metadata = isJsonObject(sent.value.metadata) ? sent.value.metadata : {};
  const { uid, resourceVersion } = metadata;
  const stamped = withReplicas(asJson(stored), replicas, kind);
  return ok({
    ...stamped,
    metadata: {
      ...(isJsonObject(stamped.metadata) ? stamped.metadata : {}),
      name: metadata.name ?? "",
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  });
}

/** A Scale that is applied, as the part of the object's own configuration that it is. Error: Invalid. */
export function scaleConfiguration(stored: KubeObject, scale: JsonObject, kind: Kind): Outcome<JsonObject> {
  const { replicas } = isJsonObject(scale.spec) ? scale.spec : {};
  const config: JsonObject = {
    apiVersion: stored.apiVersion,
    kind: stored.kind,
    metadata: scale.metadata ?? {},
  };
  if (replicas === undefined) return ok(config);
  return isReplicas(replicas) ? ok(withReplicas(config, replicas, kind)) : invalidReplicas(replicas, stored);
}

const isReplicas = (value: Json): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

function invalidReplicas(replicas: Json, { metadata }: KubeObject): Outcome<never> {
  const errors = [invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")];
  return refuse({ reason: "Invalid", group: "autoscaling", kind: "Scale", name: metadata.name, errors });
}

const builtIn = (kind: Kind): Kind => ({ ...kind, kind: "Scale", traits: { ...kind.traits, custom: false } });
