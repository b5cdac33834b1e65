import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import { builtInKinds } from "../objects/kinds/built-in.ts";
import type { KindRegistry } from "../objects/kinds/registry.ts";
import { API_LEVEL, noSchemas, type OpenapiDocument, TITLE } from "./openapi.ts";
import { kindSchemas, type SchemaLookup } from "./openapi-schemas.ts";
import { swaggerSchema } from "./swagger-schema.ts";

const SWAGGER_PROTOBUF = "application/com.github.proto-openapi.spec.v2";

/**
 * How much the schemas of custom kinds may hold together, in characters of JSON. What comes after that is there without
 * its fields, and takes any: a client keeps the whole document in memory, and so does the server.
 */
const CUSTOM_BUDGET = 4_000_000;

type Definitions = readonly (readonly [name: string, schema: JsonObject])[];

/**
 * `/openapi/v2`. Old clients accept nothing but the protobuf form. They look in it whether a kind can be tried with
 * `dryRun`, check objects against its definitions, compute patches with them, and explain fields from them.
 */
export function openapiV2(
  registry: KindRegistry,
  accept: string | null,
  schemaOf: SchemaLookup = noSchemas,
): OpenapiDocument {
  const custom = customDefinitions(registry.all().filter(isCustom), schemaOf);
  if (accept?.includes(SWAGGER_PROTOBUF)) {
    return {
      body: encodeSwaggerDocument(registry.all().filter(isCustom), custom),
      contentType: `${SWAGGER_PROTOBUF}.v1.0+protobuf`,
    };
  }
  const definitions = Object.fromEntries([...builtInDefinitions(), ...custom]);
  const document = { swagger: "2.0", info: { title: TITLE, version: API_LEVEL }, paths: {}, definitions };
  return { body: JSON.stringify(document), contentType: "application/json" };
}

const isCustom = (kind: Kind): boolean => kind.traits.custom;

/** Built-in kinds are the same in every cluster, so that what is said of them is worked out once. */
const once = <T>(work: () => T): (() => T) => {
  let known: T | undefined;
  return () => (known ??= work());
};

const builtInDefinitions = once((): Definitions => {
  const kinds = builtInKinds.flatMap((kind) => kind.versions.map((version) => [kind, version] as const));
  return [...kindSchemas(kinds, noSchemas)].map(([name, schema]) => [name, swaggerSchema(schema)]);
});

function customDefinitions(kinds: readonly Kind[], schemaOf: SchemaLookup): Definitions {
  const shared = new Set(builtInDefinitions().map(([name]) => name));
  const definitions: [string, JsonObject][] = [];
  let left = CUSTOM_BUDGET;
  for (const kind of kinds) {
    for (const [name, schema] of kindSchemas(
      kind.versions.map((version) => [kind, version]),
      schemaOf,
    )) {
      if (shared.has(name)) continue;
      const converted = swaggerSchema(schema);
      left -= JSON.stringify(converted).length;
      definitions.push([name, left < 0 ? withoutFields(converted) : converted]);
    }
  }
  return definitions;
}

const withoutFields = ({ properties, required, description, ...rest }: JsonObject): JsonObject => rest;

/**
 * The Swagger document as protobuf, message `openapi.v2.Document` of gnostic. Field numbers are those of its
 * `OpenAPIv2.proto`.
 */
const DOCUMENT = { swagger: 1, info: 2, paths: 8, definitions: 9 } as const;
const INFO = { title: 1, version: 2 } as const;
const PATHS = { path: 2 } as const;
const NAMED = { name: 1, value: 2 } as const;
const NAMED_LIST = { entry: 1 } as const;
const PATH_ITEM = { patch: 8 } as const;
const OPERATION = { parameters: 8, vendorExtension: 13 } as const;
const PARAMETERS_ITEM = { parameter: 1 } as const;
const PARAMETER = { nonBody: 2 } as const;
const NON_BODY = { query: 3 } as const;
const QUERY = { in: 2, name: 4, type: 6 } as const;
const ANY = { yaml: 2 } as const;
const SCHEMA = {
  $ref: 1,
  format: 2,
  description: 4,
  required: 19,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  vendorExtension: 31,
} as const;
const SCHEMA_ITEM = { schema: 1 } as const;
const TYPE_ITEM = { value: 1 } as const;

function encodeSwaggerDocument(kinds: readonly Kind[], definitions: Definitions): Uint8Array<ArrayBuffer> {
  const info = join([field(INFO.title, utf8(TITLE)), field(INFO.version, utf8(API_LEVEL))]);
  return join([
    field(DOCUMENT.swagger, utf8("2.0")),
    field(DOCUMENT.info, info),
    field(DOCUMENT.paths, join([builtInPaths(), patchPaths(kinds)])),
    field(DOCUMENT.definitions, join([builtInMessages(), namedSchemas(definitions)])),
  ]);
}

const builtInPaths = once(() => patchPaths(builtInKinds));
const builtInMessages = once(() => namedSchemas(builtInDefinitions()));

const patchPaths = (kinds: readonly Kind[]): Uint8Array =>
  join(
    kinds
      .filter((kind) => kind.verbs.includes("patch"))
      .flatMap((kind) => kind.versions.map((served) => patchPath(kind, served))),
  );

const namedSchemas = (schemas: Definitions): Uint8Array =>
  join(schemas.map(([name, schema]) => field(NAMED_LIST.entry, named(name, encodeSchema(schema)))));

function encodeSchema(schema: JsonObject): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [key, value] of Object.entries(schema)) {
    switch (key) {
      case "$ref":
      case "format":
      case "description":
        parts.push(field(SCHEMA[key], utf8(String(value))));
        break;
      case "type":
        parts.push(field(SCHEMA.type, field(TYPE_ITEM.value, utf8(String(value)))));
        break;
      case "required":
        for (const name of value as Json[]) parts.push(field(SCHEMA.required, utf8(String(name))));
        break;
      case "items":
      case "additionalProperties":
        parts.push(field(SCHEMA[key], field(SCHEMA_ITEM.schema, encodeSchema(value as JsonObject))));
        break;
      case "properties":
        parts.push(
          field(SCHEMA.properties, namedSchemas(Object.entries(value as JsonObject).filter(isSchema))),
        );
        break;
      default:
        // JSON is YAML.
        parts.push(field(SCHEMA.vendorExtension, named(key, field(ANY.yaml, utf8(JSON.stringify(value))))));
    }
  }
  return join(parts);
}

const isSchema = (entry: [string, Json]): entry is [string, JsonObject] => isJsonObject(entry[1]);

function patchPath(kind: Kind, version: string): Uint8Array {
  const { group } = kind;
  const root = group === "" ? "api" : "apis";
  const place = kind.namespaced ? "/namespaces/{namespace}" : "";
  const name = `/${root}/${apiVersion(group, version)}${place}/${kind.resource}/{name}`;
  const patch = join([
    field(OPERATION.parameters, queryParameter("dryRun")),
    field(
      OPERATION.vendorExtension,
      named(
        "x-kubernetes-group-version-kind",
        field(ANY.yaml, utf8(`group: ${JSON.stringify(group)}\nkind: ${kind.kind}\nversion: ${version}\n`)),
      ),
    ),
  ]);
  return field(PATHS.path, named(name, field(PATH_ITEM.patch, patch)));
}

function queryParameter(name: string): Uint8Array {
  const query = join([
    field(QUERY.in, utf8("query")),
    field(QUERY.name, utf8(name)),
    field(QUERY.type, utf8("string")),
  ]);
  return field(PARAMETERS_ITEM.parameter, field(PARAMETER.nonBody, field(NON_BODY.query, query)));
}

const named = (name: string, value: Uint8Array): Uint8Array =>
  join([field(NAMED.name, utf8(name)), field(NAMED.value, value)]);

const LENGTH_DELIMITED = 2;

/** Strings and messages alike: tag, length, bytes. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  return join([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return Uint8Array.from([...bytes, rest]);
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
