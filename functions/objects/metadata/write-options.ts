import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  type Outcome,
  ok,
  refuse,
  requiredValue,
  tooLong,
} from "../failure.ts";
import { dryRunFaults, invalidOptions } from "./delete-options.ts";
import { fieldValidationFaults } from "./field-validation.ts";
import { byteLength } from "./names.ts";

/** What a create, an update or a patch may say in its query. */
export interface WriteOptions {
  dryRun: boolean;
  /** Of an apply: takes over fields of other owners. */
  force: boolean;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "ApplyOptions";

/**
 * The options of a write; those of an apply are PatchOptions that must name a `fieldManager`.
 *
 * Error: Invalid on the options, with all faults.
 *
 * Source: k8s.io/apimachinery `meta/v1/validation` (ValidatePatchOptions and its like).
 */
export function decodeWriteOptions(query: URLSearchParams, options: OptionsKind): Outcome<WriteOptions> {
  const manager = query.get("fieldManager") ?? "";
  const force = query.get("force");
  const dryRun = query.getAll("dryRun");
  const errors: FieldError[] = [];
  if (options === "PatchOptions" && force !== null) {
    errors.push(forbiddenValue("force", "may not be specified for non-apply patch"));
  }
  if (options === "ApplyOptions" && manager === "") {
    errors.push(requiredValue("fieldManager", "is required for apply patch"));
  }
  errors.push(...managerFaults(manager), ...dryRunFaults(dryRun), ...fieldValidationFaults(query));
  if (errors.length > 0) {
    return refuse(invalidOptions(options === "ApplyOptions" ? "PatchOptions" : options, errors));
  }
  return ok({
    dryRun: dryRun.length > 0,
    force: force !== null && force !== "0" && force.toLowerCase() !== "false",
  });
}

const MAX_MANAGER_BYTES = 128;
/** Go's `unicode.IsPrint`. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function managerFaults(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (byteLength(manager) > MAX_MANAGER_BYTES) errors.push(tooLong("fieldManager", MAX_MANAGER_BYTES));
  let position = 0;
  for (const character of manager) {
    if (!PRINTABLE.test(character)) {
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
      errors.push(
        invalidValue("fieldManager", manager, `invalid character U+${code} (at position ${position})`),
      );
    }
    position += byteLength(character);
  }
  return errors;
}

/**
 * Who owns what a request changes: its `fieldManager`, or else the program that its User-Agent begins with.
 * Source: kubernetes `endpoints/handlers/create.go` (managerOrUserAgent, prefixFromUserAgent).
 */
export function managerOf(query: URLSearchParams, userAgent: string | null): string {
  const named = query.get("fieldManager") ?? "";
  if (named !== "") return named;
  let manager = "";
  for (const character of userAgent?.split("/", 1)[0] ?? "") {
    if (!PRINTABLE.test(character)) continue;
    if (byteLength(manager) + byteLength(character) > MAX_MANAGER_BYTES) break;
    manager += character;
  }
  return manager;
}
