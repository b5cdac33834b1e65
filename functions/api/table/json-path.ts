import { isJsonObject } from "../../objects/json.ts";
import { valueAt } from "../../objects/selectors/field-path.ts";

/** One step down: a field, a list item, all items, or the items whose field equals a text. */
type Step =
  | { to: "field"; name: string }
  | { to: "item"; index: number }
  | { to: "all" }
  | { to: "matching"; path: readonly string[]; equals: string };

export type JsonPath = readonly Step[];

const field = /^\.((?:[^.[\]\\'"\s]|\\.)+)/;
const quotedField = /^\[(?:'([^']+)'|"([^"]+)")\]/;
const item = /^\[(-?\d{1,9})\]/;
const all = /^(?:\[\*\]|\.\*)/;
const matching = /^\[\?\(\s*@((?:\.[^.[\]\\'"\s=]+)+)\s*==\s*(?:'([^']*)'|"([^"]*)")\s*\)\]/;

/**
 * Reads the part of Kubernetes' JSONPath that printer columns use: `.a.b`, `.a\.b`, `['a.b']`, `[0]`, `[-1]`, `[*]` and
 * `[?(@.type=="Ready")]`. Undefined when the text says anything else.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const found = firstStep(rest);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The first value that the path leads to, or undefined. */
export function readJsonPath(path: JsonPath, value: unknown): unknown {
  let here: readonly unknown[] = [value];
  for (const step of path) here = here.flatMap((from) => take(step, from));
  return here[0];
}

function firstStep(text: string): { step: Step; length: number } | undefined {
  let match = all.exec(text);
  if (match) return { step: { to: "all" }, length: match[0].length };
  match = field.exec(text);
  if (match) {
    const name = (match[1] ?? "").replaceAll(/\\(.)/g, "$1");
    return { step: { to: "field", name }, length: match[0].length };
  }
  match = quotedField.exec(text);
  if (match) return { step: { to: "field", name: match[1] ?? match[2] ?? "" }, length: match[0].length };
  match = item.exec(text);
  if (match) return { step: { to: "item", index: Number(match[1]) }, length: match[0].length };
  match = matching.exec(text);
  if (match === null) return undefined;
  const path = (match[1] ?? "").slice(1).split(".");
  return { step: { to: "matching", path, equals: match[2] ?? match[3] ?? "" }, length: match[0].length };
}

function take(step: Step, from: unknown): readonly unknown[] {
  switch (step.to) {
    case "field": {
      const value = valueAt(from, step.name);
      return value === undefined ? [] : [value];
    }
    case "item": {
      const value = Array.isArray(from) ? from.at(step.index) : undefined;
      return value === undefined ? [] : [value];
    }
    case "all":
      return Array.isArray(from) ? from : isJsonObject(from) ? Object.values(from) : [];
    case "matching":
      return Array.isArray(from)
        ? from.filter((candidate) => {
            const value = valueAt(candidate, ...step.path);
            return value !== undefined && String(value) === step.equals;
          })
        : [];
  }
}
