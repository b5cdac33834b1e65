import { apiVersion, type Kind } from "../objects/kind.ts";

/**
 * The Swagger document as protobuf, message `openapi.v2.Document` of gnostic: old clients accept no other form. It says
 * which kinds can be patched, and that `dryRun` may be asked for, which is what they look for before they try; it
 * defines no kind, because they would refuse every field that a definition leaves out. Field numbers are those of
 * gnostic's `OpenAPIv2.proto`.
 */
const DOCUMENT = { swagger: 1, info: 2, paths: 8, definitions: 9 } as const;
const INFO = { title: 1, version: 2 } as const;
const PATHS = { path: 2 } as const;
const NAMED = { name: 1, value: 2 } as const;
const PATH_ITEM = { patch: 8 } as const;
const OPERATION = { parameters: 8, vendorExtension: 13 } as const;
const PARAMETERS_ITEM = { parameter: 1 } as const;
const PARAMETER = { nonBody: 2 } as const;
const NON_BODY = { query: 3 } as const;
const QUERY = { in: 2, name: 4, type: 6 } as const;
const ANY = { yaml: 2 } as const;

export function encodeSwaggerDocument(
  title: string,
  version: string,
  kinds: readonly Kind[],
): Uint8Array<ArrayBuffer> {
  const info = join([field(INFO.title, utf8(title)), field(INFO.version, utf8(version))]);
  const paths = kinds
    .filter((kind) => kind.verbs.includes("patch"))
    .flatMap((kind) => kind.versions.map((served) => patchPath(kind, served)));
  return join([
    field(DOCUMENT.swagger, utf8("2.0")),
    field(DOCUMENT.info, info),
    field(DOCUMENT.paths, join(paths)),
    field(DOCUMENT.definitions, new Uint8Array()),
  ]);
}

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
