import { type FieldError, forbiddenValue, invalidValue, requiredValue, tooLong } from "../failure.ts";
import type { Kind } from "../kind.ts";
import type { ObjectMeta } from "../object.ts";
import { validateFinalizers, validateNoNewFinalizers, validateStandardFinalizers } from "./finalizers.ts";
import {
  byteLength,
  generateNameFaults,
  labelFaults,
  labelValueFaults,
  type NameSyntax,
  nameFaults,
  qualifiedNameFaults,
} from "./names.ts";
import { validateOwnerReferences } from "./owner-references.ts";

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/**
 * What is wrong with the metadata of an object that is to be created, in upstream's order. The metadata has been
 * prepared: a name that was asked for has been generated, and the namespace filled.
 *
 * Source: k8s.io/apimachinery `api/validation` (ValidateObjectMeta), kubernetes `apis/core/validation`.
 */
export function validateMetadata(meta: ObjectMeta, kind: Kind): FieldError[] {
  const errors = validateFields(meta, kind, kind.traits.nameSyntax);
  if (namesFinalizers(kind)) errors.push(...validateStandardFinalizers(meta.finalizers ?? []));
  return errors;
}

/** Definitions are validated as their objects are: the finalizer they all carry is not a qualified name. */
const namesFinalizers = (kind: Kind): boolean => !kind.traits.custom && kind.group !== "apiextensions.k8s.io";

/**
 * What is wrong with the metadata of an update. `next` has been prepared, so what the server owns is already restored.
 * The answer is complete: `validateMetadata` is not asked besides.
 *
 * Some faults come two to four times. The API server checks metadata for every kind, and most built-in kinds
 * check it again in their own rules; the causes of an Invalid answer list both, its message names each fault once.
 * The order is that of ConfigMap.
 *
 * Source: kubernetes `registry/rest/update.go` (BeforeUpdate) and `apis/core/validation` (ValidateConfigMapUpdate).
 */
export function validateMetadataUpdate(next: ObjectMeta, stored: ObjectMeta, kind: Kind): FieldError[] {
  const changes = validateChanges(next, stored);
  const errors = [...validateFields(next, kind, "path-segment"), ...changes, ...changes];
  if (!namesFinalizers(kind)) return errors;
  return [...errors, ...validateStandardFinalizers(next.finalizers ?? []), ...validateMetadata(next, kind)];
}

function validateFields(meta: ObjectMeta, kind: Kind, syntax: NameSyntax): FieldError[] {
  return [
    ...validateName(meta, syntax),
    ...validateNamespace(meta, kind),
    ...((meta.generation ?? 0) < 0
      ? [invalidValue("metadata.generation", meta.generation, "must be greater than or equal to 0")]
      : []),
    ...validateLabels(meta.labels ?? {}),
    ...validateAnnotations(meta.annotations ?? {}),
    ...validateOwnerReferences(meta.ownerReferences ?? []),
    ...validateFinalizers(meta.finalizers ?? []),
  ];
}

function validateName({ name, generateName = "" }: ObjectMeta, syntax: NameSyntax): FieldError[] {
  const errors: FieldError[] = [];
  if (generateName !== "") {
    const faults = generateNameFaults(generateName, syntax);
    errors.push(...faults.map((fault) => invalidValue("metadata.generateName", generateName, fault)));
  }
  if (name === "") return [...errors, requiredValue("metadata.name", "name or generateName is required")];
  return [...errors, ...nameFaults(name, syntax).map((fault) => invalidValue("metadata.name", name, fault))];
}

function validateNamespace({ namespace = "" }: ObjectMeta, kind: Kind): FieldError[] {
  const field = "metadata.namespace";
  if (!kind.namespaced) return namespace === "" ? [] : [forbiddenValue(field, "not allowed on this type")];
  if (namespace === "") return [requiredValue(field, "")];
  return labelFaults(namespace).map((fault) => invalidValue(field, namespace, fault));
}

/** Also of the labels in a selector or a template: `field` says where they are. */
function validateLabels(labels: Readonly<Record<string, string>>, field = "metadata.labels"): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalidValue(field, key, fault)),
    ...labelValueFaults(value).map((fault) => invalidValue(field, value, fault)),
  ]);
}

/** Keys are qualified names in which case does not count; keys and values together are at most 256 KiB. */
function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const field = "metadata.annotations";
  const entries = Object.entries(annotations);
  const errors = entries.flatMap(([key]) =>
    qualifiedNameFaults(key.toLowerCase()).map((fault) => invalidValue(field, key, fault)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > MAX_ANNOTATIONS_BYTES) errors.push(tooLong(field, MAX_ANNOTATIONS_BYTES));
  return errors;
}

/** Source: k8s.io/apimachinery `api/validation` (ValidateObjectMetaUpdate). */
function validateChanges(next: ObjectMeta, stored: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (stored.deletionTimestamp !== undefined) {
    errors.push(...validateNoNewFinalizers(next.finalizers ?? [], stored.finalizers ?? []));
  }
  for (const field of ["name", "namespace", "uid"] as const) {
    if ((next[field] ?? "") !== (stored[field] ?? "")) errors.push(immutable(field, next[field] ?? ""));
  }
  for (const field of ["creationTimestamp", "deletionTimestamp"] as const) {
    if (next[field] !== stored[field]) errors.push(immutable(field, printedTime(next[field])));
  }
  if (next.deletionGracePeriodSeconds !== stored.deletionGracePeriodSeconds) {
    errors.push(immutable("deletionGracePeriodSeconds", next.deletionGracePeriodSeconds ?? "null"));
  }
  return [
    ...errors,
    ...validateLabels(next.labels ?? {}),
    ...validateAnnotations(next.annotations ?? {}),
    ...validateOwnerReferences(next.ownerReferences ?? []),
  ];
}

const immutable = (field: keyof ObjectMeta, value: unknown): FieldError =>
  invalidValue(`metadata.${field}`, value, "field is immutable");

/** As Go prints a time, without quotes: `2020-01-01 00:00:00 +0000 UTC`. */
function printedTime(time: string | undefined): unknown {
  if (time === undefined) return "null";
  const text = `${time.slice(0, 10)} ${time.slice(11, 19)} +0000 UTC`;
  return { toString: () => text };
}
