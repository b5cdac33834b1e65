import { isJsonObject, type Json, type JsonObject } from "../json.ts";

/** What a CustomResourceDefinition says, whatever was sent: a field of a wrong type reads as absent. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly scope: string;
  readonly names: DefinitionNames;
  /** `spec.preserveUnknownFields`: only definitions from before pruning have it. */
  readonly preservesUnknown: boolean;
  readonly versions: readonly DefinitionVersion[];
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: JsonObject | undefined;
  readonly subresources: JsonObject;
  /** `additionalPrinterColumns`. */
  readonly columns: readonly JsonObject[];
}

/** With `singular` and `listKind` defaulted from `kind`, as upstream does before it validates. */
export function readDefinition(crd: JsonObject): Definition {
  const spec = object(crd.spec);
  const names = object(spec.names);
  const kind = text(names.kind);
  return {
    name: text(object(crd.metadata).name),
    group: text(spec.group),
    scope: text(spec.scope),
    names: {
      ...namesIn(names),
      singular: text(names.singular) || kind.toLowerCase(),
      listKind: text(names.listKind) || (kind && `${kind}List`),
    },
    preservesUnknown: spec.preserveUnknownFields === true,
    versions: list(spec.versions).map((item) => {
      const version = object(item);
      const schema = object(version.schema).openAPIV3Schema;
      return {
        name: text(version.name),
        served: version.served === true,
        storage: version.storage === true,
        schema: isJsonObject(schema) ? schema : undefined,
        subresources: object(version.subresources),
        columns: list(version.additionalPrinterColumns).map(object),
      };
    }),
  };
}

/** Whether its kind is served: from the moment it is established until it is gone, also while it terminates. */
export function isEstablished(crd: JsonObject): boolean {
  const conditions = list(object(crd.status).conditions).map(object);
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}

/** The names that were accepted, as far as any were. They are those that count: other definitions may claim the rest. */
export const acceptedNames = (crd: JsonObject): DefinitionNames =>
  namesIn(object(object(crd.status).acceptedNames));

const namesIn = (names: JsonObject): DefinitionNames => ({
  plural: text(names.plural),
  singular: text(names.singular),
  kind: text(names.kind),
  listKind: text(names.listKind),
  shortNames: texts(names.shortNames),
  categories: texts(names.categories),
});

export const object = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
export const texts = (value: Json | undefined): string[] =>
  list(value).filter((item) => typeof item === "string");
