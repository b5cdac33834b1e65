import { invalidValue, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import { scaleOf, withReplicas } from "../../objects/kinds/scale.ts";
import { decodeObject } from "../../objects/metadata/decode.ts";
import { asJson, type KubeObject } from "../../objects/object.ts";
import { applyPatch } from "../../objects/patch/patch.ts";
import type { Mutation } from "../request.ts";

/** Lists in a Scale have no merge keys, so any kind that is not custom serves to apply a patch to one. */
const SCALE = { group: "autoscaling", version: "v1", kind: "Scale", custom: false };

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
  const { name } = stored.metadata;
  if (typeof replicas !== "number" || !Number.isInteger(replicas) || replicas < 0) {
    const errors = [invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")];
    return refuse({ reason: "Invalid", group: "autoscaling", kind: "Scale", name, errors });
  }
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

const builtIn = (kind: Kind): Kind => ({ ...kind, kind: "Scale", traits: { ...kind.traits, custom: false } });
