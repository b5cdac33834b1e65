/**
 * Reads data by the types that Kubernetes' own structures give its fields, and says what is wrong in the words of its
 * decoders. What is read is in canonical form: null is absent, fields at their zero value are left out as upstream
 * leaves them out when it prints, and fields nobody knows are dropped where a structure drops them.
 */
import type { Json, JsonObject } from "../json.ts";
import { isJsonObject } from "../json.ts";
import { base64Fault } from "./base64.ts";
import { type JsonPath, locateJson } from "./json-location.ts";
import { readTime } from "./time.ts";

export type FieldType =
  | { readonly is: "string" | "bool" | "int64" | "time" | "bytes" }
  | { readonly is: "map"; readonly of: FieldType }
  /** `go`: the type as Go prints it, `[]string`. */
  | { readonly is: "list"; readonly of: FieldType; readonly go: string }
  | { readonly is: "object" }
  | StructType;

export interface StructType {
  readonly is: "struct";
  /** As Go prints it: `v1.ObjectMeta`. */
  readonly go: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** Whether fields without a type stay as they are, or go. */
  readonly others: "kept" | "dropped";
}

export interface Field {
  /** Its name in the Go structure. */
  readonly go: string;
  readonly type: FieldType;
  /**
   * `omitted`: the zero value is the same as none. `pointer`: it is not. `always`: the field is there in any case, and a
   * string that nobody sent is empty.
   */
  readonly zero: "omitted" | "pointer" | "always";
}

/** One value of the wrong type. */
export interface TypeFault {
  path: JsonPath;
  /** The operation of upstream's decoder that failed and its complaint; `%c` stands for the first character found. */
  operation: string;
  complaint: string;
  /** How far its decoder had read when it complained. */
  head: "first character" | "whole value" | "decimal point";
  /** The Go types on the way, as its decoder names them: `v1.ConfigMap.ObjectMeta: v1.ObjectMeta.Name: `. */
  trail: string;
  /** What another decoder, which reads the metadata of custom resources, says of the same. */
  standard: string;
}

type Reading<T> = { value: T } | { fault: TypeFault };

/** `value` is undefined for what upstream holds as nil. */
export function readTyped(value: Json, type: FieldType): Reading<Json | undefined> {
  const at: Place = { path: [], trail: "", structure: undefined, fields: [] };
  return type.is === "struct" ? readStruct(value, type, at) : readValue(value, type, at);
}

/** Where the reader is. `structure` is the innermost one, `fields` the JSON names of the fields on the way. */
interface Place {
  readonly path: JsonPath;
  readonly trail: string;
  readonly structure: string | undefined;
  readonly fields: readonly string[];
}

function readValue(value: Json, type: FieldType, at: Place): Reading<Json | undefined> {
  if (value === null) return { value: type.is === "string" || type.is === "bytes" ? "" : undefined };
  switch (type.is) {
    case "string":
      return typeof value === "string"
        ? { value }
        : mismatch(value, at, "string", "ReadString", 'expects " or n, but found %c');
    case "bool":
      return typeof value === "boolean"
        ? { value }
        : mismatch(value, at, "bool", "ReadBool", "expect t or f, but found %c");
    case "int64":
      return readInt64(value, at);
    case "time":
      return readTimestamp(value, at);
    case "bytes":
      return readBytes(value, at);
    case "object":
      return isJsonObject(value)
        ? { value }
        : mismatch(value, at, "object", "readObjectStart", "expect { or n, but found %c");
    case "map":
      return readMap(value, type.of, at);
    case "list":
      return readList(value, type, at);
    case "struct":
      return readStruct(value, type, at);
  }
}

function readInt64(value: Json, at: Place): Reading<Json> {
  if (typeof value !== "number") {
    return mismatch(value, at, "int64", "readUint64", "unexpected character: \ufffd");
  }
  if (!Number.isInteger(value)) {
    const fault = mismatch(
      value,
      at,
      "int64",
      "assertInteger",
      "can not decode float as int",
      "decimal point",
    );
    fault.fault.standard = fault.fault.standard.replace("number", `number ${value}`);
    return fault;
  }
  if (Math.abs(value) >= 2 ** 63) {
    return mismatch(value, at, "int64", "ReadInt64", `overflow: ${BigInt(value)}`, "whole value");
  }
  return { value };
}

function readTimestamp(value: Json, at: Place): Reading<Json> {
  const fault = (what: string): { fault: TypeFault } => ({
    fault: {
      path: at.path,
      trail: at.trail,
      operation: "unmarshalerDecoder",
      complaint: what,
      head: "whole value",
      standard: what,
    },
  });
  if (typeof value !== "string") {
    return fault(`json: cannot unmarshal ${jsonType(value)} into Go value of type string`);
  }
  const reading = readTime(value);
  return "fault" in reading ? fault(reading.fault) : { value: reading.time };
}

function readBytes(value: Json, at: Place): Reading<Json> {
  if (typeof value !== "string") return mismatch(value, at, "[]uint8", "base64Codec", "invalid input");
  const fault = base64Fault(value);
  if (fault === undefined) return { value: value.replaceAll(/[\r\n]/g, "") };
  const complaint = `illegal base64 data at input byte ${fault}`;
  return mismatch(value, at, "[]uint8", "decode base64", complaint, "whole value");
}

function readMap(value: Json, of: FieldType, at: Place): Reading<Json | undefined> {
  const go = of.is === "string" ? "map[string]string" : "map[string][]uint8";
  if (!isJsonObject(value)) return mismatch(value, at, go, "ReadMapCB", "expect { or n, but found %c");
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const reading = readValue(item, of, { ...at, path: [...at.path, key] });
    if ("fault" in reading) return reading;
    entries.push([key, reading.value ?? null]);
  }
  return { value: Object.fromEntries(entries) };
}

function readList(
  value: Json,
  { of, go }: Extract<FieldType, { is: "list" }>,
  at: Place,
): Reading<Json | undefined> {
  const inside = { ...at, trail: `${at.trail}${go}: ` };
  if (!Array.isArray(value)) {
    return mismatch(value, inside, go, "decode slice", "expect [ or n, but found %c");
  }
  const items: Json[] = [];
  for (const [i, item] of value.entries()) {
    // A null among structures is one with nothing set.
    const sent = item === null && (of.is === "struct" || of.is === "object") ? {} : item;
    const reading = readValue(sent, of, { ...inside, path: [...at.path, i] });
    if ("fault" in reading) return reading;
    items.push(reading.value ?? null);
  }
  return { value: items };
}

function readStruct(value: Json, type: StructType, at: Place): Reading<JsonObject | undefined> {
  if (value === null) return { value: undefined };
  if (!isJsonObject(value)) {
    return mismatch(value, at, type.go, "readObjectStart", "expect { or n, but found %c");
  }
  const structure = type.go.slice(type.go.indexOf(".") + 1);
  const read = new Map<string, Json>();
  // In the order of the text, because the first fault is the one that is told.
  for (const [name, sent] of Object.entries(value)) {
    const field = type.fields.get(name);
    if (field === undefined) continue;
    if (sent === null && field.zero === "pointer") continue;
    const inside = {
      path: [...at.path, name],
      trail: `${at.trail}${type.go}.${field.go}: `,
      structure,
      fields: [...at.fields, name],
    };
    const reading = readValue(sent, field.type, inside);
    if ("fault" in reading) return reading;
    if (reading.value !== undefined) read.set(name, reading.value);
  }
  const entries: [string, Json][] = [];
  for (const [name, field] of type.fields) {
    const item = read.get(name) ?? (field.zero === "always" ? "" : undefined);
    if (item !== undefined && (field.zero !== "omitted" || !isZero(item))) entries.push([name, item]);
  }
  if (type.others === "kept") {
    entries.push(...Object.entries(value).filter(([name]) => !type.fields.has(name)));
  }
  return { value: Object.fromEntries(entries) };
}

function isZero(value: Json): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}

function mismatch(
  value: Json,
  { path, trail, structure, fields }: Place,
  goType: string,
  operation: string,
  complaint: string,
  head: TypeFault["head"] = "first character",
): { fault: TypeFault } {
  const target = structure === undefined ? "Go value" : `Go struct field ${structure}.${fields.join(".")}`;
  const standard = `json: cannot unmarshal ${jsonType(value)} into ${target} of type ${goType}`;
  return { fault: { path, trail, operation, complaint, head, standard } };
}

/** What Go calls the type of a JSON value. */
export function jsonType(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * The fault as the decoder of built-in kinds words it, with the piece of the text it stands in. `json` is the text that
 * was read. Upstream goes on after a fault and puts the names of later fields in front as well; we do not.
 */
export function describeFault(fault: TypeFault, json: string): string {
  const { start, end } = locateJson(json, fault.path);
  const point = json.indexOf(".", start);
  const bytes = new TextEncoder();
  const headAt =
    fault.head === "whole value" || start >= end
      ? end
      : fault.head === "decimal point" && point >= 0 && point < end
        ? point
        : start + 1;
  // A character has at most four bytes in UTF-8 and at least one, so this is always enough.
  const before = bytes.encode(json.slice(Math.max(0, headAt - 50), headAt));
  const after = bytes.encode(json.slice(headAt, headAt + 50));
  const around = (reach: number) => {
    const piece = [...before.subarray(Math.max(0, before.length - reach)), ...after.subarray(0, reach)];
    return new TextDecoder().decode(new Uint8Array(piece));
  };
  const complaint = fault.complaint.replace("%c", json.charAt(start));
  return `${fault.trail}${fault.operation}: ${complaint}, error found in #${Math.min(10, before.length)} byte of ...|${around(10)}|..., bigger context ...|${around(50)}|...`;
}
