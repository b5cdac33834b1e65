import type { JsonObject } from "../objects/json.ts";
import { apiVersion } from "../objects/kind.ts";
import { scaleOf } from "../objects/kinds/scale.ts";
import { servedBody } from "../objects/stored-body.ts";
import type { RequestDecision } from "./decide/request.ts";
import type { Decided } from "./group-request.ts";
import type { MutationReply, MutationRequest, Result } from "./request.ts";
import { type Write, writtenObject } from "./write.ts";

/** What a request is answered, once its group is committed. `versions`: the resourceVersions that were given, by uid. */
export function reply(
  { request, decision, body }: Decided,
  versions: ReadonlyMap<string, number>,
): MutationReply {
  if (!decision.ok) return decision;
  const { write, code, answer, warnings } = decision.value;
  switch (answer.as) {
    case "removed": {
      const { name, uid } = removedObject(write);
      return { ok: true, code, result: { as: "removed", name, uid }, warnings };
    }
    case "object":
      return {
        ok: true,
        code,
        result: shown(JSON.stringify(answer.object), decision.value, request),
        warnings,
      };
    case "written": {
      const object = write && writtenObject(write);
      if (object === undefined) throw new Error("an answer about nothing that was written");
      const resourceVersion = versions.get(object.metadata.uid);
      const text =
        body === undefined || resourceVersion === undefined
          ? JSON.stringify(object)
          : servedBody(body, {
              apiVersion: apiVersion(request.kind.group, request.version),
              kind: request.kind.kind,
              resourceVersion,
            });
      return { ok: true, code, result: shown(text, decision.value, request), warnings };
    }
  }
}

function shown(body: string, { shownAs }: RequestDecision, { kind }: MutationRequest): Result {
  if (shownAs === undefined) return { as: "object", body };
  return { as: "object", body: JSON.stringify(scaleOf(JSON.parse(body) as JsonObject, kind)) };
}

function removedObject(write: Write | undefined): { name: string; uid: string } {
  if (write?.op !== "remove") throw new Error("an answer about a removal that was not decided");
  return { name: write.stored.object.metadata.name, uid: write.stored.uid };
}
