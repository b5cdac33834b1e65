/**
 * A Swagger document without content as protobuf, message `openapi.v2.Document` of gnostic: old clients accept no
 * other form. Field numbers are those of gnostic's `OpenAPIv2.proto`.
 */
const DOCUMENT = { swagger: 1, info: 2, paths: 8, definitions: 9 } as const;
const INFO = { title: 1, version: 2 } as const;

export function encodeSwaggerDocument(title: string, version: string): Uint8Array<ArrayBuffer> {
  const info = join([field(INFO.title, utf8(title)), field(INFO.version, utf8(version))]);
  const empty = new Uint8Array();
  return join([
    field(DOCUMENT.swagger, utf8("2.0")),
    field(DOCUMENT.info, info),
    field(DOCUMENT.paths, empty),
    field(DOCUMENT.definitions, empty),
  ]);
}

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
