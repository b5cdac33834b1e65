import { type FieldError, forbiddenValue, invalidValue } from "../failure.ts";
import { qualifiedNameFaults } from "./names.ts";

/** The collector releases the dependents and then takes this off. */
export const FINALIZER_ORPHAN = "orphan";
/** The collector waits for the blocking dependents to go and then takes this off. */
export const FINALIZER_FOREGROUND = "foregroundDeletion";

/** The names without a domain that a built-in kind accepts. */
const STANDARD: readonly string[] = ["kubernetes", FINALIZER_ORPHAN, FINALIZER_FOREGROUND];

const FIELD = "metadata.finalizers";

/**
 * The rule for every kind: qualified names, and not both of the collector's.
 *
 * Source: k8s.io/apimachinery `api/validation` (ValidateFinalizers).
 */
export function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const errors = finalizers.flatMap((name) =>
    qualifiedNameFaults(name).map((fault) => invalidValue(FIELD, name, fault)),
  );
  if (finalizers.includes(FINALIZER_ORPHAN) && finalizers.includes(FINALIZER_FOREGROUND)) {
    const detail = `finalizer ${FINALIZER_ORPHAN} and ${FINALIZER_FOREGROUND} cannot be both set`;
    errors.push(invalidValue(FIELD, finalizers, detail));
  }
  return errors;
}

/**
 * The rule for built-in kinds only: a name without a domain must be a standard one.
 *
 * Source: kubernetes `apis/core/validation` (validateKubeFinalizerName).
 */
export function validateStandardFinalizers(finalizers: readonly string[]): FieldError[] {
  return finalizers.flatMap((name, i) =>
    isStandardOrQualified(name)
      ? []
      : [
          invalidValue(
            `${FIELD}[${i}]`,
            name,
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ],
  );
}

/**
 * The texts of Warning headers for a custom resource, which may use a name without a domain.
 *
 * Source: apiextensions-apiserver `registry/customresource` (WarningsOnCreate), newer than 1.20, where it is silent.
 */
export function unqualifiedFinalizerWarnings(finalizers: readonly string[]): string[] {
  return finalizers
    .filter((name) => !isStandardOrQualified(name))
    .map(
      (name) =>
        `${FIELD}: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

const isStandardOrQualified = (name: string): boolean => name.includes("/") || STANDARD.includes(name);

/**
 * On a terminating object finalizers may be taken off, repeated and reordered, but none may be added: the lists are
 * compared as sets. A DELETE is exempt.
 */
export function validateNoNewFinalizers(next: readonly string[], stored: readonly string[]): FieldError[] {
  const before = new Set(stored);
  const added = [...new Set(next)].filter((name) => !before.has(name)).sort();
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(", ");
  return [
    forbiddenValue(
      FIELD,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}
