import type { ExpectedKind } from "../../objects/decode/object-types.ts";
import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import { decodeObject, readPatched } from "../../objects/metadata/decode.ts";
import { urlMismatch } from "../../objects/metadata/updates.ts";
import { asJson, asObject, type KubeObject, type Millis } from "../../objects/object.ts";
import { applyPatch } from "../../objects/patch/patch.ts";
import type { Mutation, MutationRequest } from "../request.ts";
import type { StoredObject } from "../stored-object.ts";
import type { Write } from "../write.ts";
import { type Candidate, decideCreate, type NamespaceState } from "./create.ts";
import { decideDelete } from "./delete.ts";
import { IMMORTAL_NAMESPACES } from "./delete-namespace.ts";
import { decideScale } from "./scale.ts";
import { decideUpdate, type UpdateDecision } from "./update.ts";

/** What is to be written for a request, and what the answer says once it is. */
export interface RequestDecision {
  write: Write | undefined;
  code: 200 | 201 | 202;
  /** `written`: the object of the write, with its new resourceVersion. */
  answer: { as: "written" } | { as: "object"; object: KubeObject } | { as: "removed" };
  /** The answer shows this part of the object instead of all of it. */
  shownAs?: "scale";
  warnings: string[];
}

export interface RequestContext {
  namespace: { name: string; state: NamespaceState };
  /** What is stored under the request's key. */
  found: StoredObject | undefined;
  now: Millis;
}

/** Decides one request against what is stored. `candidate` is what a create's body was turned into. */
export function decideRequest(
  request: MutationRequest,
  candidate: Candidate | undefined,
  context: RequestContext,
): Outcome<RequestDecision> {
  const { mutation, kind } = request;
  if (mutation.verb === "create") {
    if (candidate === undefined) throw new Error("a create without a candidate");
    const created = decideCreate(candidate, kind, context.namespace, context.found?.object);
    if (!created.ok) return created;
    return ok({
      write: { op: "create", kind, object: created.value },
      code: 201,
      answer: { as: "written" },
      warnings: candidate.warnings,
    });
  }
  if (context.found === undefined) {
    return refuse({ reason: "NotFound", resource: resourceOf(kind), name: mutation.name });
  }
  return mutation.verb === "delete"
    ? deleteRequest(request, mutation, context.found, context.now)
    : updateRequest(request, mutation, context.found, context);
}

function deleteRequest(
  { kind, version }: MutationRequest,
  { name, options }: Mutation & { verb: "delete" },
  stored: StoredObject,
  now: Millis,
): Outcome<RequestDecision> {
  if (kind.traits.deletion === "namespace" && IMMORTAL_NAMESPACES.has(name)) {
    return refuse({
      reason: "Forbidden",
      resource: resourceOf(kind),
      name,
      message: "this namespace may not be deleted",
    });
  }
  const decided = decideDelete(stored.object, options, { kind, version, now });
  if (!decided.ok) return decided;
  const decision = decided.value;
  const warnings: string[] = [];
  switch (decision.outcome) {
    case "pending":
      return ok({ write: undefined, code: 200, answer: { as: "object", object: stored.object }, warnings });
    case "keep": {
      // The one way to tell by the code that the object is not gone yet.
      const code = options.orphanDependents === false ? 202 : 200;
      return decision.changed
        ? ok({
            write: { op: "update", kind, stored, next: decision.next },
            code,
            answer: { as: "written" },
            warnings,
          })
        : ok({ write: undefined, code, answer: { as: "object", object: stored.object }, warnings });
    }
    case "remove":
      return ok({
        write: { op: "remove", kind, stored, first: decision.first },
        code: 200,
        answer: kind.traits.returnsDeletedObject
          ? { as: "object", object: decision.first ?? stored.object }
          : { as: "removed" },
        warnings,
      });
  }
}

function updateRequest(
  { kind, version }: MutationRequest,
  mutation: Mutation & { verb: "update" | "patch" },
  stored: StoredObject,
  { now }: RequestContext,
): Outcome<RequestDecision> {
  const { subresource } = mutation;
  if (subresource === "scale") return scaleRequest(mutation, stored, kind, now);
  const expected = { group: kind.group, version, kind: kind.kind, custom: kind.traits.custom };
  const sent =
    mutation.verb === "update"
      ? decodeObject(mutation.text, mutation.mediaType, expected)
      : patched(mutation, stored, kind, expected);
  if (!sent.ok) return sent;
  const { name, namespace = "" } = stored.object.metadata;
  const misplaced = urlMismatch(asObject(sent.value).metadata, { name, namespace });
  if (misplaced) return refuse(misplaced);
  const decided = decideUpdate(stored.object, sent.value, { kind, verb: mutation.verb, subresource, now });
  if (!decided.ok) return decided;
  return ok(updateAnswer(decided.value, stored, kind));
}

/** A scale is a view of the object: what is written is the object, what is answered is the view. */
function scaleRequest(
  mutation: Mutation & { verb: "update" | "patch" },
  stored: StoredObject,
  kind: Kind,
  now: Millis,
): Outcome<RequestDecision> {
  const scaled = decideScale(stored.object, mutation, kind);
  if (!scaled.ok) return scaled;
  const decided = decideUpdate(stored.object, scaled.value, {
    kind,
    verb: mutation.verb,
    subresource: undefined,
    now,
  });
  return decided.ok ? ok({ ...updateAnswer(decided.value, stored, kind), shownAs: "scale" }) : decided;
}

function updateAnswer(
  { decision, warnings }: { decision: UpdateDecision; warnings: string[] },
  stored: StoredObject,
  kind: Kind,
): RequestDecision {
  switch (decision.outcome) {
    case "same":
      return { write: undefined, code: 200, answer: { as: "object", object: decision.object }, warnings };
    case "write":
      return {
        write: { op: "update", kind, stored, next: decision.next },
        code: 200,
        answer: { as: "written" },
        warnings,
      };
    case "remove":
      return {
        write: { op: "remove", kind, stored, first: undefined },
        code: 200,
        answer: { as: "object", object: decision.answer },
        warnings,
      };
  }
}

function patched(
  { type, text }: Mutation & { verb: "patch" },
  stored: StoredObject,
  kind: Kind,
  expected: ExpectedKind,
): Outcome<JsonObject> {
  const result = applyPatch(asJson(stored.object), type, text, kind);
  return result.ok ? readPatched(result.value, expected) : result;
}
