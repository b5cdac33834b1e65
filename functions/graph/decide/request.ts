import { trackCreate, type Writer } from "../../objects/apply/track.ts";
import type { ExpectedKind } from "../../objects/decode/object-types.ts";
import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import { type Kind, resourceOf } from "../../objects/kind.ts";
import { knownFields } from "../../objects/kinds/content-fields.ts";
import type { NameClaim } from "../../objects/kinds/names-conflict.ts";
import {
  duplicatesOf,
  type Inspected,
  inspectObject,
  inspectPatched,
  notHandled,
  unfitPatch,
} from "../../objects/metadata/decode.ts";
import { urlMismatch } from "../../objects/metadata/updates.ts";
import { asJson, asObject, type KubeObject, type Millis } from "../../objects/object.ts";
import { applyPatch } from "../../objects/patch/patch.ts";
import type { VersionSchema } from "../../objects/schema/custom-object.ts";
import type { Mutation, MutationRequest } from "../request.ts";
import type { StoredObject } from "../stored-object.ts";
import type { Write } from "../write.ts";
import { appliedTo, applyPermissionFailure, candidateOfApply } from "./apply.ts";
import { completeCandidate } from "./complete-candidate.ts";
import { type Candidate, type CreateContext, decideCreate, type NamespaceState } from "./create.ts";
import { asRead, type CustomRules } from "./custom-object.ts";
import { decideDelete } from "./delete.ts";
import { IMMORTAL_NAMESPACES } from "./delete-namespace.ts";
import { fieldCheck } from "./field-check.ts";
import { decideScale } from "./scale.ts";
import { decideUpdate, type Tracking, type UpdateDecision } from "./update.ts";

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
  /** For an object that an apply makes. */
  creation: CreateContext;
  /** What a custom kind's definition says of the version that is written. */
  schema?: VersionSchema | undefined;
  /** The names that definitions hold. */
  claims?: readonly NameClaim[];
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
    const completed = complete(candidate, request, context);
    if (!completed.ok) return completed;
    const tracked = trackCreate(completed.value.object, writerOf(request, context, undefined));
    return createRequest({ ...completed.value, object: tracked }, kind, context);
  }
  if (context.found === undefined && mutation.verb === "apply") {
    const { name } = mutation;
    const denied = applyPermissionFailure(request, { namespace: context.creation.namespace, name });
    if (denied) return refuse(denied);
    const writer = writerOf(request, context, mutation.subresource);
    const made = candidateOfApply(mutation, writer, context.creation);
    const completed = made.ok ? complete(made.value, request, context) : made;
    return completed.ok ? createRequest(completed.value, kind, context) : completed;
  }
  if (context.found === undefined) {
    return refuse({ reason: "NotFound", resource: resourceOf(kind), name: mutation.name });
  }
  return mutation.verb === "delete"
    ? deleteRequest(request, mutation, context.found, context.now)
    : mutation.verb === "apply"
      ? applyRequest(request, mutation, context.found, context)
      : updateRequest(request, mutation, context.found, context);
}

function createRequest(
  candidate: Candidate,
  kind: Kind,
  { namespace, found }: RequestContext,
): Outcome<RequestDecision> {
  const created = decideCreate(candidate, kind, namespace, found?.object);
  if (!created.ok) return created;
  return ok({
    write: { op: "create", kind, object: created.value },
    code: 201,
    answer: { as: "written" },
    warnings: candidate.warnings,
  });
}

const complete = (
  candidate: Candidate,
  request: MutationRequest,
  { claims = [], now, schema }: RequestContext,
): Outcome<Candidate> => {
  const check = fieldCheck(request.fieldValidation, (fault) => notHandled({}, expectedOf(request), fault));
  return completeCandidate(candidate, request.kind, { schema, check }, { claims, now });
};

const expectedOf = ({ kind, version }: MutationRequest): ExpectedKind => ({
  group: kind.group,
  version,
  kind: kind.kind,
  custom: kind.traits.custom,
  fields: knownFields(kind),
});

const writerOf = (
  { manager = "", kind }: MutationRequest,
  { now, schema }: RequestContext,
  subresource: Writer["subresource"],
): Writer => ({ manager, kind, subresource, schema: declared(schema), now });

/** What says how fields are owned; where anything may stand, nothing does. */
const declared = (schema: VersionSchema | undefined): JsonObject | undefined =>
  schema?.preservesUnknown ? undefined : schema?.json;

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
  request: MutationRequest,
  mutation: Mutation & { verb: "update" | "patch" },
  stored: StoredObject,
  context: RequestContext,
): Outcome<RequestDecision> {
  const { kind } = request;
  const { subresource } = mutation;
  if (subresource === "scale") return scaleRequest(request, mutation, stored, context);
  const expected = expectedOf(request);
  const sent =
    mutation.verb === "update"
      ? inspectObject(mutation.text, mutation.mediaType, expected)
      : patched(mutation, asRead(stored.object, context.schema), kind, expected);
  if (!sent.ok) return sent;
  const { object, oddities } = sent.value;
  const { name, namespace = "" } = stored.object.metadata;
  const misplaced = urlMismatch(asObject(object).metadata, { name, namespace });
  if (misplaced) return refuse(misplaced);
  const check = fieldCheck(request.fieldValidation, (fault) =>
    mutation.verb === "patch" ? unfitPatch(JSON.stringify(object), fault) : notHandled({}, expected, fault),
  );
  const decided = decideUpdate(stored.object, object, {
    kind,
    verb: mutation.verb,
    subresource,
    now: context.now,
    tracking: trackingOf(request, context, subresource),
    rules: { schema: context.schema, check },
    oddities,
    ...(context.claims ? { claims: context.claims } : {}),
  });
  if (!decided.ok) return decided;
  return ok(updateAnswer(decided.value, stored, kind));
}

const trackingOf = (
  { manager = "" }: MutationRequest,
  { schema }: RequestContext,
  through: Tracking["through"],
): Tracking => ({ manager, through, schema: declared(schema) });

/** Of writes whose body is no object of the kind: nothing in it is odd. */
const rulesOf = ({ schema }: RequestContext): CustomRules => ({ schema, check: () => ok([]) });

function applyRequest(
  request: MutationRequest,
  mutation: Mutation & { verb: "apply" },
  stored: StoredObject,
  context: RequestContext,
): Outcome<RequestDecision> {
  const { kind, version } = request;
  const { subresource } = mutation;
  const applied = appliedTo(stored.object, mutation, version, writerOf(request, context, subresource));
  if (!applied.ok) return applied;
  const { object, ownerships } = applied.value;
  const isScale = subresource === "scale";
  const decided = decideUpdate(stored.object, object, {
    kind,
    verb: "patch",
    subresource: isScale ? undefined : subresource,
    now: context.now,
    tracking: { ...trackingOf(request, context, subresource), applied: ownerships },
    rules: rulesOf(context),
    ...(context.claims ? { claims: context.claims } : {}),
  });
  if (!decided.ok) return decided;
  const answer = updateAnswer(decided.value, stored, kind);
  return ok(isScale ? { ...answer, shownAs: "scale" } : answer);
}

/** A scale is a view of the object: what is written is the object, what is answered is the view. */
function scaleRequest(
  request: MutationRequest,
  mutation: Mutation & { verb: "update" | "patch" },
  stored: StoredObject,
  context: RequestContext,
): Outcome<RequestDecision> {
  const { kind } = request;
  const scaled = decideScale(stored.object, mutation, kind);
  if (!scaled.ok) return scaled;
  const decided = decideUpdate(stored.object, scaled.value, {
    kind,
    verb: mutation.verb,
    subresource: undefined,
    now: context.now,
    tracking: trackingOf(request, context, "scale"),
    rules: rulesOf(context),
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
  stored: KubeObject,
  kind: Kind,
  expected: ExpectedKind,
): Outcome<Inspected> {
  const result = applyPatch(asJson(stored), type, text, kind);
  if (!result.ok) return result;
  const inspected = inspectPatched(result.value, expected);
  if (!inspected.ok) return inspected;
  const { object, oddities } = inspected.value;
  return ok({ object, oddities: [...duplicatesOf(text), ...oddities] });
}
