type Content = string | number | bigint | boolean | Uint8Array;

/** A message of these fields, in their order: numbers and booleans as varints, all else as bytes. */
export const message = (...fields: (readonly [number: number, value: Content])[]): Uint8Array =>
  Uint8Array.from(fields.flatMap(([number, value]) => encodeField(number, value)));

/** A body of this kind around a message. */
export const body = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array =>
  Uint8Array.from([0x6b, 0x38, 0x73, 0x00, ...message([1, message([1, apiVersion], [2, kind])], [2, raw])]);

export function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

function encodeField(number: number, value: Content): number[] {
  if (typeof value === "boolean") return encodeField(number, Number(value));
  if (typeof value === "number" || typeof value === "bigint")
    return [...varint(number * 8), ...varint(value)];
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
}
