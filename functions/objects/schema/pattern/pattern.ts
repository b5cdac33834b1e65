import { isWord, type Test } from "./characters.ts";
import { type Expression, type Place, parseExpression } from "./syntax.ts";

/**
 * How much work matching may cost, counted in steps of one state over one character. Shared by all patterns that one
 * object is matched against.
 */
export interface Effort {
  left: number;
}

/** A pattern that is searched for in a text; undefined when the effort that was left did not suffice. */
export interface Pattern {
  readonly text: string;
  foundIn(text: string, effort: Effort): boolean | undefined;
}

type Step =
  | { is: "character"; test: Test; next: number }
  | { is: "place"; place: Place; next: number }
  | { is: "fork"; next: number; other: number }
  | { is: "match" };

/** As large may a pattern become when its counted repetitions are written out. */
const MOST_STEPS = 10_000;
/** As often may a piece of it be written out: nested repetitions of nothing add no step. */
const MOST_PIECES = 50_000;

interface Program {
  steps: Step[];
  pieces: number;
}

/**
 * Makes a pattern of Go's syntax ready to be searched for. It is run by following all its states at once, as RE2 does:
 * the time grows with the text and with the pattern, and no pattern makes it explode, as backtracking would.
 */
export function compilePattern(text: string): Pattern | { fault: string } {
  const parsed = parseExpression(text);
  if ("fault" in parsed) return parsed;
  const program: Program = { steps: [{ is: "match" }], pieces: 0 };
  const start = emit(parsed.expression, 0, program);
  if (start === undefined) {
    return { fault: `error parsing regexp: expression too large: \`${text.slice(0, 100)}\`` };
  }
  return { text, foundIn: (subject, effort) => run(program.steps, start, subject, effort) };
}

/** Adds the steps of an expression that go on with `next`; returns the first one, undefined when there are too many. */
function emit(expression: Expression, next: number, program: Program): number | undefined {
  if (program.steps.length > MOST_STEPS || ++program.pieces > MOST_PIECES) return undefined;
  const add = (step: Step) => program.steps.push(step) - 1;
  switch (expression.is) {
    case "empty":
      return next;
    case "character":
      return add({ is: "character", test: expression.test, next });
    case "place":
      return add({ is: "place", place: expression.place, next });
    case "sequence":
      return expression.parts.reduceRight<number | undefined>(
        (behind, part) => (behind === undefined ? undefined : emit(part, behind, program)),
        next,
      );
    case "choice":
      return expression.options.reduceRight<number | undefined>((other, option, i) => {
        const first = emit(option, next, program);
        if (first === undefined || i === expression.options.length - 1) return first;
        return other === undefined ? undefined : add({ is: "fork", next: first, other });
      }, next);
    case "repeat":
      return emitRepeat(expression, next, program);
  }
}

function emitRepeat(
  { of, least, most }: Expression & { is: "repeat" },
  next: number,
  program: Program,
): number | undefined {
  const { steps } = program;
  let start: number | undefined = next;
  if (most === Number.POSITIVE_INFINITY) {
    // The loop is made first, so that what it repeats can lead back to it.
    const loop = steps.push({ is: "fork", next, other: next }) - 1;
    const body = emit(of, loop, program);
    if (body === undefined) return undefined;
    steps[loop] = { is: "fork", next: body, other: next };
    start = loop;
  } else {
    for (let i = least; i < most && start !== undefined; i++) {
      const body: number | undefined = emit(of, start, program);
      start = body === undefined ? undefined : steps.push({ is: "fork", next: body, other: next }) - 1;
    }
  }
  for (let i = 0; i < least && start !== undefined; i++) start = emit(of, start, program);
  return start;
}

function run(steps: readonly Step[], start: number, text: string, effort: Effort): boolean | undefined {
  /** At which position a state was last reached: it is looked at once for each. */
  const seen = new Int32Array(steps.length).fill(-1);
  let states: number[] = [];
  let before: number | undefined;
  for (let at = 0; ; ) {
    const code = text.codePointAt(at);
    const following: number[] = [];
    const open = [...states, start];
    while (open.length > 0) {
      const state = open.pop() ?? 0;
      if (seen[state] === at) continue;
      seen[state] = at;
      if (--effort.left < 0) return undefined;
      const step = steps[state];
      switch (step?.is) {
        case "match":
          return true;
        case "fork":
          open.push(step.other, step.next);
          break;
        case "place":
          if (stands(step.place, before, code)) open.push(step.next);
          break;
        case "character":
          if (code !== undefined && step.test(code)) following.push(step.next);
          break;
      }
    }
    if (code === undefined) return false;
    states = following;
    before = code;
    at += code > 0xffff ? 2 : 1;
  }
}

const NEW_LINE = 0x0a;

function stands(place: Place, before: number | undefined, after: number | undefined): boolean {
  switch (place) {
    case "text start":
      return before === undefined;
    case "text end":
      return after === undefined;
    case "line start":
      return before === undefined || before === NEW_LINE;
    case "line end":
      return after === undefined || after === NEW_LINE;
    case "word edge":
      return isWordAt(before) !== isWordAt(after);
    case "no word edge":
      return isWordAt(before) === isWordAt(after);
  }
}

const isWordAt = (code: number | undefined): boolean => code !== undefined && isWord(code);
