import { describe, expect, test } from "vitest";
import { message, varint } from "./wire.fixture.ts";
import { WireReader } from "./wire.ts";

const read = (bytes: number[] | Uint8Array) => {
  const reader = new WireReader(Uint8Array.from(bytes));
  const fields = [];
  for (let field = reader.next(); field !== undefined; field = reader.next()) fields.push(field);
  return { fields, fault: reader.fault };
};

test.each([
  0n,
  1n,
  127n,
  128n,
  300n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n,
  2n ** 63n - 1n,
  -1n,
  -300n,
])("the number %s is read in two halves", (value) => {
  const { fields, fault } = read(message([1, value]));
  expect(fault).toBeUndefined();
  const [field] = fields;
  if (field?.type !== 0) throw new Error("expected a varint");
  expect(BigInt.asIntN(64, (BigInt(field.high) << 32n) | BigInt.asUintN(32, BigInt(field.low)))).toBe(value);
});

test("fields of every type come in their order", () => {
  const { fields, fault } = read([8, 1, 17, 1, 2, 3, 4, 5, 6, 7, 8, 26, 2, 9, 9, 37, 1, 2, 3, 4]);
  expect(fault).toBeUndefined();
  expect(fields.map(({ number, type }) => [number, type])).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 5],
  ]);
});

describe("what is no message ends in a fault", () => {
  test.each<[string, number[], string]>([
    ["a number that stops", [8, 0x80], "unexpected EOF"],
    ["a number of eleven bytes", [8, ...Array(10).fill(0xff), 1], "proto: integer overflow"],
    ["bytes that stop", [10, 5, 1], "unexpected EOF"],
    ["a length beyond all bounds", [10, ...varint(2n ** 40n)], "unexpected EOF"],
    ["a negative length", [10, ...varint(-1)], "unexpected EOF"],
    ["eight bytes that stop", [9, 1, 2], "unexpected EOF"],
    ["field 0", [0, 0], "proto: illegal tag 0 (wire type 0)"],
    ["a group", [11, 12], "proto: illegal wireType 3"],
    ["wire type 7", [15], "proto: illegal wireType 7"],
  ])("%s", (_, bytes, fault) => {
    expect(read(bytes)).toEqual({ fields: [], fault });
  });
});
