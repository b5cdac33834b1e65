import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { base64Fault } from "./base64.ts";
import type { ContentStructure, ContentType } from "./content-types.ts";
import { locateJson } from "./json-location.ts";
import { quantityFault } from "./quantity.ts";
import { microTimeFault, readTime } from "./time.ts";
import { jsonType } from "./typed-fields.ts";

/** The first value of a wrong type. It is made from the inside out, so that nothing is noted where all is well. */
export interface ContentFault {
  /** Steps from the root of the object. */
  path: readonly (string | number)[];
  /** The JSON names of the fields on the way, and the Go type that has the last of them. */
  fields: readonly string[];
  structure: string | undefined;
  /** A JSON type that does not go into a Go type, a number that does not fit one, or what the type says of a value. */
  wrong: { found: string; into: string } | { numberInto: string } | { text: string };
}

/**
 * The first fault of an object, in the order of its text. Null is fine everywhere, and fields that the tables do not know
 * are passed over. Upstream differs in two things: it refuses a whole number that is written otherwise, such as `1.0`;
 * and it reads on after a wrong type, so that a later time or amount that cannot be read is told instead.
 *
 * Source: sigs.k8s.io/json and Go's `encoding/json` (literalStore, array, object), with the `UnmarshalJSON` of Kubernetes' types.
 */
export const contentFault = (object: JsonObject, type: ContentStructure): ContentFault | undefined =>
  faultIn(object, type);

function faultIn(value: Json, type: ContentType): ContentFault | undefined {
  if (value === null) return undefined;
  switch (type.is) {
    case "anything":
      return undefined;
    case "string":
      return typeof value === "string" ? undefined : mismatch(value, type.go);
    case "bool":
      return typeof value === "boolean" ? undefined : mismatch(value, type.go);
    case "double":
      return typeof value === "number" ? undefined : mismatch(value, type.go);
    case "int32":
    case "int64":
      return integerFault(value, type.is, type.go);
    case "bytes":
      return typeof value === "string" ? base64(value) : mismatch(value, type.go);
    case "intOrString":
      return typeof value === "string" ? undefined : integerFault(value, "int32", "int32");
    case "time":
      return typeof value === "string" ? time(value) : mismatch(value, "string");
    case "microTime":
      return typeof value === "string" ? told(microTimeFault(value)) : mismatch(value, "string");
    case "quantity":
      return typeof value === "number"
        ? undefined
        : told(quantityFault(typeof value === "string" ? value : JSON.stringify(value)));
    case "list":
      return Array.isArray(value) ? faultInList(value, type.of) : mismatch(value, type.go);
    case "map":
      return isJsonObject(value) ? faultInMap(value, type.of) : mismatch(value, type.go);
    case "structure":
      return isJsonObject(value) ? faultInStructure(value, type) : mismatch(value, type.go);
    case "oneOf":
      return faultInForms(value, type);
  }
}

function faultInList(list: readonly Json[], of: ContentType): ContentFault | undefined {
  for (let i = 0; i < list.length; i++) {
    const fault = faultIn(list[i] ?? null, of);
    if (fault !== undefined) return { ...fault, path: [i, ...fault.path] };
  }
  return undefined;
}

function faultInMap(map: JsonObject, of: ContentType): ContentFault | undefined {
  for (const key of Object.keys(map)) {
    const fault = faultIn(map[key] ?? null, of);
    if (fault !== undefined) return { ...fault, path: [key, ...fault.path] };
  }
  return undefined;
}

function faultInStructure(object: JsonObject, structure: ContentStructure): ContentFault | undefined {
  const fields = structure.fields();
  for (const name of Object.keys(object)) {
    const type = fields.get(name);
    const fault = type && faultIn(object[name] ?? null, type);
    if (fault === undefined) continue;
    return {
      ...fault,
      path: [name, ...fault.path],
      fields: [name, ...fault.fields],
      structure: fault.structure ?? structure.go.slice(structure.go.indexOf(".") + 1),
    };
  }
  return undefined;
}

/** Such a type reads its value by itself, and does not say where in it the fault is. */
function faultInForms(
  value: Json,
  { forms, others }: Extract<ContentType, { is: "oneOf" }>,
): ContentFault | undefined {
  const form = forms.find((type) => looksLike(value, type));
  if (form === undefined) return told(others);
  const fault = faultIn(value, form);
  return fault && { ...fault, fields: [], structure: undefined };
}

function looksLike(value: Json, { is }: ContentType): boolean {
  if (is === "list") return Array.isArray(value);
  return is === "structure" ? isJsonObject(value) : typeof value === "boolean";
}

const LIMITS = { int32: 2 ** 31, int64: 2 ** 63 };

function integerFault(value: Json, is: keyof typeof LIMITS, go: string): ContentFault | undefined {
  if (typeof value !== "number") return mismatch(value, go);
  const limit = LIMITS[is];
  const fits = Number.isInteger(value) && value >= -limit && value < limit;
  return fits ? undefined : fault({ numberInto: go });
}

function base64(text: string): ContentFault | undefined {
  const at = base64Fault(text);
  return told(at === undefined ? undefined : `illegal base64 data at input byte ${at}`);
}

function time(text: string): ContentFault | undefined {
  const reading = readTime(text);
  return told("fault" in reading ? reading.fault : undefined);
}

const fault = (wrong: ContentFault["wrong"]): ContentFault => ({
  path: [],
  fields: [],
  structure: undefined,
  wrong,
});

const mismatch = (value: Json, into: string): ContentFault => fault({ found: jsonType(value), into });

const told = (text: string | undefined): ContentFault | undefined =>
  text === undefined ? undefined : fault({ text });

/** In Go's words. `json` is the text of the object: a number that does not fit is shown as it stands there. */
export function describeContentFault({ path, fields, structure, wrong }: ContentFault, json: string): string {
  if ("text" in wrong) return wrong.text;
  const target = structure === undefined ? "Go value" : `Go struct field ${structure}.${fields.join(".")}`;
  const misfit = (found: string, into: string) =>
    `json: cannot unmarshal ${found} into ${target} of type ${into}`;
  if ("found" in wrong) return misfit(wrong.found, wrong.into);
  const { start, end } = locateJson(json, path);
  return misfit(`number ${json.slice(start, end)}`, wrong.numberInto);
}
