import type { GroupResource } from "./object.ts";

/**
 * Why a request was refused. Expected outcomes travel as values of this union, through RPC too, and become a
 * Kubernetes `Status` in one place (`api/status.ts`); exceptions are for faults.
 */
export type Failure =
  | { reason: "BadRequest"; message: string }
  | { reason: "Unauthorized" }
  | { reason: "Forbidden"; resource: GroupResource; name: string; message: string; causes?: Cause[] }
  | { reason: "NotFound"; resource: GroupResource; name: string }
  /** The path names no resource that is served. */
  | { reason: "NoSuchResource" }
  | { reason: "MethodNotAllowed" }
  | { reason: "NotAcceptable"; accepted: readonly string[] }
  | {
      reason: "AlreadyExists";
      resource: GroupResource;
      name: string;
      terminating: boolean;
      /** The server made the name up, of a `generateName`: another one may be free. */
      generated?: true;
      retryAfterSeconds?: number;
    }
  /** `subject` is the plural for a lost update, the Kind for a failed delete precondition, as upstream has it. */
  | { reason: "Conflict"; subject: GroupResource; name: string; message: string }
  /** An apply would change fields of other owners; each cause names one. */
  | { reason: "ApplyConflict"; message: string; causes: Cause[] }
  | { reason: "Expired"; message: string }
  | { reason: "RequestEntityTooLarge"; message: string }
  | { reason: "UnsupportedMediaType"; message: string }
  | { reason: "Invalid"; group: string; kind: string; name: string; errors: FieldError[] }
  /** The patch itself cannot be applied: upstream says so without naming a field. */
  | { reason: "UnprocessablePatch" }
  | { reason: "ServiceUnavailable"; message: string; retryAfterSeconds: number }
  | { reason: "TooManyRequests"; message: string; retryAfterSeconds: number }
  | { reason: "Timeout"; message: string; causes?: Cause[]; retryAfterSeconds: number }
  /** What upstream answers with 500 and no reason, such as a resourceVersion on create. */
  | { reason: "Unknown"; message: string }
  | { reason: "InternalError"; message: string };

export interface Cause {
  reason: string;
  message: string;
  field?: string;
}

/** One fault of one field, in upstream's words: they become `details.causes` and the Status message. */
export interface FieldError {
  field: string;
  type:
    | "FieldValueInvalid"
    | "FieldValueRequired"
    | "FieldValueForbidden"
    | "FieldValueNotSupported"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueDuplicate"
    | "FieldValueTypeInvalid";
  /** Without the field's name: `Invalid value: "x": must be …`. */
  message: string;
}

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  type: "FieldValueInvalid",
  message: `Invalid value: ${printed(value)}: ${detail}`,
});

export const requiredValue = (field: string, detail: string): FieldError => ({
  field,
  type: "FieldValueRequired",
  message: `Required value${detail === "" ? "" : `: ${detail}`}`,
});

export const forbiddenValue = (field: string, detail: string): FieldError => ({
  field,
  type: "FieldValueForbidden",
  message: `Forbidden: ${detail}`,
});

export const unsupportedValue = (
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  field,
  type: "FieldValueNotSupported",
  message: `Unsupported value: ${printed(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(", ")}`,
});

export const tooLong = (field: string, limit: number): FieldError => ({
  field,
  type: "FieldValueTooLong",
  message: `Too long: must have at most ${limit} bytes`,
});

/** As Go's `%v` of a field error prints it: strings quoted, lists of strings as `[]string{"a", "b"}`. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[]string{${value.map((item) => JSON.stringify(item)).join(", ")}}`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure };
export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const refuse = (failure: Failure): { ok: false; failure: Failure } => ({ ok: false, failure });
