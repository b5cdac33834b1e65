import { type FieldError, unsupportedValue } from "../failure.ts";

/** What becomes of a request whose body has fields that are unknown, or come twice. */
export type FieldValidation = "Ignore" | "Strict" | "Warn";

const DIRECTIVES: readonly FieldValidation[] = ["Ignore", "Strict", "Warn"];

/** The parameter `fieldValidation` of a create, update or patch; Warn when it is not given. */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const value = query.get("fieldValidation");
  return DIRECTIVES.find((known) => known === value) ?? "Warn";
}

/** Source: k8s.io/apimachinery `meta/v1/validation` (ValidateFieldValidation). */
export function fieldValidationFaults(query: URLSearchParams): FieldError[] {
  const value = query.get("fieldValidation") ?? "";
  if (value === "" || DIRECTIVES.some((known) => known === value)) return [];
  return [unsupportedValue("fieldValidation", value, ["", ...DIRECTIVES])];
}
