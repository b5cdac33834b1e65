import type { FieldError } from "../failure.ts";
import { invalid, tooManyCharacters, wrongType } from "./faults.ts";
import { isOfFormat } from "./formats.ts";
import { type Context, fieldAt } from "./place.ts";
import type { NumberLimits, Schema } from "./schema.ts";

/** Lengths are counted in code points. */
export function validateText(text: string, schema: Schema, path: string, context: Context): FieldError[] {
  const field = fieldAt(context, path);
  const { minLength, maxLength, format } = schema;
  const faults: FieldError[] = [];
  if (maxLength !== undefined && text.length > maxLength && lengthOf(text) > maxLength) {
    faults.push(tooManyCharacters(field, maxLength));
  }
  if (minLength !== undefined && lengthOf(text) < minLength) {
    faults.push(invalid(field, text, `${path} in body should be at least ${minLength} chars long`));
  }
  const unmatched = patternFault(text, schema, context);
  if (unmatched !== undefined) faults.push(invalid(field, text, `${path} in body ${unmatched}`));
  if (format !== undefined && !isOfFormat(format, text)) {
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text.slice(0, 1000))}`;
    faults.push(wrongType(field, text, detail));
  }
  return faults;
}

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

function patternFault(text: string, { pattern }: Schema, { effort }: Context): string | undefined {
  if (pattern === undefined) return undefined;
  if ("fault" in pattern) return `should match a pattern that is invalid: ${pattern.fault}`;
  const found = pattern.foundIn(text, effort);
  if (found === undefined) return `is too long to be matched against '${pattern.text}'`;
  return found ? undefined : `should match '${pattern.text}'`;
}

export function validateNumber(
  value: number,
  limits: NumberLimits,
  path: string,
  context: Context,
): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  const details: string[] = [];
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    details.push(`should be a multiple of ${multipleOf}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    details.push(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    details.push(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  return details.map((detail) => invalid(fieldAt(context, path), value, `${path} in body ${detail}`));
}

/** Below 1 by multiplication, as upstream does it: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, factor: number): boolean {
  if (factor <= 0) return false;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}
