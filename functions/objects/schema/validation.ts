import { type FieldError, requiredValue } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../json.ts";
import { invalid, notSupported, tooMany, wrongType } from "./faults.ts";
import { type Context, fieldAt } from "./place.ts";
import { validateNumber, validateText } from "./scalars.ts";
import type { Schema } from "./schema.ts";

/** Faults of one object that are told. */
const MOST_FAULTS = 100;
/** Steps of matching patterns, for one object: about a second. */
const EFFORT = 20_000_000;

/**
 * What is wrong with a value under a schema, in upstream's words and order. `field` is the path of the value in its
 * object, `""` for the object itself.
 *
 * With `old`, the value that this one replaces, parts that are equal in both are not looked at, so that a schema that
 * was made stricter does not stand in the way of an unrelated change, such as the removal of a finalizer.
 *
 * Source: kube-openapi `pkg/validation/validate`; apiextensions-apiserver `pkg/apiserver/validation` (the field errors)
 * and KEP-4008 (ratcheting).
 */
export function validateValue(value: Json, schema: Schema, field = "", old?: Json): FieldError[] {
  const findings: Findings = { faults: [], checks: 0 };
  check({ value, schema, path: "", old }, findings, { field, effort: { left: EFFORT } });
  return findings.faults;
}

/** What checks have found so far. `checks` counts what was looked at and right: the best of failed choices has most. */
export interface Findings {
  faults: FieldError[];
  checks: number;
}

/** One value to be checked. `path` leads to it from the root, as upstream's messages have it. */
interface Subject {
  value: Json;
  schema: Schema;
  path: string;
  /** What it replaces; undefined when nobody knows. */
  old: Json | undefined;
}

function check(subject: Subject, findings: Findings, context: Context): void {
  const { value, schema, path, old } = subject;
  if (old !== undefined && jsonEqual(value, old)) return;
  checkType(value, schema, path, findings, context);
  if (value === null) {
    checkEnum(value, schema, path, findings, context);
    return;
  }
  checkChoices(subject, findings, context);
  if (typeof value === "string") {
    report(findings, validateText(value, schema, path, context), 1);
  } else if (typeof value === "number") {
    report(findings, validateNumber(value, schema.numbers, path, context), 2);
  } else if (Array.isArray(value)) checkItems(value, subject, findings, context);
  checkEnum(value, schema, path, findings, context);
  if (isJsonObject(value)) checkFields(value, subject, findings, context);
  findings.checks++;
}

/** @param checks how many were made */
function report(findings: Findings, faults: readonly FieldError[], checks: number): void {
  findings.checks += checks;
  for (const fault of faults) if (findings.faults.length < MOST_FAULTS) findings.faults.push(fault);
}

function merge(findings: Findings, other: Findings): void {
  report(findings, other.faults, other.checks);
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkType(value: Json, schema: Schema, path: string, findings: Findings, context: Context): void {
  const { types, nullable } = schema;
  const type = typeOf(value);
  const right =
    types.length === 0 ||
    types.some((wanted) => wanted === type || (wanted === "number" && type === "integer")) ||
    (value === null && nullable);
  if (right) findings.checks += 2;
  else {
    const detail = `${path} in body must be of type ${types.join(",")}: ${JSON.stringify(type)}`;
    report(findings, [wrongType(fieldAt(context, path), type, detail)], 1);
  }
}

function checkEnum(value: Json, schema: Schema, path: string, findings: Findings, context: Context): void {
  if (schema.enum === undefined || schema.enum.some((one) => one !== null && jsonEqual(one, value))) return;
  report(findings, [notSupported(fieldAt(context, path), value, schema.enum)], 0);
}

function checkChoices({ value, schema, path, old }: Subject, findings: Findings, context: Context): void {
  // Inside a choice nothing is let pass because it is old: it would change which alternative holds.
  const tried = (alternative: Schema): Findings => {
    const found: Findings = { faults: [], checks: 0 };
    check({ value, schema: alternative, path, old: undefined }, found, context);
    return found;
  };
  const unfit = (detail: string) =>
    report(findings, [invalid(fieldAt(context, ""), "", `${JSON.stringify(path)} ${detail}`)], 0);
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf.length > 0) {
    const results = anyOf.map(tried);
    const fitting = results.find(isFine);
    if (fitting === undefined) unfit("must validate at least one schema (anyOf)");
    merge(findings, fitting ?? best(results));
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(tried);
    const fitting = results.filter(isFine);
    const [first] = fitting;
    if (first === undefined) {
      unfit("must validate one and only one schema (oneOf). Found none valid");
      merge(findings, best(results));
    } else if (fitting.length > 1) {
      unfit(`must validate one and only one schema (oneOf). Found ${fitting.length} valid alternatives`);
    } else merge(findings, first);
  }
  let fitting = 0;
  for (const part of allOf) {
    const found: Findings = { faults: [], checks: 0 };
    check({ value, schema: part, path, old }, found, context);
    if (isFine(found)) fitting++;
    merge(findings, found);
  }
  if (fitting < allOf.length) {
    unfit(`must validate all the schemas (allOf)${fitting === 0 ? ". None validated" : ""}`);
  }
  if (not !== undefined && isFine(tried(not))) unfit("must not validate the schema (not)");
  findings.checks += 2;
}

const isFine = ({ faults }: Findings): boolean => faults.length === 0;

/** The first of those where most was right. */
function best(results: readonly Findings[]): Findings {
  return results.reduce((one, other) => (other.checks > one.checks ? other : one));
}

function checkItems(
  list: readonly Json[],
  { schema, path, old }: Subject,
  findings: Findings,
  context: Context,
): void {
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (items !== undefined) {
    const before = oldItems(schema, old);
    for (const [i, value] of list.entries()) {
      check({ value, schema: items, path: `${path}[${i}]`, old: before(value) }, findings, context);
    }
  }
  const field = fieldAt(context, path);
  const faults: FieldError[] = [];
  if (minItems !== undefined && list.length < minItems) {
    faults.push(invalid(field, list.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) faults.push(tooMany(field, list.length, maxItems));
  if (uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length) {
    faults.push(invalid(field, "", `${path} in body shouldn't contain duplicates`));
  }
  report(findings, faults, 2);
}

/** Which item of the old list a new one replaces: only lists that are maps can tell, by their keys. */
function oldItems(
  { listType, listMapKeys }: Schema,
  old: Json | undefined,
): (item: Json) => Json | undefined {
  if (listType !== "map" || !Array.isArray(old)) return () => undefined;
  const keyOf = (item: Json) =>
    isJsonObject(item) ? JSON.stringify(listMapKeys.map((key) => item[key] ?? null)) : undefined;
  const byKey = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => {
    const key = keyOf(item);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function checkFields(
  object: JsonObject,
  { schema, path, old }: Subject,
  findings: Findings,
  context: Context,
): void {
  const { minProperties, maxProperties, properties, additional, required } = schema;
  const field = fieldAt(context, path);
  const count = Object.keys(object).length;
  if (minProperties !== undefined && count < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    report(findings, [invalid(field, count, detail)], 1);
    return;
  }
  if (maxProperties !== undefined && count > maxProperties) {
    report(findings, [tooMany(field, count, maxProperties)], 1);
    return;
  }
  const before = (name: string) => (isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined);
  const visit = (name: string, inside: Schema, at: string) =>
    check({ value: object[name] ?? null, schema: inside, path: at, old: before(name) }, findings, context);
  for (const name of Object.keys(object)) {
    if (additional === undefined || properties.has(name)) continue;
    if (!additional.allowed) {
      report(findings, [invalid(field, name, `${path}.${name} in body is a forbidden property`)], 0);
    } else if (additional.schema) visit(name, additional.schema, `${path}.${name}`);
  }
  for (const [name, inside] of properties) {
    if (Object.hasOwn(object, name)) visit(name, inside, path === "" ? name : `${path}.${name}`);
  }
  const missing = required.filter((name) => !Object.hasOwn(object, name));
  report(
    findings,
    missing.map((name) => requiredValue(fieldAt(context, `${path}.${name}`), "")),
    1,
  );
}
