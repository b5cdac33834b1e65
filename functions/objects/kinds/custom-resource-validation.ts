import { type FieldError, invalidValue, requiredValue, unsupportedValue } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { label1035Faults, subdomainFaults } from "../metadata/names.ts";
import { type Definition, type DefinitionVersion, readDefinition } from "./definition.ts";

/** Groups that only definitions reviewed by the Kubernetes project may extend. */
const PROTECTED_GROUP = /(^|\.)(k8s|kubernetes)\.io$/;
const APPROVAL = "api-approved.kubernetes.io";

/**
 * Everything wrong with a CustomResourceDefinition that is about to be stored; empty when it can be established.
 * Follows upstream's validation of `apiextensions.k8s.io/v1`, but for the inside of schemas, which are taken as they are.
 */
export function validateCustomResourceDefinition(crd: JsonObject): FieldError[] {
  const definition = readDefinition(crd);
  return [
    ...nameErrors(definition),
    ...groupErrors(definition),
    ...scopeErrors(definition),
    ...versionErrors(definition),
    ...namesErrors(definition),
    ...approvalErrors(crd, definition),
  ];
}

function nameErrors({ name, group, names }: Definition): FieldError[] {
  if (name === `${names.plural}.${group}`) return [];
  return [invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function groupErrors({ group }: Definition): FieldError[] {
  if (group === "") return [requiredValue("spec.group", "")];
  const faults = subdomainFaults(group);
  if (faults.length > 0) return [invalidValue("spec.group", group, faults.join(","))];
  if (group.includes(".")) return [];
  return [invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors({ scope }: Definition): FieldError[] {
  if (scope === "") return [requiredValue("spec.scope", "")];
  if (scope === "Cluster" || scope === "Namespaced") return [];
  return [unsupportedValue("spec.scope", scope, ["Cluster", "Namespaced"])];
}

function versionErrors({ versions }: Definition): FieldError[] {
  const errors = versions.flatMap((version, i) => [
    ...labelErrors(`spec.versions[${i}].name`, version.name),
    ...(version.schema === undefined
      ? [requiredValue(`spec.versions[${i}].schema.openAPIV3Schema`, "schemas are required")]
      : []),
    ...scaleErrors(`spec.versions[${i}].subresources.scale`, version.subresources.scale),
  ]);
  if (new Set(versions.map((version) => version.name)).size < versions.length) {
    errors.push(invalidVersions(versions, "must contain unique version names"));
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalidVersions(versions, "must have exactly one version marked as storage version"));
  }
  return errors;
}

/** Schemas are left out of the printed value: they would fill the message. */
function invalidVersions(versions: readonly DefinitionVersion[], detail: string): FieldError {
  const printed = versions.map(({ name, served, storage }) => ({ name, served, storage }));
  return {
    field: "spec.versions",
    type: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(printed)}: ${detail}`,
  };
}

function scaleErrors(field: string, scale: Json | undefined): FieldError[] {
  if (!isJsonObject(scale)) return [];
  return [
    ...replicasPathErrors(`${field}.specReplicasPath`, scale.specReplicasPath, ".spec"),
    ...replicasPathErrors(`${field}.statusReplicasPath`, scale.statusReplicasPath, ".status"),
  ];
}

function replicasPathErrors(field: string, path: Json | undefined, root: string): FieldError[] {
  if (typeof path !== "string" || path === "") return [requiredValue(field, "")];
  if (path.startsWith(`${root}.`)) return [];
  return [invalidValue(field, path, `should be a json path under ${root}`)];
}

function namesErrors({ names }: Definition): FieldError[] {
  const field = "spec.names";
  return [
    ...(names.plural === ""
      ? [requiredValue(`${field}.plural`, "")]
      : labelErrors(`${field}.plural`, names.plural)),
    ...(names.singular === "" ? [] : labelErrors(`${field}.singular`, names.singular)),
    ...(names.kind === "" ? [requiredValue(`${field}.kind`, "")] : kindErrors(`${field}.kind`, names.kind)),
    ...(names.listKind === "" ? [] : kindErrors(`${field}.listKind`, names.listKind)),
    ...(names.kind !== "" && names.kind === names.listKind
      ? [invalidValue(`${field}.listKind`, names.listKind, "kind and listKind may not be the same")]
      : []),
    ...names.shortNames.flatMap((name, i) => labelErrors(`${field}.shortNames[${i}]`, name)),
    ...names.categories.flatMap((name, i) => labelErrors(`${field}.categories[${i}]`, name)),
  ];
}

function kindErrors(field: string, kind: string): FieldError[] {
  const faults = label1035Faults(kind.toLowerCase());
  if (faults.length === 0) return [];
  return [invalidValue(field, kind, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}

function approvalErrors(crd: JsonObject, { group }: Definition): FieldError[] {
  const metadata = isJsonObject(crd.metadata) ? crd.metadata : {};
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  if (!PROTECTED_GROUP.test(group) || annotations[APPROVAL]) return [];
  return [
    requiredValue(
      `metadata.annotations[${APPROVAL}]`,
      `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`,
    ),
  ];
}

function labelErrors(field: string, value: string): FieldError[] {
  const faults = label1035Faults(value);
  return faults.length === 0 ? [] : [invalidValue(field, value, faults.join(","))];
}
