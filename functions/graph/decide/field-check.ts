import { type Failure, type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { FieldValidation } from "../../objects/metadata/field-validation.ts";

/** Judges the oddities of a body (`unknown field "spec.foo"`): the warnings they are worth, or a refusal. */
export type FieldCheck = (oddities: readonly string[]) => Outcome<string[]>;

/** Warnings of one answer, and characters of each: they travel in headers. */
const MOST_WARNINGS = 20;
const LONGEST_WARNING = 256;
/** Oddities that a refusal names. */
const MOST_NAMED = 100;

/**
 * Source: Kubernetes, "Server-side field validation"; kubernetes `endpoints/handlers/create.go` and `patch.go`.
 * @param refusal what a strict reader answers, given the fault
 */
export function fieldCheck(
  directive: FieldValidation | undefined,
  refusal: (fault: string) => Failure,
): FieldCheck {
  return (oddities) => {
    if (oddities.length === 0) return ok([]);
    switch (directive) {
      case "Strict":
        return refuse(refusal(`strict decoding error: ${oddities.slice(0, MOST_NAMED).join(", ")}`));
      case "Warn":
        return ok(oddities.slice(0, MOST_WARNINGS).map((oddity) => oddity.slice(0, LONGEST_WARNING)));
      default:
        return ok([]);
    }
  };
}
