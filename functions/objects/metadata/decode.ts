import { parseBody } from "../decode/body.ts";
import { contentFault, describeContentFault } from "../decode/content-faults.ts";
import { contentType } from "../decode/content-types.ts";
import { duplicateFields } from "../decode/duplicate-fields.ts";
import type { JsonPath } from "../decode/json-location.ts";
import { apiVersionAndKind, type ExpectedKind, METADATA, objectType } from "../decode/object-types.ts";
import { describeFault, readTyped } from "../decode/typed-fields.ts";
import { unknownFields } from "../decode/unknown-fields.ts";
import { type Failure, invalidValue, type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { apiVersion, parseApiVersion } from "../kind.ts";
import { kindRegistry } from "../kinds/registry.ts";

/**
 * The body of a create or an update as an object of the expected kind. `apiVersion` and `kind` are filled when absent,
 * `metadata` is always there, holds fields of ObjectMeta only, each of its type, and none that is empty. The content of
 * a built-in kind has the types that its fields have upstream, and stays as it is; fields that are not known to us stay too.
 *
 * Errors: UnsupportedMediaType; BadRequest for what does not parse, is of another kind or has a field of the wrong type;
 * Invalid for a custom resource of another kind in the right group and version, as upstream has it.
 *
 * Source: kubernetes `endpoints/handlers/create.go` and `rest.go` (transformDecodeError), with the texts of 1.20 for
 * metadata and the data of ConfigMaps and Secrets, and those of later releases for the rest.
 */
export function decodeObject(text: string, mediaType: string, expected: ExpectedKind): Outcome<JsonObject> {
  const inspected = inspectObject(text, mediaType, expected);
  return inspected.ok ? ok(inspected.value.object) : inspected;
}

/** An object that was read, and what only a strict reader minds in it: `unknown field "metadata.foo"`. */
export interface Inspected {
  object: JsonObject;
  oddities: string[];
}

/** As `decodeObject`; says besides which fields come twice, and which are known to be none. */
export function inspectObject(text: string, mediaType: string, expected: ExpectedKind): Outcome<Inspected> {
  const parsed = parseBody(text, mediaType);
  if (!parsed.ok) return parsed;
  if ("fault" in parsed.value) return unrecognized(text, expected, parsed.value.fault);
  const { value, json } = parsed.value;
  const type = apiVersionAndKind(value);
  if ("fault" in type) return unrecognized(text, expected, type.fault);
  const object = isJsonObject(value) ? value : {};
  const otherKind = kindMismatch(type, object, expected);
  if (otherKind !== undefined) return refuse(otherKind);
  const reading = readObject(object, json, expected);
  if ("fault" in reading) return refuse(notHandled({}, expected, reading.fault));
  // Of other encodings nothing is left that could come twice.
  const twice = json === text ? duplicatesOf(json) : [];
  return ok({ object: reading.value, oddities: [...twice, ...unknownIn(object, expected)] });
}

/** What a strict reader minds in a JSON text, whatever it is about. */
export const duplicatesOf = (json: string): string[] =>
  duplicateFields(json).map((path) => `duplicate field ${JSON.stringify(path)}`);

function unknownIn(object: JsonObject, { fields }: ExpectedKind): string[] {
  return [
    ...(fields ? Object.keys(object).filter((field) => !fields.includes(field)) : []),
    ...unknownFields(object.metadata, METADATA, "metadata"),
  ].map((path) => `unknown field ${JSON.stringify(path)}`);
}

/**
 * What a patch made of a stored object, read as `decodeObject` reads a body. `apiVersion` and `kind` are those of
 * `expected`.
 *
 * Error: Invalid on the field `patch`, without a name, as upstream has it.
 *
 * Source: kubernetes `endpoints/handlers/patch.go`.
 */
export function readPatched(object: JsonObject, expected: ExpectedKind): Outcome<JsonObject> {
  const inspected = inspectPatched(object, expected);
  return inspected.ok ? ok(inspected.value.object) : inspected;
}

/** As `readPatched`; says besides which fields are known to be none. */
export function inspectPatched(object: JsonObject, expected: ExpectedKind): Outcome<Inspected> {
  const json = JSON.stringify(object);
  const type = apiVersionAndKind(object);
  const otherKind = "fault" in type ? type.fault : kindFault(type, expected)?.fault;
  const reading = otherKind === undefined ? readObject(object, json, expected) : { fault: otherKind };
  if (!("fault" in reading)) {
    return ok({ object: reading.value, oddities: unknownIn(object, expected) });
  }
  return refuse(unfitPatch(json, reading.fault));
}

/** What is of the wrong type in an object that came another way, in the decoder's words; undefined when nothing is. */
export function typeFault(object: JsonObject, expected: ExpectedKind): string | undefined {
  const reading = readObject(object, JSON.stringify(object), expected);
  return "fault" in reading ? reading.fault : undefined;
}

/** What a patch made, as JSON, cannot be stored. */
export function unfitPatch(json: string, fault: string): Failure {
  const shown = json.length > SHOWN_OF_PATCHED ? `${json.slice(0, SHOWN_OF_PATCHED)} ...` : json;
  const errors = [invalidValue("patch", shown, fault)];
  return { reason: "Invalid", group: "", kind: "", name: "", errors };
}

/** Characters of an object that are put into an answer. */
const SHOWN_OF_PATCHED = 1000;

function readObject(
  object: JsonObject,
  json: string,
  expected: ExpectedKind,
): { value: JsonObject } | { fault: string } {
  if (expected.custom) {
    const { apiVersion: _, kind: __, metadata = null, ...data } = object;
    const reading = readTyped(metadata, METADATA);
    return "fault" in reading
      ? { fault: reading.fault.standard }
      : { value: typed(expected, reading.value, data) };
  }
  const reading = readTyped(object, objectType(expected));
  const content = contentType(expected);
  const inContent = content && contentFault(object, content);
  if (inContent && !("fault" in reading && standsBefore(object, reading.fault.path, inContent.path))) {
    return { fault: describeContentFault(inContent, json) };
  }
  if ("fault" in reading) return { fault: describeFault(reading.fault, json) };
  const { apiVersion: _, kind: __, metadata, ...rest } = reading.value as JsonObject;
  return { value: typed(expected, metadata, rest) };
}

function standsBefore(object: JsonObject, one: JsonPath, other: JsonPath): boolean {
  const fields = Object.keys(object);
  return fields.indexOf(String(one[0])) < fields.indexOf(String(other[0]));
}

/** In the order in which upstream prints an object. */
function typed(
  { group, version, kind }: ExpectedKind,
  metadata: Json | undefined,
  rest: JsonObject,
): JsonObject {
  const kept = isJsonObject(metadata) ? metadata : {};
  const { selfLink: _, clusterName: __, ...fields } = kept;
  return { kind, apiVersion: apiVersion(group, version), metadata: fields, ...rest };
}

interface Claim {
  apiVersion?: string;
  kind?: string;
}

const builtIn = kindRegistry([]);

/** Why an object is not of the kind it should be; absent parts of its claim are the expected ones. */
function kindFault(
  claim: Claim,
  { group, version, kind, custom }: ExpectedKind,
): { differs: "type" | "version"; fault: string } | undefined {
  const wanted = apiVersion(group, version);
  const given = claim.apiVersion ?? wanted;
  const { kind: claimed = kind } = claim;
  const parsed = parseApiVersion(given);
  if (!custom && claimed !== kind && builtIn.claimed(given, claimed) !== undefined) {
    const from = `${parsed?.version ?? given}.${claimed}`;
    const fault = `converting (${from}) to (${internalPackage(group)}.${kind}): unknown conversion`;
    return { differs: "type", fault };
  }
  if (!custom && (claimed !== kind || parsed?.group !== group)) {
    const fault = `no kind ${JSON.stringify(claimed)} is registered for version ${JSON.stringify(given)} in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"`;
    return { differs: "type", fault };
  }
  if (given === wanted) {
    return claimed === kind ? undefined : { differs: "type", fault: `must be ${kind}` };
  }
  const fault = `the API version in the data (${given}) does not match the expected API version (${wanted})`;
  return { differs: "version", fault };
}

/** Another version of the right kind is told plainly; a custom resource of another kind is Invalid. */
function kindMismatch(claim: Claim, object: JsonObject, expected: ExpectedKind): Failure | undefined {
  const mismatch = kindFault(claim, expected);
  if (mismatch === undefined) return undefined;
  const { differs, fault } = mismatch;
  if (differs === "version") return { reason: "BadRequest", message: fault };
  return expected.custom
    ? notOfKind(claim.kind ?? "", fault, object, expected)
    : notHandled(claim, expected, fault);
}

/** `core`, `apps`, `rbac`: the Go package of a group's internal types. */
const internalPackage = (group: string): string => (group === "" ? "core" : (group.split(".")[0] ?? group));

export function notHandled(claim: Claim, expected: ExpectedKind, fault: string): Failure {
  const { apiVersion: given = apiVersion(expected.group, expected.version), kind = expected.kind } = claim;
  const version = JSON.stringify(parseApiVersion(given)?.version ?? given);
  const message = `${kind} in version ${version} cannot be handled as a ${expected.kind}: ${fault}`;
  return { reason: "BadRequest", message };
}

function notOfKind(
  sent: string,
  fault: string,
  { metadata }: JsonObject,
  { group, kind }: ExpectedKind,
): Failure {
  const name = isJsonObject(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  return { reason: "Invalid", group, kind, name, errors: [invalidValue("kind", sent, fault)] };
}

function unrecognized(text: string, { kind }: ExpectedKind, fault: string): Outcome<never> {
  const message = `the object provided is unrecognized (must be of type ${kind}): ${fault} (${summary(text)})`;
  return refuse({ reason: "BadRequest", message });
}

const SUMMARY_BYTES = 30;

/** The first bytes of a body: as text when it looks like an object, else in hexadecimal. */
function summary(text: string): string {
  if (text === "") return "<empty>";
  const bytes = new TextEncoder().encode(text.slice(0, SUMMARY_BYTES + 1));
  const shown = bytes.subarray(0, SUMMARY_BYTES);
  const rest = bytes.length > SUMMARY_BYTES ? " ..." : "";
  if (text.startsWith("{")) return new TextDecoder().decode(shown) + rest;
  return Array.from(shown, (byte) => byte.toString(16).padStart(2, "0")).join("") + rest;
}
