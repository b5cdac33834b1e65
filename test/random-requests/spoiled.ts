import type { Dice } from "./dice.ts";

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { x: value };
  return value;
};

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e21,
  1e308,
  "",
  "x",
  "5",
  "\ud800",
  "\udc00\ud800",
  "\u0000",
  "\u2028",
  "é".repeat(200),
  "x".repeat(5000),
  [],
  [null],
  [[]],
  {},
  { "": "" },
  { "0": 1, "1": 2 },
  { $patch: "delete" },
  { $retainKeys: ["x"] },
  deep(40),
  deep(1200),
];

const ODD_KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "0",
  "-1",
  "\ud800",
  "$patch",
  "$setElementOrder/x",
  "a/b",
  "~1",
  "f:x",
  "length",
];

/** The same with a wrong value, a missing field or a strange one somewhere in it. */
export function spoiledValue(dice: Dice, value: unknown): unknown {
  const copy = structuredClone(value);
  const spots: { holder: Record<string, unknown>; key: string }[] = [];
  const walk = (holder: unknown, depth: number) => {
    if (typeof holder !== "object" || holder === null || depth > 12) return;
    for (const [key, child] of Object.entries(holder)) {
      spots.push({ holder: holder as Record<string, unknown>, key });
      walk(child, depth + 1);
    }
  };
  walk(copy, 0);
  if (spots.length === 0) return dice.one(ODD_VALUES);
  const { holder, key } = dice.one(spots);
  const kept = holder[key];
  switch (dice.below(6)) {
    case 0:
      delete holder[key];
      break;
    case 1:
      if (!Array.isArray(holder)) define(holder, dice.one(ODD_KEYS), dice.one(ODD_VALUES));
      else holder.push(dice.one(ODD_VALUES));
      break;
    case 2:
      holder[key] = [kept];
      break;
    case 3:
      holder[key] = { [key]: kept };
      break;
    default:
      holder[key] = dice.one(ODD_VALUES);
  }
  return copy;
}

/** `__proto__` as a field of its own. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The same text, no longer what it was. */
export function spoiledText(dice: Dice, text: string): string | Buffer {
  const at = dice.below(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (dice.below(14)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from(after)]);
    case 2:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
    case 3:
      return `${text}${dice.one(["}", "{}", ",", " null", "\u0000"])}`;
    case 4:
      return text.replace("{", '{"kind":"Other","metadata":{"name":"twice"},');
    case 5:
      return text.replace(
        /:("[^"]*"|\d+)/,
        dice.one([":1e999", ":-0", ":NaN", ":0x5", ":01", ":99999999999999999999999", ":'x'", ":1e-400"]),
      );
    case 6:
      return text.replace(/"(\w+)":/, '"$1":1,"$1":');
    case 7:
      return `${before}${dice.one(["\u0000", "\t", "//", "\\", '"', "{", "[", "\ud83d", "&a", "*a", "!!js/function "])}${after}`;
    case 8:
      return "";
    case 9:
      return `${"[".repeat(20_000)}`;
    case 10:
      return `{"metadata":${'{"a":'.repeat(3000)}1${"}".repeat(3000)}}`;
    case 11:
      return Buffer.concat([
        Buffer.from("k8s\0"),
        Buffer.from(Array.from({ length: dice.below(60) }, () => dice.below(256))),
      ]);
    case 12:
      return Buffer.from(Array.from({ length: dice.below(200) }, () => dice.below(256)));
    default:
      return dice.one([
        "null",
        "[]",
        "5",
        '"x"',
        "true",
        "{}",
        " ",
        "---\n",
        "a: [",
        "- - -",
        "{a: b",
        "? x",
        "x: &a [*a]",
        "a: &x {b: 1}\nc: *x\nd: {<<: *x}\n",
        "a: 1\n---\nb: 2\n",
        "%YAML 9.9\n---\nx: 1",
        "!!binary x",
        `${"a: &a [1]\n"}${"b: [*a,*a,*a]\n".repeat(50)}`,
      ]);
  }
}

/** The start of a message in protobuf, and then whatever comes. */
export function protobufLike(dice: Dice, apiVersion: string, kind: string): Buffer {
  const field = (tag: number, bytes: Buffer) => Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  const type = Buffer.concat([field(0x0a, Buffer.from(apiVersion)), field(0x12, Buffer.from(kind))]);
  const metadata = field(0x0a, field(0x0a, Buffer.from("a")));
  const noise = Buffer.from(Array.from({ length: dice.below(40) }, () => dice.below(256)));
  const raw = dice.percent(50) ? metadata : Buffer.concat([metadata, noise]).subarray(0, 120);
  return Buffer.concat([
    Buffer.from("k8s\0"),
    field(0x0a, type),
    field(0x12, raw),
    dice.percent(30) ? noise : Buffer.alloc(0),
  ]);
}
