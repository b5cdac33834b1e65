import { characterClass, escapedClass, namedClass, type Test, unicodeClass } from "./characters.ts";

/** A regular expression in RE2's syntax, as Go reads it. Groups leave no trace: nobody asks for what they matched. */
export type Expression =
  | { is: "empty" }
  | { is: "character"; test: Test }
  | { is: "place"; place: Place }
  | { is: "sequence"; parts: readonly Expression[] }
  | { is: "choice"; options: readonly Expression[] }
  /** `most` is Infinity when there is no upper bound. */
  | { is: "repeat"; of: Expression; least: number; most: number };

/** Where in the text an expression that matches no character stands. */
export type Place = "text start" | "text end" | "line start" | "line end" | "word edge" | "no word edge";

interface Flags {
  ignoreCase: boolean;
  multiLine: boolean;
  dotAll: boolean;
}

/** As many times may be asked for by number. */
const MOST_REPEATS = 1000;
/** Levels of groups. Go allows 1,000; the compiler recurses over them. */
const MOST_LEVELS = 250;

/** What is wrong with an expression, in the words of Go's parser. */
class SyntaxFault extends Error {}

const fault = (code: string, piece: string): never => {
  throw new SyntaxFault(`error parsing regexp: ${code}: \`${piece}\``);
};

/** Source: Go `regexp/syntax`, https://github.com/google/re2/wiki/Syntax. */
export function parseExpression(text: string): { expression: Expression } | { fault: string } {
  try {
    return { expression: new Parser(text).parse() };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

class Parser {
  readonly #text: string;
  #at = 0;
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false };
  #level = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Expression {
    const expression = this.#choice();
    if (this.#at < this.#text.length) fault("unexpected )", this.#text);
    return expression;
  }

  #choice(): Expression {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only ? only : { is: "choice", options };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    while (this.#at < this.#text.length && !this.#sees("|") && !this.#sees(")")) {
      const part = this.#sees("\\Q") ? this.#quoted() : this.#atom();
      // Flags that are set from here on.
      if (part !== undefined) parts.push(this.#repeated(part));
    }
    const [only] = parts;
    return parts.length === 1 && only
      ? only
      : parts.length === 0
        ? { is: "empty" }
        : { is: "sequence", parts };
  }

  #repeated(of: Expression): Expression {
    const first = this.#at;
    let expression = of;
    for (let times = 0; ; times++) {
      const operator = this.#at;
      const bounds = this.#repetition();
      if (bounds === undefined) return expression;
      this.#take("?");
      if (times > 0) fault("invalid nested repetition operator", this.#text.slice(first, this.#at));
      const [least, most] = bounds;
      if (
        least > MOST_REPEATS ||
        (most !== Number.POSITIVE_INFINITY && (most > MOST_REPEATS || least > most))
      ) {
        fault("invalid repeat count", this.#text.slice(operator, this.#at));
      }
      expression = { is: "repeat", of: expression, least, most };
    }
  }

  #repetition(): [number, number] | undefined {
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    // A brace that bounds nothing is a brace.
    const found = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#text.slice(this.#at, this.#at + 24));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const least = Number(found[1]);
    if (found[2] === undefined) return [least, least];
    return [least, found[3] === "" ? Number.POSITIVE_INFINITY : Number(found[3])];
  }

  #atom(): Expression | undefined {
    const char = this.#next();
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#bracket();
      case ".": {
        const { dotAll } = this.#flags;
        return { is: "character", test: (c) => dotAll || c !== 0x0a };
      }
      case "^":
        return { is: "place", place: this.#flags.multiLine ? "line start" : "text start" };
      case "$":
        return { is: "place", place: this.#flags.multiLine ? "line end" : "text end" };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        return fault("missing argument to repetition operator", char);
      default:
        return this.#literal(char);
    }
  }

  /** What follows an opening parenthesis; undefined when it only sets flags. */
  #group(): Expression | undefined {
    const start = this.#at - 1;
    const outer = this.#flags;
    if (this.#take("?")) {
      const named = /^(?:P?<)([A-Za-z0-9_]+)>/.exec(this.#text.slice(this.#at, this.#at + 200));
      const flagged = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.#text.slice(this.#at, this.#at + 20));
      if (named !== null) this.#at += named[0].length;
      else if (flagged !== null && (flagged[0] !== ")" || flagged[1] !== "")) {
        this.#at += flagged[0].length;
        this.#flags = withFlags(withFlags(outer, flagged[1] ?? "", true), flagged[2] ?? "", false);
        if (flagged[3] === ")") return undefined;
      } else fault("invalid or unsupported Perl syntax", this.#text.slice(start, this.#at + 1));
    }
    if (++this.#level > MOST_LEVELS) fault("expression nests too deeply", this.#text.slice(0, 100));
    const expression = this.#choice();
    this.#level--;
    if (!this.#take(")")) fault("missing closing )", this.#text);
    this.#flags = outer;
    return expression;
  }

  #bracket(): Expression {
    const found = characterClass(this.#text, this.#at);
    if ("fault" in found) return fault(found.fault, found.piece);
    this.#at = found.end;
    return this.#character(found.test);
  }

  #escape(): Expression {
    const char = this.#next();
    switch (char) {
      case "A":
        return { is: "place", place: "text start" };
      case "z":
        return { is: "place", place: "text end" };
      case "b":
        return { is: "place", place: "word edge" };
      case "B":
        return { is: "place", place: "no word edge" };
      case "":
        return fault("trailing backslash at end of expression", "");
    }
    const unicode = unicodeClass(this.#text, this.#at - 2);
    if (unicode !== undefined) {
      if ("fault" in unicode) return fault(unicode.fault, unicode.piece);
      this.#at = unicode.end;
      return this.#character(unicode.test);
    }
    const named = namedClass(char);
    if (named !== undefined) return this.#character(named);
    const escaped = escapedClass(this.#text, this.#at - char.length - 1);
    if ("fault" in escaped) return fault(escaped.fault, escaped.piece);
    this.#at = escaped.end;
    return this.#literal(String.fromCodePoint(escaped.code));
  }

  /** `\Q…\E`: text without meaning. */
  #quoted(): Expression {
    const end = this.#text.indexOf("\\E", this.#at);
    const text = this.#text.slice(this.#at + 2, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 2;
    return { is: "sequence", parts: Array.from(text, (char) => this.#literal(char)) };
  }

  #literal(char: string): Expression {
    const code = char.codePointAt(0);
    return this.#character((c) => c === code);
  }

  #character(test: Test): Expression {
    if (!this.#flags.ignoreCase) return { is: "character", test };
    return { is: "character", test: (c) => test(c) || otherCases(c).some(test) };
  }

  #sees = (piece: string): boolean => this.#text.startsWith(piece, this.#at);

  #take(piece: string): boolean {
    if (!this.#sees(piece)) return false;
    this.#at += piece.length;
    return true;
  }

  /** One code point; empty at the end. */
  #next(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return "";
    const char = String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }
}

function withFlags(flags: Flags, letters: string, on: boolean): Flags {
  return {
    ignoreCase: letters.includes("i") ? on : flags.ignoreCase,
    multiLine: letters.includes("m") ? on : flags.multiLine,
    dotAll: letters.includes("s") ? on : flags.dotAll,
  };
}

function otherCases(code: number): number[] {
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase()].flatMap((other) =>
    other.length === String.fromCodePoint(other.codePointAt(0) ?? 0).length
      ? [other.codePointAt(0) ?? code]
      : [],
  );
}
