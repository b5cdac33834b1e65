import { METADATA } from "../decode/object-types.ts";
import { readTyped } from "../decode/typed-fields.ts";
import { type FieldError, requiredValue } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type Kind, parseApiVersion } from "../kind.ts";
import { validateMetadata } from "../metadata/metadata.ts";
import { label1035Faults } from "../metadata/names.ts";
import { groupResource, type ObjectMeta } from "../object.ts";
import { invalid } from "./faults.ts";
import type { Schema } from "./schema.ts";

/** Nobody knows what kind an embedded object is of: its name may be anything that fits into a path. */
const ANY_KIND: Kind = {
  group: "",
  versions: [],
  kind: "",
  resource: "",
  singular: "",
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: [],
  subresources: [],
  storedAs: groupResource("", ""),
  traits: {
    returnsDeletedObject: false,
    deletion: "ordinary",
    orphansByDefaultIn: [],
    countsGenerations: false,
    nameSyntax: "path-segment",
    custom: true,
  },
};

/**
 * What is wrong with objects inside an object (`x-kubernetes-embedded-resource`): each has an apiVersion, a kind and
 * valid metadata. The object itself is not looked at.
 *
 * Source: apiextensions-apiserver `pkg/apiserver/schema/objectmeta/validation.go`.
 */
export function validateEmbeddedResources(value: Json, schema: Schema | undefined, field = ""): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => validateEmbeddedResources(item, schema.items, `${field}[${i}]`));
  }
  if (!isJsonObject(value)) return [];
  return [
    ...(schema.embedded ? validateResource(value, field) : []),
    ...Object.entries(value).flatMap(([name, item]) => {
      const property = schema.properties.get(name);
      if (property)
        return validateEmbeddedResources(item, property, field === "" ? name : `${field}.${name}`);
      return validateEmbeddedResources(item, schema.additional?.schema, `${field}[${name}]`);
    }),
  ];
}

function validateResource({ apiVersion, kind, metadata }: JsonObject, field: string): FieldError[] {
  return [
    ...named(`${field}.apiVersion`, apiVersion, (text) =>
      parseApiVersion(text) ? [] : [`unexpected GroupVersion string: ${text}`],
    ),
    ...named(`${field}.kind`, kind, (text) =>
      label1035Faults(text.toLowerCase()).map(
        (fault) => `may have mixed case, but should otherwise match: ${fault}`,
      ),
    ),
    ...(metadata === undefined ? [] : validateMeta(metadata, field)),
  ];
}

function named(
  field: string,
  value: Json | undefined,
  faults: (text: string) => readonly string[],
): FieldError[] {
  if (value === undefined || value === "") return [requiredValue(field, "")];
  if (typeof value !== "string") return [invalid(field, value, "must be a string")];
  return faults(value).map((fault) => invalid(field, value, fault));
}

function validateMeta(metadata: Json, field: string): FieldError[] {
  const reading = readTyped(metadata, METADATA);
  if ("fault" in reading) return [invalid(`${field}.metadata`, metadata, reading.fault.standard)];
  const meta = (reading.value ?? {}) as unknown as Partial<ObjectMeta>;
  // A name is checked when there is one.
  const named = { ...meta, name: meta.name || "fakename" } as ObjectMeta;
  const errors = validateMetadata(named, { ...ANY_KIND, namespaced: (meta.namespace ?? "") !== "" });
  return errors.map((error) => ({ ...error, field: `${field}.${error.field}` }));
}
