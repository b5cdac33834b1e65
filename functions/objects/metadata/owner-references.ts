import { type FieldError, invalidValue } from "../failure.ts";
import type { OwnerReference } from "../object.ts";

const FIELD = "metadata.ownerReferences";

/**
 * What is wrong with a list of owner references, in upstream's order. Whether an owner exists is not asked here: a
 * reference to nothing is accepted, and the collector acts on it.
 *
 * Source: k8s.io/apimachinery `api/validation` (ValidateOwnerReferences), with the texts of Kubernetes 1.20.
 */
export function validateOwnerReferences(references: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: OwnerReference | undefined;
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference));
    if (reference.controller !== true) continue;
    if (controller === undefined) {
      controller = reference;
      continue;
    }
    const value = `[]v1.OwnerReference{${references.map(printed).join(", ")}}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller.name} and ${reference.name}`;
    errors.push(invalidPrinted(FIELD, value, detail));
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference): FieldError[] {
  const errors: FieldError[] = [];
  const { group, version } = groupVersion(reference.apiVersion);
  if (version === "") {
    errors.push(invalidValue(`${FIELD}.apiVersion`, reference.apiVersion, "version must not be empty"));
  }
  for (const field of ["kind", "name", "uid"] as const) {
    if (reference[field] === "") {
      errors.push(invalidValue(`${FIELD}.${field}`, "", `${field} must not be empty`));
    }
  }
  if (group === "" && version === "v1" && reference.kind === "Event") {
    const detail = "/v1, Kind=Event is disallowed from being an owner";
    errors.push(invalidPrinted(FIELD, printed(reference), detail));
  }
  return errors;
}

/** As upstream reads an apiVersion: one that does not parse has no version, and `/v1` is the core group. */
function groupVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return { group: "", version: "" };
  return { group: parts.length === 2 ? (parts[0] ?? "") : "", version: parts.at(-1) ?? "" };
}

const invalidPrinted = (field: string, value: string, detail: string): FieldError => ({
  field,
  type: "FieldValueInvalid",
  message: `Invalid value: ${value}: ${detail}`,
});

/** As Go's `%#v` prints the structure. A flag that is set prints as an address there; ours stands for any. */
function printed(reference: OwnerReference): string {
  const flag = (value: boolean | undefined) => (value === undefined ? "nil" : "0xc000000000");
  const text = (value: string) => JSON.stringify(value);
  return `v1.OwnerReference{APIVersion:${text(reference.apiVersion)}, Kind:${text(reference.kind)}, Name:${text(reference.name)}, UID:${text(reference.uid)}, Controller:(*bool)(${flag(reference.controller)}), BlockOwnerDeletion:(*bool)(${flag(reference.blockOwnerDeletion)})}`;
}

/**
 * Keeps the first of references that are equal in every field; one that differs in a flag, or lacks it, is another
 * reference. `duplicates` names the uid of each one left out, in order.
 */
export function withoutDuplicates(references: readonly OwnerReference[]): {
  refs: OwnerReference[];
  duplicates: string[];
} {
  const seen = new Set<string>();
  const refs: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    const { apiVersion, kind, name, uid, controller = null, blockOwnerDeletion = null } = reference;
    const identity = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (seen.has(identity)) duplicates.push(uid);
    else refs.push(reference);
    seen.add(identity);
  }
  return { refs, duplicates };
}

/** The text of the Warning header; the caller adds the code. */
export function duplicatesWarning(duplicates: readonly string[]): string {
  return `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`;
}
