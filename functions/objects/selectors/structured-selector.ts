import { isJsonObject, type JsonObject } from "../json.ts";
import type { LabelRequirement } from "./label-selector.ts";

const OPERATORS: Readonly<Record<string, LabelRequirement["operator"]>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "absent",
};

/** A `LabelSelector` as specs hold it, `matchLabels` and `matchExpressions`, as requirements. An empty one matches all. */
export function labelSelectorOf({ matchLabels, matchExpressions }: JsonObject): readonly LabelRequirement[] {
  const labels = isJsonObject(matchLabels) ? Object.entries(matchLabels) : [];
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isJsonObject) : [];
  return [
    ...labels.map(([key, value]): LabelRequirement => ({ key, operator: "in", values: [String(value)] })),
    ...expressions.flatMap(({ key, operator, values }): LabelRequirement[] => {
      const known = OPERATORS[String(operator)];
      if (typeof key !== "string" || known === undefined) return [];
      return [{ key, operator: known, values: Array.isArray(values) ? values.map(String) : [] }];
    }),
  ];
}
