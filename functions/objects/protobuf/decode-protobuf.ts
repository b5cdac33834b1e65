import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { parseApiVersion } from "../kind.ts";
import { MessageDecoder } from "./decode-message.ts";
import { messageOfKind } from "./messages.ts";
import { readText } from "./value-messages.ts";
import { BYTES, WireReader } from "./wire.ts";

export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** `k8s` and a zero: what a body in protobuf starts with. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Characters of JSON that a body may become, about: its names are not in the bytes. */
const MAX_EXPANDED = 3 * 1024 * 1024;

/**
 * The body of a request in Kubernetes' protobuf as the object that JSON would have sent: `kind` and `apiVersion`, and of
 * the fields those that are not empty. Ready for the checks that a body in JSON passes; none are made here.
 *
 * Errors: BadRequest for bytes that are no such message; UnsupportedMediaType for a kind that has no protobuf form here,
 * such as every custom resource; RequestEntityTooLarge for a body that would be many times larger as JSON.
 *
 * Source: kubernetes `runtime/serializer/protobuf` (Decode), `endpoints/handlers/rest.go` (transformDecodeError).
 */
export function decodeProtobuf(bytes: Uint8Array): Outcome<JsonObject> {
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) {
    return unrecognized(
      `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(" ")}]`,
    );
  }
  if (bytes.length === MAGIC.length) return unrecognized("empty body");
  const envelope = readEnvelope(bytes.subarray(MAGIC.length));
  if ("fault" in envelope) return unrecognized(envelope.fault);
  const { apiVersion, kind, raw } = envelope;
  if (kind === "") return unrecognized("Object 'Kind' is missing");
  if (apiVersion === "") return unrecognized("Object 'apiVersion' is missing");
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) return refuse({ reason: "UnsupportedMediaType", message: UNKNOWN_FORMAT });

  const decoder = new MessageDecoder(MAX_EXPANDED);
  const fields = decoder.decode(raw, message);
  if (decoder.exhausted) {
    const message = `Request entity too large: limit is ${MAX_EXPANDED}`;
    return refuse({ reason: "RequestEntityTooLarge", message });
  }
  if (decoder.fault !== undefined) {
    const version = JSON.stringify(parseApiVersion(apiVersion)?.version ?? apiVersion);
    const message = `${kind} in version ${version} cannot be handled as a ${kind}: ${decoder.fault}`;
    return refuse({ reason: "BadRequest", message });
  }
  return ok({ kind, apiVersion, ...(isJsonObject(fields) ? fields : {}) });
}

const UNKNOWN_FORMAT =
  "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml";

const unrecognized = (fault: string): Outcome<never> =>
  refuse({ reason: "BadRequest", message: `the object provided is unrecognized: ${fault}` });

/** `runtime.Unknown`: 1 is the TypeMeta, 2 the message. What it says of encodings was never used. */
function readEnvelope(
  bytes: Uint8Array,
): { apiVersion: string; kind: string; raw: Uint8Array } | { fault: string } {
  const { 1: typeMeta = NOTHING, 2: raw = NOTHING, fault } = readBytes(bytes);
  if (fault !== undefined) return { fault };
  const { 1: apiVersion = NOTHING, 2: kind = NOTHING, fault: typeFault } = readBytes(typeMeta);
  if (typeFault !== undefined) return { fault: typeFault };
  return { apiVersion: readText(apiVersion), kind: readText(kind), raw };
}

const NOTHING: Uint8Array = new Uint8Array();

/** The fields 1 and 2 of a message of which both are bytes. */
function readBytes(bytes: Uint8Array): { 1?: Uint8Array; 2?: Uint8Array; fault?: string } {
  const fields: { 1?: Uint8Array; 2?: Uint8Array } = {};
  const reader = new WireReader(bytes);
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field.number !== 1 && field.number !== 2) continue;
    if (field.type !== BYTES)
      return { fault: `proto: wrong wireType = ${field.type} for field ${field.number}` };
    fields[field.number] = field.bytes;
  }
  return reader.fault === undefined ? fields : { fault: reader.fault };
}
