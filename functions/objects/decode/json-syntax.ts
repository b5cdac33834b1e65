/**
 * Says what is wrong with a text that is not JSON, in the words of Go's `encoding/json`: clients of the API see
 * them, and `JSON.parse` words its faults in another way in each runtime. Only asked when parsing has failed.
 */

/** Where in the grammar the next character stands. */
type Expected =
  | "value"
  | "value or ]"
  | "key"
  | "key or }"
  | "colon"
  | "after value in object"
  | "after value in array"
  | "end";

const CONTEXT: Readonly<Record<Expected, string>> = {
  value: "looking for beginning of value",
  "value or ]": "looking for beginning of value",
  key: "looking for beginning of object key string",
  "key or }": "looking for beginning of object key string",
  colon: "after object key",
  "after value in object": "after object key:value pair",
  "after value in array": "after array element",
  end: "after top-level value",
};

const END_OF_INPUT = "unexpected end of JSON input";

type Step = { next: number } | { fault: string };

/**
 * The first fault, or undefined when the text is JSON. Bytes count, not characters, so that a fault in the middle of one
 * is printed as upstream does; bytes that are no text may be given as they are. `maxNesting`: how many objects and lists
 * may be open at once.
 */
export function jsonSyntaxFault(text: string | Uint8Array, maxNesting: number): string | undefined {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const open: ("object" | "array")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const afterValue = (): Expected => {
    const inside = open.at(-1);
    return inside === undefined ? "end" : `after value in ${inside}`;
  };
  for (;;) {
    while (isSpace(bytes[at])) at++;
    const byte = bytes[at];
    if (byte === undefined) return expected === "end" ? undefined : END_OF_INPUT;
    const char = String.fromCharCode(byte);
    const unexpected = () => invalidCharacter(byte, CONTEXT[expected]);

    if (expected === "value" || expected === "value or ]") {
      if (char === "{" || char === "[") {
        open.push(char === "{" ? "object" : "array");
        if (open.length > maxNesting) return invalidCharacter(byte, "exceeded max depth");
        expected = char === "{" ? "key or }" : "value or ]";
        at++;
      } else if (char === "]" && expected === "value or ]") {
        open.pop();
        expected = afterValue();
        at++;
      } else {
        const step = scalar(bytes, at);
        if (step === undefined) return unexpected();
        if ("fault" in step) return step.fault;
        at = step.next;
        expected = afterValue();
      }
    } else if (expected === "key" || expected === "key or }") {
      if (char === "}" && expected === "key or }") {
        open.pop();
        expected = afterValue();
        at++;
      } else {
        if (char !== '"') return unexpected();
        const step = string(bytes, at);
        if ("fault" in step) return step.fault;
        at = step.next;
        expected = "colon";
      }
    } else {
      const inside = open.at(-1);
      if (expected === "colon" && char === ":") expected = "value";
      else if (expected === "after value in object" && char === ",") expected = "key";
      else if (expected === "after value in array" && char === ",") expected = "value";
      else if (expected !== "colon" && char === (inside === "object" ? "}" : "]") && inside !== undefined) {
        open.pop();
        expected = afterValue();
      } else return unexpected();
      at++;
    }
  }
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const charAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(bytes[at] ?? 0);

function faultAt(bytes: Uint8Array, at: number, context: string): { fault: string } {
  const byte = bytes[at];
  return { fault: byte === undefined ? END_OF_INPUT : invalidCharacter(byte, context) };
}

/** undefined when no value begins here. */
function scalar(bytes: Uint8Array, at: number): Step | undefined {
  const char = charAt(bytes, at);
  if (char === '"') return string(bytes, at);
  if (char === "-" || isDigit(bytes[at])) return number(bytes, at);
  const word = ["true", "false", "null"].find((literal) => literal[0] === char);
  if (word === undefined) return undefined;
  for (let i = 1; i < word.length; i++) {
    if (charAt(bytes, at + i) !== word[i]) {
      return faultAt(bytes, at + i, `in literal ${word} (expecting '${word[i]}')`);
    }
  }
  return { next: at + word.length };
}

function string(bytes: Uint8Array, start: number): Step {
  for (let at = start + 1; ; at++) {
    const byte = bytes[at];
    if (byte === undefined) return { fault: END_OF_INPUT };
    if (byte < 0x20) return faultAt(bytes, at, "in string literal");
    const char = String.fromCharCode(byte);
    if (char === '"') return { next: at + 1 };
    if (char !== "\\") continue;
    at++;
    if (charAt(bytes, at) === "u") {
      for (let digit = 0; digit < 4; digit++) {
        at++;
        if (!/[0-9a-fA-F]/.test(charAt(bytes, at))) {
          return faultAt(bytes, at, "in \\u hexadecimal character escape");
        }
      }
    } else if (!'bfnrt\\/"'.includes(charAt(bytes, at))) {
      return faultAt(bytes, at, "in string escape code");
    }
  }
}

function number(bytes: Uint8Array, start: number): Step {
  let at = start;
  if (charAt(bytes, at) === "-") at++;
  if (!isDigit(bytes[at])) return faultAt(bytes, at, "in numeric literal");
  if (charAt(bytes, at) === "0") at++;
  else while (isDigit(bytes[at])) at++;
  if (charAt(bytes, at) === ".") {
    at++;
    if (!isDigit(bytes[at])) return faultAt(bytes, at, "after decimal point in numeric literal");
    while (isDigit(bytes[at])) at++;
  }
  if (charAt(bytes, at).toLowerCase() === "e") {
    at++;
    if ("+-".includes(charAt(bytes, at))) at++;
    if (!isDigit(bytes[at])) return faultAt(bytes, at, "in exponent of numeric literal");
    while (isDigit(bytes[at])) at++;
  }
  return { next: at };
}

const NAMED: Readonly<Record<string, string>> = {
  "'": "\\'",
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** A byte is printed as if it were a character: Go's `%q`, in single quotes. */
function invalidCharacter(byte: number, context: string): string {
  const char = String.fromCharCode(byte);
  const hex = byte.toString(16).padStart(2, "0");
  let printed = NAMED[char] ?? char;
  if (printed === char && (byte < 0x20 || byte === 0x7f)) printed = `\\x${hex}`;
  if ((byte >= 0x80 && byte <= 0xa0) || byte === 0xad) printed = `\\u00${hex}`;
  return `invalid character '${printed}' ${context}`;
}
