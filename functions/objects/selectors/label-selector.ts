import { type Outcome, ok, refuse } from "../failure.ts";
import { labelValueFaults, qualifiedNameFaults } from "../metadata/names.ts";

/** One condition on one label. `=` and `==` read as `in` with one value, `!=` as `notin` with one value. */
export interface LabelRequirement {
  key: string;
  operator: "in" | "notin" | "exists" | "absent" | "gt" | "lt";
  /** Sorted and distinct; empty for `exists` and `absent`, one integer for `gt` and `lt`. */
  values: readonly string[];
}

/**
 * Reads a label selector as a query parameter carries it: `app=web,tier in (a,b),!legacy,level>3`. An empty text selects
 * everything. Requirements come sorted by key.
 *
 * Grammar and messages are those of k8s.io/apimachinery `labels.Parse`.
 *
 * @returns BadRequest, in upstream's words, when the text does not parse.
 */
export function parseLabelSelector(text: string): Outcome<readonly LabelRequirement[]> {
  const parsed = parseRequirements(new Tokens(scan(text)));
  if (typeof parsed === "string") return refuse({ reason: "BadRequest", message: parsed });
  return ok(parsed.sort((a, b) => compareText(a.key, b.key)));
}

/** Whether all requirements hold. `notin` and `absent` hold for an object that does not carry the label. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Record<string, string> | undefined,
): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}

function holds(requirement: LabelRequirement, labels: Record<string, string> | undefined): boolean {
  const { key, values } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (requirement.operator) {
    case "in":
      return value !== undefined && values.includes(value);
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "gt":
    case "lt": {
      const actual = integer64(value);
      const bound = integer64(values[0]);
      if (actual === undefined || bound === undefined) return false;
      return requirement.operator === "gt" ? actual > bound : actual < bound;
    }
  }
}

type Token = "identifier" | "end" | "in" | "notin" | "=" | "==" | "!=" | "!" | "(" | ")" | "," | "<" | ">";

interface Scanned {
  token: Token;
  literal: string;
}

const symbols = new Set<string>(["in", "notin", "=", "==", "!=", "!", "(", ")", ",", "<", ">"]);

function scan(text: string): Scanned[] {
  const pieces = text.match(/==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g) ?? [];
  return pieces.map((literal) => ({
    token: symbols.has(literal) ? (literal as Token) : "identifier",
    literal,
  }));
}

/** Tokens with a reading position; past the last one it is always the end of the text. */
class Tokens {
  readonly #items: readonly Scanned[];
  #next = 0;

  constructor(items: readonly Scanned[]) {
    this.#items = items;
  }

  peek(): Scanned {
    return this.#items[this.#next] ?? { token: "end", literal: "" };
  }

  take(): Scanned {
    const item = this.peek();
    this.#next++;
    return item;
  }

  /** Where only a key or a value can stand, the words `in` and `notin` are ordinary identifiers. */
  peekWord(): Scanned {
    return asWord(this.peek());
  }

  takeWord(): Scanned {
    return asWord(this.take());
  }
}

function asWord(item: Scanned): Scanned {
  return item.token === "in" || item.token === "notin" ? { ...item, token: "identifier" } : item;
}

/** A fault is its message. */
type Fault = string;

function parseRequirements(tokens: Tokens): LabelRequirement[] | Fault {
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const { token, literal } = tokens.peekWord();
    if (token === "end") return requirements;
    if (token !== "identifier" && token !== "!") {
      return `found '${literal}', expected: !, identifier, or 'end of string'`;
    }
    const requirement = parseRequirement(tokens);
    if (typeof requirement === "string") return `unable to parse requirement: ${requirement}`;
    requirements.push(requirement);
    const after = tokens.takeWord();
    if (after.token === "end") return requirements;
    if (after.token !== ",") return `found '${after.literal}', expected: ',' or 'end of string'`;
    const next = tokens.peekWord();
    if (next.token !== "identifier" && next.token !== "!") {
      return `found '${next.literal}', expected: identifier after ','`;
    }
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement | Fault {
  let item = tokens.takeWord();
  const absent = item.token === "!";
  if (absent) item = tokens.takeWord();
  if (item.token !== "identifier") return `found '${item.literal}', expected: identifier`;
  const key = item.literal;
  const faults = qualifiedNameFaults(key);
  if (faults.length > 0) return `invalid label key ${JSON.stringify(key)}: ${faults.join("; ")}`;
  if (absent) return { key, operator: "absent", values: [] };
  const follows = tokens.peek().token;
  if (follows === "end" || follows === ",") return { key, operator: "exists", values: [] };

  const operator = operatorOf(tokens.take());
  if (typeof operator === "string") return operator;
  const values = operator.many ? parseValues(tokens) : parseOneValue(tokens);
  if (typeof values === "string") return values;
  return checked({ key, operator: operator.operator, values });
}

function operatorOf(item: Scanned): { operator: LabelRequirement["operator"]; many: boolean } | Fault {
  switch (item.token) {
    case "in":
    case "notin":
      return { operator: item.token, many: true };
    case "=":
    case "==":
      return { operator: "in", many: false };
    case "!=":
      return { operator: "notin", many: false };
    case ">":
      return { operator: "gt", many: false };
    case "<":
      return { operator: "lt", many: false };
    default:
      return `found '${item.literal}', expected: in, notin, =, ==, !=, gt, lt`;
  }
}

function checked(requirement: LabelRequirement): LabelRequirement | Fault {
  const { key, operator, values } = requirement;
  for (const value of values) {
    if ((operator === "gt" || operator === "lt") && integer64(value) === undefined) {
      return "for 'Gt', 'Lt' operators, the value must be an integer";
    }
    const faults = labelValueFaults(value);
    if (faults.length > 0) {
      return `invalid label value: ${JSON.stringify(value)}: at key: ${JSON.stringify(key)}: ${faults.join("; ")}`;
    }
  }
  return requirement;
}

function parseOneValue(tokens: Tokens): string[] | Fault {
  const next = tokens.peekWord();
  if (next.token === "end" || next.token === ",") return [""];
  const item = tokens.takeWord();
  return item.token === "identifier" ? [item.literal] : `found '${item.literal}', expected: identifier`;
}

/** `(a,b)`. A missing value counts as the empty one: `()`, `(,a)`, `(a,,b)` and `(a,)` all contain it. */
function parseValues(tokens: Tokens): string[] | Fault {
  const open = tokens.takeWord();
  if (open.token !== "(") return `found '${open.literal}' expected: '('`;
  const first = tokens.peekWord();
  if (first.token === ")") {
    tokens.take();
    return [""];
  }
  if (first.token !== "identifier" && first.token !== ",") {
    return `found '${first.literal}', expected: ',', ')' or identifier`;
  }

  const values = new Set<string>();
  for (;;) {
    const item = tokens.takeWord();
    if (item.token === "identifier") {
      values.add(item.literal);
      const next = tokens.peekWord();
      if (next.token === ")") break;
      if (next.token !== ",") return `found '${next.literal}', expected: ',' or ')'`;
    } else if (item.token === ",") {
      if (values.size === 0) values.add("");
      const next = tokens.peekWord();
      if (next.token === ")") {
        values.add("");
        break;
      }
      if (next.token === ",") {
        tokens.take();
        values.add("");
      }
    } else {
      return `found '${item.literal}', expected: ',', or identifier`;
    }
  }
  tokens.take();
  return [...values].sort(compareText);
}

/** As Go's `strconv.ParseInt(text, 10, 64)`. */
function integer64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]{1,63}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
