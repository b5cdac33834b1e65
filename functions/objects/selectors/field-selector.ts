import { type Outcome, ok, refuse } from "../failure.ts";
import type { Kind } from "../kind.ts";
import type { KubeObject } from "../object.ts";
import { type FieldRules, fieldRules } from "./selectable-fields.ts";

/** One condition on one field. `==` reads as `=`; a field with two spellings comes in its canonical one. */
export interface FieldRequirement {
  field: string;
  operator: "=" | "!=";
  value: string;
}

/**
 * Reads a field selector: `metadata.name=a,status.phase!=Running`. In values `\` escapes `\`, `,` and `=`. An empty text
 * selects everything. Which fields a kind knows is in `selectable-fields.ts`.
 *
 * Grammar and messages are those of k8s.io/apimachinery `fields.ParseSelector`.
 *
 * @returns BadRequest, in upstream's words, when the text does not parse or the kind does not know a field.
 */
export function parseFieldSelector(text: string, kind: Kind): Outcome<readonly FieldRequirement[]> {
  const rules = fieldRules(kind);
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === "") continue;
    const requirement = parseTerm(term, text);
    if (typeof requirement === "string") return refuse({ reason: "BadRequest", message: requirement });
    requirements.push(requirement);
  }
  for (const requirement of requirements) {
    const field = canonicalField(requirement.field, rules);
    if (field === undefined) {
      return refuse({ reason: "BadRequest", message: rules.unknown(requirement.field) });
    }
    requirement.field = field;
  }
  return ok(requirements);
}

/** Whether all requirements hold. A field that the object lacks reads as the empty text, `false` or `0`. */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  object: KubeObject,
  kind: Kind,
): boolean {
  if (requirements.length === 0) return true;
  const { read } = fieldRules(kind);
  return requirements.every(({ field, operator, value }) => {
    const actual = read.get(field)?.(object) ?? "";
    return operator === "=" ? actual === value : actual !== value;
  });
}

/** The name that every match must have, so that a list becomes a look-up by key. */
export function exactName(requirements: readonly FieldRequirement[]): string | undefined {
  return exactValue(requirements, "metadata.name");
}

/** The namespace that every match must have. */
export function exactNamespace(requirements: readonly FieldRequirement[]): string | undefined {
  return exactValue(requirements, "metadata.namespace");
}

/** The value that a field must have in every match. */
export function exactValue(requirements: readonly FieldRequirement[], field: string): string | undefined {
  return requirements.find((requirement) => requirement.operator === "=" && requirement.field === field)
    ?.value;
}

function canonicalField(field: string, rules: FieldRules): string | undefined {
  const canonical = rules.aliases.get(field) ?? field;
  return rules.accepted.has(canonical) ? canonical : undefined;
}

/** Terms in order of their text, as upstream takes them: it decides which of several faults is told. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms.sort();
}

function parseTerm(term: string, selector: string): FieldRequirement | string {
  const split = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (split === null) return `invalid selector: '${selector}'; can't understand '${term}'`;
  const [, field = "", operator, raw = ""] = split;
  const value = unescapeValue(raw);
  if ("fault" in value) return `invalid field selector: ${value.fault}`;
  return { field, operator: operator === "!=" ? "!=" : "=", value: value.text };
}

function unescapeValue(raw: string): { text: string } | { fault: string } {
  let text = "";
  const characters = [...raw];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? "";
    if (character === "\\") {
      const escaped = characters[++i] ?? "";
      if (escaped === "" || !"\\,=".includes(escaped))
        return { fault: `invalid escape sequence: \\${escaped}` };
      text += escaped;
    } else if (character === "," || character === "=") {
      return { fault: `unescaped character in value: ${character.codePointAt(0)}` };
    } else {
      text += character;
    }
  }
  return { text };
}
