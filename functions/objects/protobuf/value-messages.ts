import { parseBody } from "../decode/body.ts";
import type { Json } from "../json.ts";
import { BYTES, FIXED64, VARINT, type WireField, WireReader } from "./wire.ts";

/** What JSON shows, or nothing where it would show null or nothing. */
export type Reading = { value: Json | undefined } | { fault: string };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });
export const readText = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The scalars by name: each reads a field, or answers undefined when the field is of another wire type. */
export const scalars: Readonly<Record<string, (field: WireField) => Json | undefined>> = {
  string: (field) => (field.type === BYTES ? readText(field.bytes) : undefined),
  bytes: (field) => (field.type === BYTES ? base64(field.bytes) : undefined),
  int32: (field) => (field.type === VARINT ? field.low : undefined),
  int64: (field) => (field.type === VARINT ? int64(field) : undefined),
  bool: (field) => (field.type === VARINT ? field.low !== 0 || field.high !== 0 : undefined),
  double: (field) => (field.type === FIXED64 ? double(field.bytes) : undefined),
};

/** The messages that JSON shows as a plain value, by their names in the tables; `json` holds JSON as text. */
export const valueMessages: Readonly<Record<string, (bytes: Uint8Array) => Reading>> = {
  Time: (bytes) => readTime(bytes, () => ""),
  MicroTime: (bytes) => readTime(bytes, microseconds),
  Quantity: (bytes) => readFields(bytes, ({ 1: text }) => ({ value: string(text) || "0" })),
  IntOrString: (bytes) => readFields(bytes, intOrString),
  json: (bytes) => readFields(bytes, ({ 1: raw }) => embedded(string(raw))),
};

type Fields = Readonly<Record<number, WireField>>;

function readFields(bytes: Uint8Array, shown: (fields: Fields) => Reading): Reading {
  const reader = new WireReader(bytes);
  const fields: Record<number, WireField> = {};
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field.number <= 3) fields[field.number] = field;
  }
  return reader.fault === undefined ? shown(fields) : { fault: reader.fault };
}

const string = (field: WireField | undefined): string => (field?.type === BYTES ? readText(field.bytes) : "");
const integer = (field: WireField | undefined): number => (field?.type === VARINT ? int64(field) : 0);

/** Exact up to 2^53, as JSON numbers are. */
const int64 = ({ low, high }: { low: number; high: number }): number => high * 2 ** 32 + (low >>> 0);

/** JSON has no numbers beyond the finite ones. */
function double(bytes: Uint8Array): number | null {
  const number = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
  return Number.isFinite(number) ? number : null;
}

/** Characters that are made of bytes at a time: more would be more arguments than a call may have. */
const CHUNK = 8192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/** Type 0 is a number; any other is shown as text. */
const intOrString = ({ 1: type, 2: number, 3: text }: Fields): Reading => ({
  value: integer(type) === 0 ? integer(number) | 0 : string(text),
});

/** An empty message is the zero time, which JSON shows as null. A Time counts whole seconds, whatever it was sent with. */
function readTime(bytes: Uint8Array, fraction: (nanos: number) => string): Reading {
  if (bytes.length === 0) return { value: undefined };
  return readFields(bytes, ({ 1: seconds, 2: nanos }) => {
    const date = new Date(integer(seconds) * 1000);
    const year = date.getUTCFullYear();
    if (!(year >= 0 && year <= 9999)) return { fault: "Time.MarshalJSON: year outside of range [0,9999]" };
    return { value: `${date.toISOString().slice(0, 19)}${fraction(integer(nanos))}Z` };
  });
}

const microseconds = (nanos: number): string => {
  const micros = Math.trunc(Math.min(Math.max(nanos, 0), 999_999_999) / 1000);
  return `.${String(micros).padStart(6, "0")}`;
};

function embedded(text: string): Reading {
  if (text === "") return { value: undefined };
  const parsed = parseBody(text, "application/json");
  if (!parsed.ok) return { fault: parsed.failure.reason };
  return "fault" in parsed.value ? { fault: parsed.value.fault } : { value: parsed.value.value };
}
