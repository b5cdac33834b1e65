import { type FieldError, invalidValue, requiredValue, unsupportedValue } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../json.ts";
import { label1035Faults, subdomainFaults } from "../metadata/names.ts";
import { validateSchemaOfVersion } from "../schema/definition/schema-of-version.ts";
import {
  type Definition,
  type DefinitionVersion,
  isEstablished,
  object,
  readDefinition,
  text,
  texts,
} from "./definition.ts";

/** Groups that only definitions reviewed by the Kubernetes project may extend. */
const PROTECTED_GROUP = /(^|\.)(k8s|kubernetes)\.io$/;
const APPROVAL = "api-approved.kubernetes.io";

/**
 * Everything wrong with a CustomResourceDefinition that is about to be stored; empty when it can be established.
 * `stored` is what it replaces: schemas that it had already are not looked at again, and what its objects depend on may
 * not change.
 *
 * Source: apiextensions-apiserver `pkg/apis/apiextensions/validation`.
 */
export function validateCustomResourceDefinition(crd: JsonObject, stored?: JsonObject): FieldError[] {
  const definition = readDefinition(crd);
  const before = stored && readDefinition(stored);
  return [
    ...nameErrors(definition),
    ...groupErrors(definition),
    ...scopeErrors(definition),
    ...versionErrors(definition, before),
    ...namesErrors(definition),
    ...conversionErrors(crd),
    ...(stored && before ? changeErrors(crd, definition, stored, before) : []),
    ...approvalErrors(crd, definition),
    ...pruningErrors(definition, before),
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

function versionErrors({ versions }: Definition, before: Definition | undefined): FieldError[] {
  const errors = versions.flatMap((version, i) => [
    ...labelErrors(`spec.versions[${i}].name`, version.name),
    ...schemaErrors(`spec.versions[${i}].schema.openAPIV3Schema`, version, before),
    ...scaleErrors(`spec.versions[${i}].subresources.scale`, version.subresources.scale),
    ...columnErrors(`spec.versions[${i}].additionalPrinterColumns`, version.columns),
  ]);
  if (new Set(versions.map((version) => version.name)).size < versions.length) {
    errors.push(invalidVersions(versions, "must contain unique version names"));
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalidVersions(versions, "must have exactly one version marked as storage version"));
  }
  return errors;
}

function schemaErrors(
  field: string,
  version: DefinitionVersion,
  before: Definition | undefined,
): FieldError[] {
  const { name, schema, subresources } = version;
  if (schema === undefined) return [requiredValue(field, "schemas are required")];
  const hasStatus = isJsonObject(subresources.status);
  const known = before?.versions.find((other) => other.name === name);
  if (known && jsonEqual(known.schema, schema) && isJsonObject(known.subresources.status) === hasStatus)
    return [];
  return validateSchemaOfVersion(schema, field, { hasStatus });
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnErrors(field: string, columns: readonly JsonObject[]): FieldError[] {
  return columns.flatMap((column, i) => {
    const [name, type, format, path] = [column.name, column.type, column.format, column.jsonPath].map(text);
    const at = `${field}[${i}]`;
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    return [
      ...(name ? [] : [requiredValue(`${at}.name`, "")]),
      ...(type ? [] : [requiredValue(`${at}.type`, types)]),
      ...(type && !COLUMN_TYPES.includes(type) ? [invalidValue(`${at}.type`, type, types)] : []),
      ...(format && !COLUMN_FORMATS.includes(format)
        ? [invalidValue(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`)]
        : []),
      ...(path ? [] : [requiredValue(`${at}.jsonPath`, "")]),
      ...(path && !path.startsWith(".")
        ? [invalidValue(`${at}.jsonPath`, path, "must be a simple json path starting with .")]
        : []),
    ];
  });
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

const STRATEGIES = ["None", "Webhook"];

function conversionErrors(crd: JsonObject): FieldError[] {
  const { conversion } = object(crd.spec);
  if (conversion === undefined) return [];
  const field = "spec.conversion.strategy";
  const strategy = text(object(conversion).strategy);
  if (strategy === "") return [requiredValue(field, "")];
  return STRATEGIES.includes(strategy) ? [] : [unsupportedValue(field, strategy, STRATEGIES)];
}

/** What is kept depends on the group, the plural and, once it is served, on the kind and the scope. */
function changeErrors(
  crd: JsonObject,
  definition: Definition,
  stored: JsonObject,
  before: Definition,
): FieldError[] {
  const served = isEstablished(stored);
  const fixed: [string, string, string][] = [
    ...(served
      ? ([
          ["spec.scope", definition.scope, before.scope],
          ["spec.names.kind", definition.names.kind, before.names.kind],
        ] satisfies [string, string, string][])
      : []),
    ["spec.group", definition.group, before.group],
    ["spec.names.plural", definition.names.plural, before.names.plural],
  ];
  const versions = definition.versions.map((version) => version.name);
  return [
    ...fixed
      .filter(([, next, known]) => next !== known)
      .map(([field, next]) => invalidValue(field, next, "field is immutable")),
    ...texts(object(crd.status).storedVersions).flatMap((version, i) =>
      versions.includes(version)
        ? []
        : [invalidValue(`status.storedVersions[${i}]`, version, missingVersion(version))],
    ),
  ];
}

const missingVersion = (version: string): string =>
  `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;

function pruningErrors({ preservesUnknown }: Definition, before: Definition | undefined): FieldError[] {
  if (!preservesUnknown || before?.preservesUnknown) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalidValue("spec.preserveUnknownFields", true, detail)];
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
