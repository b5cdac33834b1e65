import { isJsonObject, type Json, type JsonObject } from "../json.ts";

/** What a CustomResourceDefinition says, whatever was sent: a field of a wrong type reads as absent. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly scope: string;
  readonly names: DefinitionNames;
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
      plural: text(names.plural),
      singular: text(names.singular) || kind.toLowerCase(),
      kind,
      listKind: text(names.listKind) || (kind && `${kind}List`),
      shortNames: texts(names.shortNames),
      categories: texts(names.categories),
    },
    versions: list(spec.versions).map((item) => {
      const version = object(item);
      const schema = object(version.schema).openAPIV3Schema;
      return {
        name: text(version.name),
        served: version.served === true,
        storage: version.storage === true,
        schema: isJsonObject(schema) ? schema : undefined,
        subresources: object(version.subresources),
      };
    }),
  };
}

export const object = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
export const texts = (value: Json | undefined): string[] =>
  list(value).filter((item) => typeof item === "string");
