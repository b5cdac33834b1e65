import type { Cause, Failure, FieldError } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import type { GroupResource } from "../objects/object.ts";

/** A Kubernetes `Status`, with the HTTP code it is sent under. */
export interface StatusAnswer {
  code: number;
  retryAfterSeconds?: number;
  status: JsonObject;
}

interface Details {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: Cause[];
  retryAfterSeconds?: number;
}

/** Source: k8s.io/apimachinery `api/errors/errors.go`, NewGenerateNameConflict. */
const NO_UNIQUE_NAME = "the server was not able to generate a unique name for the object";
const GENERATE_NAME_RETRY = 1;

/**
 * The one place where a refusal becomes a `Status`: code, reason, message and details in upstream's words.
 * Source: k8s.io/apimachinery `api/errors/errors.go`.
 */
export function failureStatus(failure: Failure): StatusAnswer {
  switch (failure.reason) {
    case "BadRequest":
      return answer(400, "BadRequest", failure.message);
    case "Unauthorized":
      return answer(401, "Unauthorized", "Unauthorized");
    case "Forbidden": {
      const { resource, name, message, causes } = failure;
      const what = name === "" ? resource : `${resource} ${JSON.stringify(name)}`;
      return answer(403, "Forbidden", `${what} is forbidden: ${message}`, {
        ...detailsOf(resource, name),
        ...(causes ? { causes } : {}),
      });
    }
    case "NotFound":
      return answer(
        404,
        "NotFound",
        `${failure.resource} ${JSON.stringify(failure.name)} not found`,
        detailsOf(failure.resource, failure.name),
      );
    case "NoSuchResource":
      return answer(404, "NotFound", "the server could not find the requested resource", {});
    case "MethodNotAllowed":
      return answer(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        {},
      );
    case "NotAcceptable":
      return answer(
        406,
        "NotAcceptable",
        `only the following media types are accepted: ${failure.accepted.join(", ")}`,
      );
    case "AlreadyExists": {
      const { resource, name, terminating, generated } = failure;
      const retryAfterSeconds = generated ? GENERATE_NAME_RETRY : failure.retryAfterSeconds;
      const taken = `${terminating ? "object is being deleted: " : ""}${resource} ${JSON.stringify(name)} already exists`;
      const message = generated ? `${taken}, ${NO_UNIQUE_NAME}` : taken;
      return answer(409, "AlreadyExists", message, {
        ...detailsOf(resource, name),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
    case "Conflict":
      return answer(409, "Conflict", failure.message, detailsOf(failure.subject, failure.name));
    case "ApplyConflict":
      return answer(409, "Conflict", failure.message, { causes: failure.causes });
    case "Expired":
      return answer(410, "Expired", failure.message);
    case "RequestEntityTooLarge":
      return answer(413, "RequestEntityTooLarge", failure.message);
    case "UnsupportedMediaType":
      return failure.message.startsWith("415")
        ? answer(415, "UnsupportedMediaType", failure.message, {})
        : answer(415, "UnsupportedMediaType", failure.message);
    case "Invalid":
      return invalid(failure);
    case "UnprocessablePatch":
      return answer(422, "Invalid", "the server rejected our request due to an error in our request", {});
    case "ServiceUnavailable":
      return answer(503, failure.reason, failure.message, { retryAfterSeconds: failure.retryAfterSeconds });
    case "TooManyRequests":
      return answer(429, "TooManyRequests", failure.message, {
        retryAfterSeconds: failure.retryAfterSeconds,
      });
    case "Timeout": {
      const { message, causes, retryAfterSeconds } = failure;
      return answer(504, "Timeout", message, { ...(causes ? { causes } : {}), retryAfterSeconds });
    }
    case "Unknown":
      return answer(500, undefined, failure.message);
    case "InternalError":
      return answer(500, "InternalError", `Internal error occurred: ${failure.message}`, {
        causes: [{ reason: "", message: failure.message }],
      });
  }
}

/** What a removal answers for an ordinary kind. */
export function removedStatus(name: string, group: string, resource: string, uid: string): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group === "" ? {} : { group }), kind: resource, uid },
  };
}

function answer(code: number, reason: string | undefined, message: string, details?: Details): StatusAnswer {
  const retry = details?.retryAfterSeconds;
  return {
    code,
    ...(retry === undefined ? {} : { retryAfterSeconds: retry }),
    status: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details: details as JsonObject }),
      code,
    },
  };
}

/** `replicasets.apps` → kind `replicasets`, group `apps`. A field that is empty is left out. */
function detailsOf(resource: GroupResource, name: string): Details {
  const dot = resource.indexOf(".");
  const kind = dot < 0 ? resource : resource.slice(0, dot);
  return {
    ...(name === "" ? {} : { name }),
    ...(dot < 0 ? {} : { group: resource.slice(dot + 1) }),
    kind,
  };
}

function invalid({ group, kind, name, errors }: Failure & { reason: "Invalid" }): StatusAnswer {
  const subject = group === "" ? kind : `${kind}.${group}`;
  // A fault that two rules found is told once in the message and twice in the causes, as upstream does.
  const told = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const list = told.length === 1 ? told[0] : `[${told.join(", ")}]`;
  return answer(422, "Invalid", `${subject} ${JSON.stringify(name)} is invalid: ${list}`, {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    kind,
    causes: errors.map(causeOf),
  });
}

const causeOf = ({ type, message, field }: FieldError): Cause => ({ reason: type, message, field });
