/** Whether a code point belongs to a class. */
export type Test = (code: number) => boolean;

interface Fault {
  fault: string;
  /** The piece of the expression it stands in. */
  piece: string;
}

const between =
  (...ranges: readonly (readonly [number, number])[]): Test =>
  (c) =>
    ranges.some(([low, high]) => c >= low && c <= high);

const range = (text: string): readonly [number, number] => [text.charCodeAt(0), text.charCodeAt(1)];
const digit = between(range("09"));
const space = (c: number) => c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0c || c === 0x0d;
const word = between(range("09"), range("AZ"), range("az"), range("__"));
const not =
  (test: Test): Test =>
  (c) =>
    !test(c);

export const isWord = word;

const PERL: Readonly<Record<string, Test>> = {
  d: digit,
  D: not(digit),
  s: space,
  S: not(space),
  w: word,
  W: not(word),
};

/** `\d`, `\s`, `\w` and their opposites: ASCII only. */
export const namedClass = (letter: string): Test | undefined =>
  Object.hasOwn(PERL, letter) ? PERL[letter] : undefined;

const POSIX: Readonly<Record<string, Test>> = {
  alnum: between(range("09"), range("AZ"), range("az")),
  alpha: between(range("AZ"), range("az")),
  ascii: between([0, 0x7f]),
  blank: (c) => c === 0x20 || c === 0x09,
  cntrl: between([0, 0x1f], [0x7f, 0x7f]),
  digit,
  graph: between(range("!~")),
  lower: between(range("az")),
  print: between(range(" ~")),
  punct: between(range("!/"), range(":@"), range("[`"), range("{~")),
  space: (c) => space(c) || c === 0x0b,
  upper: between(range("AZ")),
  word,
  xdigit: between(range("09"), range("AF"), range("af")),
};

/** `\pL`, `\p{Greek}`, `\P{Lu}`, `\p{^Lu}` at `start`; undefined when something else stands there. */
export function unicodeClass(text: string, start: number): { test: Test; end: number } | Fault | undefined {
  const found = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Za-z]))/.exec(text.slice(start, start + 64));
  if (found === null) return undefined;
  const [piece, letter, caret = "", name = found[4] ?? ""] = found;
  const property = unicodeProperty(name);
  if (property === undefined) return { fault: "invalid character class range", piece };
  const test: Test = name === "Any" ? () => true : (c) => property.test(String.fromCodePoint(c));
  return { test: (letter === "P") !== (caret === "^") ? not(test) : test, end: start + piece.length };
}

/** A general category or a script, as Go knows them. */
function unicodeProperty(name: string): RegExp | undefined {
  for (const property of [`gc=${name}`, `Script=${name}`, name]) {
    try {
      return new RegExp(`^\\p{${property}}$`, "u");
    } catch {
      // Not a name of that sort.
    }
  }
  return undefined;
}

const ESCAPED: Readonly<Record<string, number>> = { a: 0x07, f: 0x0c, t: 0x09, n: 0x0a, r: 0x0d, v: 0x0b };

/** The one character that an escape at `start` stands for. */
export function escapedClass(text: string, start: number): { code: number; end: number } | Fault {
  const char = text[start + 1] ?? "";
  const piece = text.slice(start, start + 2);
  if (Object.hasOwn(ESCAPED, char)) return { code: ESCAPED[char] ?? 0, end: start + 2 };
  const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(text.slice(start, start + 4));
  if (octal !== null) return { code: Number.parseInt(octal[1] ?? "", 8), end: start + octal[0].length };
  const hex = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,8})\})/.exec(text.slice(start, start + 14));
  const code = hex === null ? Number.NaN : Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
  if (hex !== null && code <= 0x10ffff) return { code, end: start + hex[0].length };
  if (char !== "" && char.charCodeAt(0) < 0x80 && !word(char.charCodeAt(0))) {
    return { code: char.charCodeAt(0), end: start + 2 };
  }
  return { fault: "invalid escape sequence", piece };
}

/** A class in brackets; `start` is behind the opening one, `end` behind the closing one. */
export function characterClass(text: string, start: number): { test: Test; end: number } | Fault {
  const tests: Test[] = [];
  let at = start;
  const negated = text[at] === "^";
  if (negated) at++;
  for (let first = true; first || text[at] !== "]"; first = false) {
    if (at >= text.length) return { fault: "missing closing ]", piece: text.slice(start - 1) };
    const posix = /^\[:(\^?)([a-z]+):\]/.exec(text.slice(at, at + 16));
    if (posix !== null) {
      const found = POSIX[posix[2] ?? ""];
      if (found === undefined) return { fault: "invalid character class range", piece: posix[0] };
      tests.push(posix[1] === "^" ? not(found) : found);
      at += posix[0].length;
      continue;
    }
    const unicode = unicodeClass(text, at);
    if (unicode !== undefined) {
      if ("fault" in unicode) return unicode;
      tests.push(unicode.test);
      at = unicode.end;
      continue;
    }
    const named = text[at] === "\\" ? namedClass(text[at + 1] ?? "") : undefined;
    if (named !== undefined) {
      tests.push(named);
      at += 2;
      continue;
    }
    const low = classCharacter(text, at);
    if ("fault" in low) return low;
    let high = low;
    if (text[low.end] === "-" && low.end + 1 < text.length && text[low.end + 1] !== "]") {
      const other = classCharacter(text, low.end + 1);
      if ("fault" in other) return other;
      high = other;
      if (high.code < low.code)
        return { fault: "invalid character class range", piece: text.slice(at, high.end) };
    }
    tests.push(between([low.code, high.code]));
    at = high.end;
  }
  const test: Test = (c) => tests.some((one) => one(c));
  return { test: negated ? not(test) : test, end: at + 1 };
}

function classCharacter(text: string, at: number): { code: number; end: number } | Fault {
  if (text[at] === "\\") return escapedClass(text, at);
  const code = text.codePointAt(at) ?? 0;
  return { code, end: at + (code > 0xffff ? 2 : 1) };
}
