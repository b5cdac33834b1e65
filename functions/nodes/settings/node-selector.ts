import { invalidValue } from "../../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import type { LabelRequirement } from "../../objects/selectors/label-selector.ts";
import { labelSelectorOf } from "../../objects/selectors/structured-selector.ts";
import { FieldReader } from "./value-readers.ts";

const FIELDS: ReadonlySet<string> = new Set(["matchLabels", "matchExpressions"]);
const EXPRESSION_FIELDS: ReadonlySet<string> = new Set(["key", "operator", "values"]);
const OPERATORS: readonly Json[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/**
 * `spec.nodeSelector`, a LabelSelector; undefined when there is none. Checked whole, because a condition that was left
 * out would select more nodes than were meant.
 */
export function readNodeSelector(spec: FieldReader): readonly LabelRequirement[] | undefined {
  const selector = spec.object("nodeSelector");
  if (selector === undefined) return undefined;
  const reader = new FieldReader(selector, `${spec.path}.nodeSelector`, spec.errors);
  reader.onlyKnown(FIELDS, "a label selector", () => undefined);
  for (const [label, value] of Object.entries(reader.object("matchLabels") ?? {})) {
    if (typeof value === "string") continue;
    const path = `${reader.path}.matchLabels[${label.slice(0, 100)}]`;
    spec.errors.push(invalidValue(path, JSON.stringify(value), "must be of type string"));
  }
  (reader.list("matchExpressions") ?? []).forEach((expression, index) => {
    const path = `${reader.path}.matchExpressions[${index}]`;
    if (isJsonObject(expression)) checkExpression(expression, path, spec);
    else spec.errors.push(invalidValue(path, JSON.stringify(expression), "must be of type object"));
  });
  return labelSelectorOf(selector);
}

/** Source: k8s.io/apimachinery `ValidateLabelSelectorRequirement`. */
function checkExpression(expression: JsonObject, path: string, spec: FieldReader): void {
  const reader = new FieldReader(expression, path, spec.errors);
  reader.onlyKnown(EXPRESSION_FIELDS, "a requirement", () => undefined);
  const { key, operator, values } = expression;
  if (typeof key !== "string" || key === "") reader.refuse("key", "must be a label key");
  if (!OPERATORS.includes(operator ?? null)) {
    reader.refuse("operator", "not a valid selector operator");
    return;
  }
  const given = Array.isArray(values) ? values : [];
  if (given.some((value) => typeof value !== "string")) reader.refuse("values", "must be strings");
  if ((operator === "In" || operator === "NotIn") !== given.length > 0) {
    const detail =
      given.length > 0
        ? "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        : "must be specified when `operator` is 'In' or 'NotIn'";
    reader.refuse("values", detail);
  }
}
